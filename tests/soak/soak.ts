// A long run of the built program in a real terminal: three teammates at work round after round, a schedule that wakes the
// lead, searches from inside and outside, and a window that changes its size; sampled after each round, and looked at
// when it has ended. Used by `npm run soak` for an hour and by a test for half a minute.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isTempName } from '../../store/temp-files.ts';
import { processesOf } from '../crash/left.ts';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { buildProgram } from '../helpers/program.ts';
import { MAIN } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { startTmux, type Tmux } from '../helpers/tmux.ts';
import { until } from '../helpers/until.ts';
import { lastWordsOf, promptOf, soakModel } from './model.ts';
import { createSampler, type Detail, type Sample } from './sample.ts';

export interface SoakOptions {
  /** How long rounds are begun. */
  readonly minutes: number;
  readonly onSample?: (sample: Sample) => void;
  /** Ends it after the round that is being played. */
  readonly signal?: AbortSignal;
}

export interface Soaked {
  readonly samples: readonly Sample[];
  readonly first: Detail;
  readonly last: Detail;
  readonly wakeUps: number;
  readonly searches: number;
  readonly resizes: number;
  /** What is left after the program has ended, in words; empty when nothing is. */
  readonly left: readonly string[];
}

/** Widths and heights the window takes in turn; the smallest is below what the panels need. */
const SIZES = [
  [120, 36],
  [80, 24],
  [200, 60],
  [44, 12],
  [132, 43],
] as const;
/** A conversation is summarised when it has grown to its bound: a small one, so that this happens again and again. */
const CONTEXT_TOKENS = 24_000;
const THREADS = 4;

const run = promisify(execFile);

/** Plays rounds until the time is over. Throws when the program does not do its work. */
export async function soak({ minutes, onSample, signal }: SoakOptions): Promise<Soaked> {
  const model = soakModel();
  const server = await startModelServer((body) => model.respond(body));
  const ws = workspace();
  const exchange = join(ws.home, 'soak');
  mkdirSync(exchange);
  const env = { ...ws.env, ...modelEnv(server), XZ_MEMORY_ENABLED: 'true', TMPDIR: join(ws.home, 'tmp') };
  const xz = (...args: string[]) => run(process.execPath, [MAIN, ...args], { cwd: ws.dir, env });
  await xz('schedule', 'add', 'look around', 'every 15 seconds');
  const sampling = await buildProgram('soak-sampler');
  const command = `(echo $BASHPID > '${ws.home}/pid'; exec node --import '${sampling}' '${MAIN}' --team --mode yolo) 2> '${ws.home}/err'; echo "exit=$?"; exec bash --norc`;
  const terminal = startTmux(command, { cwd: ws.dir, env: { ...env, XZ_SOAK: exchange, TERM: 'screen-256color' } });
  try {
    await terminal.shows(/STATUS/);
    const pid = Number(readFileSync(join(ws.home, 'pid'), 'utf8'));
    const sampler = createSampler(pid, exchange);
    const samples: Sample[] = [];
    let first: Detail | undefined;
    let last: Detail | undefined;
    const end = Date.now() + minutes * 60_000;
    const counts = { searches: 0, resizes: 0 };
    for (let round = 1; round === 1 || (Date.now() < end && signal?.aborted !== true); round++) {
      await playRound(terminal, round, counts, xz);
      await until(() => model.rounds() === round && server.inFlight() === 0, `round ${round}: ${terminal.screen()}`, 120_000);
      const { sample, detail } = await sampler.take(round, THREADS);
      first ??= detail;
      last = detail;
      samples.push(sample);
      onSample?.(sample);
      // Every request is kept for tests; here they would only fill this process.
      server.requests.length = 0;
    }
    const left = await leave(terminal, ws);
    const none: Detail = { descriptors: {}, resources: {}, warnings: [] };
    return { samples, first: first ?? none, last: last ?? none, wakeUps: model.wakeUps(), ...counts, left };
  } finally {
    terminal.close();
    await server.stop();
  }
}

function workspace(): Workspace {
  const ws = tempWorkspace({
    files: { 'README.md': '# soak\n', '.MEMORY/work.md': '## 部署\n\n- 部署前先跑测试\n\n## round\n\n- a round has three tasks\n' },
  });
  mkdirSync(join(ws.home, 'tmp'));
  mkdirSync(join(ws.home, '.xz'));
  ws.write('../home/.xz/config.toml', `[context]\nmax_tokens = ${CONTEXT_TOKENS}\n`);
  return ws;
}

interface Counts {
  searches: number;
  resizes: number;
}

/** Asks for a round, and meanwhile changes the window, scrolls, opens views and searches from another process. */
async function playRound(
  terminal: Tmux,
  round: number,
  counts: Counts,
  xz: (...args: string[]) => Promise<{ stdout: string }>,
): Promise<void> {
  terminal.type(promptOf(round));
  terminal.keys('Enter');
  for (const [columns, rows] of SIZES) {
    terminal.resize(columns, rows);
    counts.resizes++;
    await until(() => terminal.ask('#{pane_width} #{pane_height}') === `${columns} ${rows}`);
    terminal.keys('PPage', 'NPage');
  }
  terminal.resize(120, 36);
  const searches = [
    ['history', 'search', `round ${round - 1}`],
    ['memory', 'search', '部署', '--semantic'],
  ];
  for (const search of searches) {
    await xz(...search, '--json');
    counts.searches++;
  }
  await until(
    () => terminal.screen().includes(lastWordsOf(round)) && !terminal.screen().includes('RUNNING'),
    `the end of round ${round}`,
    120_000,
  );
}

/** Leaves the program and says what it has not taken with it. */
async function leave(terminal: Tmux, ws: Workspace): Promise<readonly string[]> {
  terminal.type('/exit');
  terminal.keys('Enter');
  await terminal.shows(/exit=\d+/);
  const left: string[] = [];
  if (!terminal.screen().includes('exit=0')) left.push(`it ended with ${/exit=\d+/.exec(terminal.screen())?.[0]}`);
  const own = () => processesOf(ws).filter((line) => !/bash --norc|tmux/.test(line));
  await until(() => own().length === 0, 'processes to end', 10_000).catch(() => left.push(...own()));
  for (const folder of [ws.dir, join(ws.home, '.xz'), join(ws.home, 'tmp')])
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const inGit = path.startsWith(ws.path('.git/'));
      if (isTempName(entry.name) || (inGit && entry.name.endsWith('.lock')) || folder.endsWith('/tmp')) left.push(`file ${path}`);
      if (/locks\/process-/.test(path)) left.push(`lock ${path}`);
      if (/\.Mailbox\/\w+\/(tmp|new|cur|dead)\/./.test(path)) left.push(`mail ${path}`);
    }
  for (const tree of ws.git('worktree', 'list').trim().split('\n').slice(1)) left.push(`worktree ${tree}`);
  const branches = ws.git('branch', '--list', 'xz/*').trim();
  if (branches !== '') left.push(`branches ${branches}`);
  const errors = readFileSync(join(ws.home, 'err'), 'utf8').trim();
  if (errors !== '') left.push(`on stderr: ${errors}`);
  return left;
}
