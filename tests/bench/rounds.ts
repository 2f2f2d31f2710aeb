// What a round costs over loopback: one `bash true` beside a bare spawn and a bare request, a call that starts nothing
// for the harness's own time, and the memory of `xz once` over all of it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '../../store/database/database.ts';
import type { Reply } from '../helpers/model-reply.ts';
import { makePlace, memoryOf, type Place, startBenchModel, startNode } from './place.ts';
import { median, percentile, type Row } from './row.ts';

const ROUNDS = 20;
/** A round reaches the disk once: with the reply, before its call changes anything, or with the results. */
const COMMITS = 1;

/** Sends a request and starts a command in turn, as bare as node can. Arguments: address, rounds, "spawn" or "alone". */
const BARE = `
import { spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
const [url, rounds, what] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const ask = () => new Promise((resolve, reject) => {
  const sent = request(url + '/chat/completions', { method: 'POST', agent }, (answer) => answer.on('data', () => {}).on('end', resolve));
  sent.on('error', reject).end('{"messages":[]}');
});
const run = () => new Promise((resolve) => spawn('bash', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] }).once('close', resolve));
for (let n = 0; n <= Number(rounds); n++) { await ask(); if (what === 'spawn') await run(); }
agent.destroy();
`;

/** Times from one request's arrival to the next, over ROUNDS rounds of one process. */
interface Run {
  readonly rounds: readonly number[];
  /** Megabytes at its highest, read when the last request has arrived. */
  readonly peak: number;
}

/** Measures; each kind of run is repeated `runs` times, in turns with its yardstick. */
export async function benchRounds(main: string, runs: number): Promise<readonly Row[]> {
  const place = makePlace();
  const bare = join(place.dir, '..', 'bare.mjs');
  writeFileSync(bare, BARE);
  const bash: Reply = { calls: [{ name: 'bash', args: { command: 'true' } }] };
  const light: Reply = { calls: [{ name: 'list_todos', args: {} }] };
  const commits: number[] = [];
  const all = { bash: [], light: [], spawn: [], alone: [] } satisfies Record<string, Run[]>;
  const kept: Record<keyof typeof all, Run[]> = all;
  try {
    await measure(
      place,
      () => bash,
      (env) => [[main, 'once', 'go', '--yes'], env],
    );
    for (let n = 0; n < runs; n++) {
      commits.push(...bareCommits(join(place.dir, '..', `commits-${n}.db`)));
      kept.spawn.push(
        await measure(
          place,
          () => ({ text: 'ok' }),
          (env) => [[bare, env.XZ_BASE_URL ?? '', String(ROUNDS), 'spawn'], {}],
        ),
      );
      kept.bash.push(
        await measure(
          place,
          () => bash,
          (env) => [[main, 'once', 'go', '--yes'], env],
        ),
      );
      kept.alone.push(
        await measure(
          place,
          () => ({ text: 'ok' }),
          (env) => [[bare, env.XZ_BASE_URL ?? '', String(ROUNDS), 'alone'], {}],
        ),
      );
      kept.light.push(
        await measure(
          place,
          () => light,
          (env) => [[main, 'once', 'go', '--yes'], env],
        ),
      );
    }
  } finally {
    place.remove();
  }
  const times = (kind: keyof typeof all) => kept[kind].flatMap((run) => run.rounds);
  const own = median(times('light')) - median(times('alone'));
  return [
    {
      name: 'a round of one `bash true`, p50, against a bare spawn + a bare request',
      measured: median(times('bash')),
      unit: 'ms',
      yardstick: median(times('spawn')),
      goal: { at: 'most', value: 2, of: 'ratio' },
    },
    { name: 'the same, p95', measured: percentile(times('bash'), 0.95), unit: 'ms', yardstick: percentile(times('spawn'), 0.95) },
    {
      name: `xz once, peak memory over ${ROUNDS} such rounds`,
      measured: Math.max(...kept.bash.map((run) => run.peak)),
      unit: 'MB',
      goal: { at: 'most', value: 130 },
    },
    {
      name: "the harness's own time per model turn, p50 (a round of one list_todos less a bare request)",
      measured: own,
      unit: 'ms',
      yardstick: COMMITS * median(commits),
      note: 'the yardstick is one bare durable commit, which a round holds',
      goal: { at: 'most', value: 5 },
    },
  ];
}

/** Milliseconds of durable commits of one small row. */
function bareCommits(path: string): number[] {
  const database = openDatabase(path, []);
  database.write(() => database.connection.exec('create table bare (text text)'));
  const times = Array.from({ length: ROUNDS }, () => {
    const from = performance.now();
    database.write(() => database.sql('insert into bare values (?)').run('x'.repeat(500)));
    return performance.now() - from;
  });
  database.close();
  return times;
}

type Command = readonly [args: readonly string[], env: Readonly<Record<string, string>>];

async function measure(place: Place, reply: () => Reply, command: (env: Readonly<Record<string, string>>) => Command): Promise<Run> {
  const arrivals: number[] = [];
  let pid = 0;
  let peak = Number.NaN;
  const model = await startBenchModel((_body, at) => {
    arrivals.push(at);
    if (arrivals.length <= ROUNDS) return reply();
    peak = memoryOf(pid, 'VmHWM');
    return { text: 'done' };
  });
  try {
    const [args, env] = command(model.env);
    const started = startNode(place, args, { env });
    pid = started.pid;
    await started.ended;
  } finally {
    model.stop();
  }
  // The first round loads what a first call needs; it is one of the twenty, as in a real run.
  return { rounds: arrivals.slice(1).map((at, n) => at - (arrivals[n] ?? at)), peak };
}
