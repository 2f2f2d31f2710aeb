// What the tools cost: a search over 20,000 files beside `rg` or `grep -r`, the frame around a call, the start of a
// command, and the memory of `xz once` while a command prints 500 MB. Run by `npm run bench`; no figure is a test.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRipgrep } from '../../workers/agent/search/ripgrep-engine.ts';
import { toolBench } from '../helpers/tools.ts';
import { makePlace, memoryOf, startBenchModel, startNode } from './place.ts';

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The value to stay below, where there is one. */
  readonly limit?: number;
}

const FILES = 20_000;
const REPEATS = 5;
const FLOOD = 'head -c 500M /dev/zero | tr "\\0" x';

/** Measures; the folder is made and removed. */
export async function benchTools(main: string): Promise<readonly Figure[]> {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'xz-bench-'));
  try {
    return [...(await search(root)), ...(await calls(root)), ...(await flood(main))];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function search(root: string): Promise<readonly Figure[]> {
  const tree = join(root, 'tree');
  for (let at = 0; at < FILES; at++) {
    const folder = join(tree, `p${at % 200}`, `q${at % 7}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `f${at}.ts`),
      `export const value${at} = ${at};\n`.repeat(60) + (at % 997 === 0 ? 'const NEEDLE = 1;\n' : ''),
    );
  }
  const path = process.env.PATH;
  const rg = findRipgrep(path);
  const program = rg === undefined ? ['grep', '-rn', 'NEEDLE', '.'] : [rg, '-n', 'NEEDLE', '.'];
  const beside = await median(async () => void spawnSync(program[0] ?? '', program.slice(1), { cwd: tree }));
  const figures: Figure[] = [{ name: `${rg === undefined ? 'grep -rn' : 'rg -n'} over ${FILES} files`, value: beside, unit: 'ms' }];
  for (const [name, rgPath] of [
    ['without ripgrep', undefined],
    ['with ripgrep', path],
  ] as const) {
    if (rgPath !== undefined && rg === undefined) continue;
    const bench = toolBench({ root: tree, ...(rgPath === undefined ? {} : { rgPath }) });
    figures.push({ name: `grep tool ${name}`, value: await median(() => bench.call('grep', { pattern: 'NEEDLE' })), unit: 'ms' });
  }
  return figures;
}

async function calls(root: string): Promise<readonly Figure[]> {
  const bench = toolBench({ root });
  const inFrame = await median(() => bench.call('list_todos'), 50);
  const command = await median(() => bench.call('bash', { command: 'true' }));
  return [
    { name: 'a call through the frame', value: inFrame, unit: 'ms', limit: 5 },
    { name: 'bash(true), start to result', value: command, unit: 'ms' },
  ];
}

async function flood(main: string): Promise<readonly Figure[]> {
  const place = makePlace();
  const arrivals: number[] = [];
  let pid = 0;
  let peak = Number.NaN;
  const model = await startBenchModel((_body, at) => {
    if (arrivals.push(at) === 1) return { calls: [{ name: 'bash', args: { command: FLOOD, timeout: 600 } }] };
    peak = memoryOf(pid, 'VmHWM');
    return { text: 'done' };
  });
  try {
    const started = startNode(place, [main, 'once', 'go', '--yes'], { env: model.env });
    pid = started.pid;
    await started.ended;
  } finally {
    model.stop();
    place.remove();
  }
  const [asked = 0, answered = Number.NaN] = arrivals;
  return [
    { name: 'xz once, peak memory while a command prints 500 MB', value: peak, unit: 'MB', limit: 200 },
    { name: 'time for it', value: (answered - asked) / 1_000, unit: 's' },
  ];
}

async function median(run: () => Promise<unknown>, times = REPEATS): Promise<number> {
  const measured: number[] = [];
  for (let at = 0; at < times; at++) {
    const started = performance.now();
    await run();
    measured.push(performance.now() - started);
  }
  return measured.sort((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
}
