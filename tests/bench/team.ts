// The team: three teammates against one at the same work, how soon a new one asks its model, how soon a stuck one is
// gone, what a message between threads costs, and the memory of lead and teammates that wait.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { systemClock } from '../../store/clock.ts';
import { openDatabase } from '../../store/database/database.ts';
import { ensureStore, homeLayout, layoutOf } from '../../store/layout.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { openSessions } from '../../store/sessions/sessions.ts';
import { openPool } from '../../workers/pool.ts';
import type { Reply, ReplyCall } from '../helpers/model-reply.ts';
import type { SentBody } from '../helpers/model-server.ts';
import { makePlace, memoryOf, startBenchModel, startNode } from './place.ts';
import { median, type Row } from './row.ts';

const NAMES = ['ann', 'bob', 'cid'];

export interface TeamSizes {
  /** Milliseconds that each reply of a teammate takes. */
  readonly delayMs: number;
  /** Replies a task. */
  readonly replies: number;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function benchTeam(main: string, { delayMs, replies }: TeamSizes): Promise<readonly Row[]> {
  const three = await run(main, NAMES, delayMs, replies);
  const one = await run(main, ['ann'], delayMs, replies);
  return [
    {
      name: `three tasks of ${replies} replies, ${delayMs} ms each: one teammate against three`,
      measured: one.span,
      unit: 'ms',
      yardstick: three.span,
      goal: { at: 'least', value: 2.8, of: 'ratio' },
      note: 'from the call that spawns them until the lead has all results; each in a worktree',
    },
    { name: 'spawn until its first request, worktree included', measured: one.first, unit: 'ms' },
    { name: 'the same, the last of three', measured: three.last, unit: 'ms' },
    ...(await threadRows(join(main, '..', 'teammate.js'))),
    await stuckRow(main),
    ...(await memoryRows(main)),
  ];
}

const said = (body: SentBody): string => JSON.stringify(body.messages);
const isLead = (body: SentBody): boolean => JSON.stringify(body.tools ?? []).includes('"create_task"');
const call = (name: string, args: Record<string, unknown>): ReplyCall => ({ name, args });

interface TeamRun {
  readonly span: number;
  /** From the spawn until the first and until the last teammate has sent its first request. */
  readonly first: number;
  readonly last: number;
}

/** Three tasks, done by those who are there. */
async function run(main: string, team: readonly string[], delayMs: number, replies: number): Promise<TeamRun> {
  const place = makePlace();
  const asked = new Map<string, number>();
  const starts: number[] = [];
  let stage = 0;
  let from = 0;
  let until = 0;
  const teammate = (body: SentBody, at: number): Reply => {
    const text = said(body);
    const who = team.length === 1 ? 'ann' : (NAMES.find((name) => text.includes(`part-${name}`)) ?? 'nobody');
    const count = asked.get(who) ?? 0;
    if (count === 0) starts.push(at - from);
    asked.set(who, count + 1);
    if ((count + 1) % replies === 0) return { delayMs, text: `finished ${who} ${Math.floor(count / replies)}.` };
    return { delayMs, calls: [call('bash', { command: 'true' })] };
  };
  const wanted = team.length === 1 ? ['finished ann 0.', 'finished ann 1.', 'finished ann 2.'] : NAMES.map((name) => `finished ${name} 0.`);
  const lead = (body: SentBody, at: number): Reply => {
    stage++;
    if (stage === 1) return { calls: NAMES.map((name) => call('create_task', { title: `part-${name}`, description: `do part-${name}` })) };
    if (stage === 2) {
      from = at;
      const spawn = team.map((name) => call('spawn_teammate', { name, task: `part-${name}`, worktree: true }));
      const rest = team.length === 1 ? ['bob', 'cid'].map((name) => call('assign_task', { teammate: 'ann', task: `part-${name}` })) : [];
      return { calls: [...spawn, ...rest] };
    }
    const text = said(body);
    if (wanted.some((line) => !text.includes(line)) && stage < 40) return { calls: [call('collect_results', { wait_seconds: 30 })] };
    until ||= at;
    return { text: 'all done' };
  };
  const model = await startBenchModel((body, at) =>
    body.tools === undefined ? { text: 'Title' } : isLead(body) ? lead(body, at) : teammate(body, at),
  );
  try {
    await startNode(place, [main, 'once', 'three parts', '--team', '--yes'], { env: model.env }).ended;
  } finally {
    model.stop();
    place.remove();
  }
  return { span: until - from, first: Math.min(...starts), last: Math.max(...starts) };
}

/** A real thread of the built program, without a lead around it. */
async function threadRows(entry: string): Promise<readonly Row[]> {
  const place = makePlace();
  const layout = layoutOf(place.dir, homeLayout(place.env));
  ensureStore(layout, 'agents');
  const database = openDatabase(layout.database, storeSchemas);
  const session = openSessions(database, systemClock).create({ kind: 'teammate', agent: 'ann', title: 'bench' });
  const pool = openPool(1, pathToFileURL(entry), {
    ...place.env,
    XZ_PROVIDER: 'custom',
    XZ_MODEL: 'm',
    XZ_BASE_URL: 'http://127.0.0.1:9/v1',
    XZ_API_KEY: 'k',
  });
  try {
    const from = performance.now();
    const thread = pool.start(
      {
        name: 'ann',
        role: '',
        session: session.id,
        parent: session.id,
        epoch: 'e',
        leadEpoch: 'e',
        workspace: place.dir,
        root: place.dir,
        place: '',
        mode: 'yolo',
        flags: {},
        allow: [],
        trusted: true,
        processName: 'pbench',
        version: '0',
        language: 'en',
      },
      {
        ready: () => undefined,
        event: () => undefined,
        status: () => undefined,
        ask: async () => ({ verdict: 'allow' }),
        withdraw: () => undefined,
        mailed: () => undefined,
        outOfBudget: () => false,
      },
    );
    await thread.ready;
    const ready = performance.now() - from;
    const trips: number[] = [];
    for (let n = 0; n < 300; n++) {
      const sent = performance.now();
      await thread.api.wake();
      trips.push(performance.now() - sent);
    }
    await thread.api.stop();
    await thread.done;
    return [
      { name: 'a thread started until it is ready', measured: ready, unit: 'ms' },
      { name: 'comlink round trip to a teammate, p50', measured: median(trips), unit: 'ms' },
    ];
  } finally {
    await pool.close();
    database.close();
    place.remove();
  }
}

/** A teammate in a command that ignores every signal it can; the run is interrupted. */
async function stuckRow(main: string): Promise<Row> {
  const place = makePlace();
  let stage = 0;
  let isStuck = () => {};
  const stuck = new Promise<void>((resolve) => {
    isStuck = resolve;
  });
  const model = await startBenchModel((body) => {
    if (body.tools === undefined) return { text: 'Title' };
    if (!isLead(body)) {
      isStuck();
      return { calls: [call('bash', { command: "trap '' INT TERM HUP; while :; do sleep 1; done", timeout: 600 })] };
    }
    if (stage++ === 0) return { calls: [call('spawn_teammate', { name: 'ann', task: 'never ends' })] };
    return { calls: [call('collect_results', { wait_seconds: 300 })] };
  });
  try {
    const xz = startNode(place, [main, 'once', 'go', '--team', '--yes'], { env: model.env, mayFail: true });
    await stuck;
    await pause(1_000);
    const from = performance.now();
    xz.signal('SIGINT');
    await xz.ended;
    return {
      name: 'interrupt of a run with a stuck teammate until the process is gone',
      measured: performance.now() - from,
      unit: 'ms',
      goal: { at: 'most', value: 3_000 },
    };
  } finally {
    model.stop();
    place.remove();
  }
}

/** RSS of a REPL that waits: alone, and with three teammates that wait too. */
async function memoryRows(main: string): Promise<readonly Row[]> {
  const place = makePlace();
  let spawned = false;
  const model = await startBenchModel((body) => {
    if (body.tools === undefined || !said(body).includes('make a team') || spawned) return { text: 'ok' };
    spawned = true;
    return { calls: NAMES.map((name) => call('spawn_teammate', { name, worktree: false })) };
  });
  try {
    const xz = startNode(place, [main, '--repl', '--mode', 'yolo'], { env: model.env, stdin: true, mayFail: true });
    xz.write('hello\n');
    await pause(4_000);
    const alone = memoryOf(xz.pid, 'VmRSS');
    xz.write('/team on\nmake a team\n');
    await pause(8_000);
    const together = memoryOf(xz.pid, 'VmRSS');
    xz.write('/exit\n');
    await xz.ended;
    return [
      { name: 'memory: lead idle', measured: alone, unit: 'MB', goal: { at: 'most', value: 120 } },
      {
        name: 'memory: lead + 3 idle teammates',
        measured: spawned ? together : Number.NaN,
        unit: 'MB',
        goal: { at: 'most', value: 180 },
      },
    ];
  } finally {
    model.stop();
    place.remove();
  }
}
