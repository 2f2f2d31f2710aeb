// The full screen from its start until a typed letter stands in it, and what it costs while nothing happens: the built
// program in a terminal of `script` (util-linux). Without that program the rows have no figure.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { makePlace, type Place, runNode } from './place.ts';
import { median, type Row } from './row.ts';

const IDLE_MS = 3_000;
const TICK_MS = 10;

export async function benchScreenStart(main: string, turns: number): Promise<readonly Row[]> {
  const usable = { name: 'screen: start until a typed letter is shown, against a bare start', unit: 'ms' };
  const idle = { name: 'screen: CPU while idle', unit: '%', goal: { at: 'most' as const, value: 1 } };
  if (spawnSync('script', ['--version']).status !== 0)
    return [usable, idle].map((row) => ({ ...row, measured: Number.NaN, note: 'no script(1)' }));
  const place = makePlace();
  try {
    // The first start makes files that later ones find.
    await started(place, main, 0);
    const bare: number[] = [];
    const times: number[] = [];
    for (let n = 0; n < turns; n++) {
      bare.push(await runNode(place, ['-e', '0']));
      times.push((await started(place, main, 0)).usableMs);
    }
    const { busyMs } = await started(place, main, IDLE_MS);
    return [
      { ...usable, measured: median(times), yardstick: median(bare), goal: { at: 'most', value: 500 } },
      { ...idle, measured: (busyMs / IDLE_MS) * 100 },
    ];
  } finally {
    place.remove();
  }
}

/** Starts the screen, types a letter when the first frame stands, waits for it, and `idleMs` more before the end. */
async function started(place: Place, main: string, idleMs: number): Promise<{ readonly usableMs: number; readonly busyMs: number }> {
  const at = performance.now();
  const model = { XZ_PROVIDER: 'custom', XZ_BASE_URL: 'http://127.0.0.1:9', XZ_API_KEY: 'bench', XZ_MODEL: 'bench' };
  const child = spawn('script', ['-qfec', `stty rows 36 cols 120; exec '${process.execPath}' '${main}'`, '/dev/null'], {
    cwd: place.dir,
    env: { ...place.env, ...model, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  let seen = '';
  let typed = false;
  const usableMs = await new Promise<number>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (typed && text.includes('Q')) resolve(performance.now() - at);
      seen = typed ? '' : seen + text;
      if (typed || !seen.includes('STATUS')) return;
      typed = true;
      child.stdin.write('Q');
    });
    void ended.then(() => resolve(Number.NaN));
  });
  const pid = childOf(child.pid ?? 0);
  // What is still loaded behind the first frame is not the idle state.
  if (idleMs > 0) await new Promise((resolve) => setTimeout(resolve, 3_000));
  const before = busyOf(pid);
  if (idleMs > 0) await new Promise((resolve) => setTimeout(resolve, idleMs));
  const busyMs = busyOf(pid) - before;
  if (pid > 0) process.kill(pid, 'SIGTERM');
  await ended;
  return { usableMs, busyMs };
}

function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0] || 0);
}

/** CPU time that the process has used, ms. */
function busyOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
