// The task graph at ten thousand tasks: in a running process, as a cold command, and what one change costs beside the
// bare durable write in the same run. Run by `npm run bench`, against the built program; no figure here is a test.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../store/clock.ts';
import { writeFileAtomic } from '../../store/files.ts';
import { openLocks } from '../../store/lock.ts';
import { openTasks } from '../../store/tasks/tasks.ts';
import { testLayout } from '../helpers/layout.ts';

export interface TaskRow {
  readonly name: string;
  readonly measured: number;
  /** The value to stay below; absent where the figure only informs. */
  readonly goal?: number;
  readonly unit: string;
}

const ROUNDS = 40;

/** Measures; `main` is the built `dist/main.js`. */
export async function benchTasks(main: string, count = 10_000): Promise<readonly TaskRow[]> {
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'xz-bench-'));
  const root = join(base, 'ws');
  const home = join(base, 'home');
  try {
    writeGraph(root, count);
    return [...(await running(root, home, count)), ...cold(main, root, home, count)];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** A third completed, the rest waiting for one or two earlier ones. */
function writeGraph(root: string, count: number): void {
  const folder = join(root, '.TASK');
  mkdirSync(folder, { recursive: true });
  for (let i = 0; i < count; i++) {
    const task = {
      id: `task-${i}`,
      title: `task number ${i}`,
      description: 'What is to be done, where, and how to tell that it is done. '.repeat(3),
      state: i % 3 === 0 ? 'completed' : 'pending',
      priority: 'normal',
      blockedBy: i < 10 ? [] : [...new Set([`task-${i - 1 - (i % 7)}`, `task-${Math.floor(i / 2)}`])],
      attempts: 0,
      failures: [],
      createdAt: '2026-03-03T09:00:00.000+08:00',
      updatedAt: '2026-03-03T09:00:00.000+08:00',
    };
    writeFileSync(join(folder, `task-${i}.json`), JSON.stringify(task, null, 2));
  }
}

async function running(root: string, home: string, count: number): Promise<TaskRow[]> {
  const layout = testLayout(root, home);
  const locks = openLocks(layout.locks, 'bench', systemClock);
  const tasks = openTasks({ layout, locks, clock: systemClock });
  const first = await timed(() => tasks.list());
  const ready = await series(() => tasks.list({ ready: true }));
  const list = await series(() => tasks.list({ all: true }));
  const bare = await series((i) => writeFileAtomic(join(root, `bare-${i}.json`), 'x'.repeat(600)));
  const create = await series((i) => tasks.create({ title: `new ${i}`, blockedBy: ['task-1'] }));
  const update = await series((i) => tasks.update(`new-${i}`, { priority: 'high' }));
  const after = await series(async (i) => {
    await tasks.update(`new-${i}`, { priority: 'low' });
    return tasks.list({ ready: true });
  });
  locks.close();
  const n = count.toLocaleString('en');
  return [
    { name: `first read of ${n} tasks`, measured: first, unit: 'ms' },
    { name: `ready set of ${n} tasks, running process, p95`, measured: percentile(ready, 0.95), goal: 30, unit: 'ms' },
    { name: `list of ${n} tasks, running process, p95`, measured: percentile(list, 0.95), goal: 30, unit: 'ms' },
    { name: `one change and the ready set of ${n} tasks after it, p50`, measured: percentile(after, 0.5), unit: 'ms' },
    { name: 'create, durable, p50', measured: percentile(create, 0.5), unit: 'ms' },
    { name: 'update, durable, p50', measured: percentile(update, 0.5), unit: 'ms' },
    { name: 'update against the bare durable write', measured: percentile(update, 0.5) / percentile(bare, 0.5), unit: 'x' },
  ];
}

function cold(main: string, root: string, home: string, count: number): TaskRow[] {
  const env = { PATH: process.env.PATH, HOME: home, XZ_HOME: join(home, '.xz'), LANG: 'C.UTF-8' };
  const run = (args: readonly string[]) => {
    const from = performance.now();
    spawnSync(process.execPath, [main, 'task', ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1e8 });
    return performance.now() - from;
  };
  const times = (args: readonly string[]) => Array.from({ length: 7 }, () => run(args));
  const n = count.toLocaleString('en');
  return [
    { name: `xz task list --ready, ${n} tasks, cold, p50`, measured: percentile(times(['list', '--ready']), 0.5), goal: 500, unit: 'ms' },
    { name: `xz task list, ${n} tasks, cold, p50`, measured: percentile(times(['list']), 0.5), goal: 500, unit: 'ms' },
  ];
}

async function timed(run: () => unknown): Promise<number> {
  const from = performance.now();
  await run();
  return performance.now() - from;
}

async function series(run: (round: number) => unknown): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await timed(() => run(round)));
  return times;
}

function percentile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
