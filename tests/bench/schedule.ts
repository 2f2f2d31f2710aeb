// What the daemon costs while nothing is due, and how fast the schedule's own decisions are. Run by `npm run bench`,
// against the built program; no figure here is a test.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextRunOf } from '../../store/schedule/rule.ts';
import { parseWhen } from '../../store/schedule/when.ts';

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The value to stay below. */
  readonly limit: number;
}

const SETTLE_MS = 3_000;
/** Linux counts processor time in hundredths of a second (`getconf CLK_TCK`). */
const TICKS_PER_SECOND = 100;

/** Measures; `seconds` is how long the idle daemon is watched. */
export async function benchSchedule(main: string, seconds = 20): Promise<readonly Figure[]> {
  return [...(await idleDaemon(main, seconds)), ...decisions()];
}

async function idleDaemon(main: string, seconds: number): Promise<readonly Figure[]> {
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'xz-bench-'));
  const env = { PATH: process.env.PATH, HOME: base, XZ_HOME: join(base, '.xz'), TZ: 'UTC', LANG: 'C.UTF-8' };
  for (const when of ['09:00', 'mon-fri 18:00', 'in 30 days', 'every 12 hours', '0 9 29 2 *'])
    spawnSync(process.execPath, [main, 'schedule', 'add', `job ${when}`, when], { cwd: base, env, stdio: 'ignore' });
  const daemon = spawn(process.execPath, [main, '--daemon', '--all'], { cwd: base, env, stdio: 'ignore' });
  try {
    const pid = daemon.pid ?? 0;
    await pause(SETTLE_MS);
    const before = processorSeconds(pid);
    await pause(seconds * 1_000);
    const share = ((processorSeconds(pid) - before) / seconds) * 100;
    return [
      { name: 'idle daemon: processor', value: share, unit: '% of a core', limit: 1 },
      { name: 'idle daemon: memory', value: residentMegabytes(pid), unit: 'MB', limit: 80 },
    ];
  } finally {
    daemon.kill('SIGTERM');
    await new Promise((resolve) => daemon.once('exit', resolve));
    rmSync(base, { recursive: true, force: true });
  }
}

function decisions(): readonly Figure[] {
  const now = Date.UTC(2026, 2, 3, 9);
  const zoned = { now, timeZone: 'America/New_York' };
  const never = timed(20, () => {
    try {
      parseWhen('0 0 31 2,4,6,9,11 *', zoned);
    } catch {
      // It is refused: that is what is measured.
    }
  });
  const next = nextRunOf({ kind: 'cron', expression: '30 2 * * mon-fri' }, 'America/New_York');
  return [
    { name: 'a phrase read', value: timed(200, () => parseWhen('tomorrow at 3pm', zoned)), unit: 'ms', limit: 2 },
    { name: 'a date that never comes refused', value: never, unit: 'ms', limit: 100 },
    { name: 'a next run', value: timed(1_000, () => next(now)), unit: 'ms', limit: 1 },
  ];
}

function timed(times: number, fn: () => unknown): number {
  fn();
  const start = performance.now();
  for (let n = 0; n < times; n++) fn();
  return (performance.now() - start) / times;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Fields utime and stime of proc(5), counted after the last bracket since the name may hold anything. */
function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
