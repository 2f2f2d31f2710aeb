// `npm run bench`: measures what DESIGN names, section by section, and prints it as one table or as JSON. Nothing here
// is a test: figures depend on the machine, so each that can stands beside a yardstick measured in the same run.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { buildProgram } from '../helpers/program.ts';
import { benchMail } from './mail.ts';
import { benchMemory } from './memory.ts';
import { benchRace, killsRow } from './records.ts';
import { benchRounds } from './rounds.ts';
import { type Row, ratioOf, reached } from './row.ts';
import { benchSchedule } from './schedule.ts';
import { benchScreen } from './screen.ts';
import { measureSearch } from './search.ts';
import { benchStart } from './start.ts';
import { benchTasks } from './tasks.ts';
import { benchTeam } from './team.ts';
import { benchTools } from './tools.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const MAIN = join(ROOT, 'dist', 'main.js');

type Section = (full: boolean) => Promise<readonly Row[]>;

const atMost = (value: number | undefined) =>
  value === undefined || !Number.isFinite(value) ? {} : { goal: { at: 'most' as const, value } };

const SECTIONS: Readonly<Record<string, Section>> = {
  start: (full) => benchStart(MAIN, full ? 25 : 11),
  rounds: (full) => benchRounds(MAIN, full ? 5 : 2),
  team: (full) => benchTeam(MAIN, { delayMs: 1_000, replies: full ? 15 : 10 }),
  mail: async (full) =>
    (await benchMail(await buildProgram('mail-clock'), full ? 500 : 200)).map(({ name, value, unit, limit }) =>
      unit === 'x'
        ? { name, measured: value, unit, goal: { at: 'least', value: limit } }
        : { name, measured: value, unit, ...atMost(limit) },
    ),
  tasks: async () => (await benchTasks(MAIN)).map(({ name, measured, unit, goal }) => ({ name, measured, unit, ...atMost(goal) })),
  race: async (full) => [await benchRace(await buildProgram('claim-racer'), full ? 10_000 : 200)],
  search: async (full) => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'xz-bench-'));
    try {
      const rows = await measureSearch(folder, full ? undefined : { messages: 20_000, chunks: 2_000, queries: 100 });
      return rows.map(({ what, value, unit, atMost: most }) => ({
        name: full ? what : `${what} (a fifth of the size)`,
        measured: value,
        unit,
        ...atMost(most),
      }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  memory: async (full) => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'xz-bench-'));
    try {
      return await benchMemory(folder, full ? 10_000 : 2_000);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  screen: async (full) =>
    (await benchScreen(full ? 20 : 5)).map(({ name, value, unit, limit }) => ({ name, measured: value, unit, ...atMost(limit) })),
  tools: async () => (await benchTools()).map(({ name, value, unit, limit }) => ({ name, measured: value, unit, ...atMost(limit) })),
  schedule: async (full) =>
    (await benchSchedule(MAIN, full ? 20 : 5)).map(({ name, value, unit, limit }) => ({ name, measured: value, unit, ...atMost(limit) })),
  kills: async () => [killsRow(ROOT)],
};

const USAGE = `usage: npm run bench [-- --full] [--json] [--only NAME,…]
sections: ${Object.keys(SECTIONS).join(', ')}`;

async function bench(args: readonly string[]): Promise<void> {
  const at = args.indexOf('--only');
  const only = at < 0 ? Object.keys(SECTIONS) : (args[at + 1] ?? '').split(',');
  const unknown = args.filter((arg, n) => !['--full', '--json', '--only'].includes(arg) && (at < 0 || n !== at + 1));
  if (unknown.length > 0 || only.some((name) => SECTIONS[name] === undefined)) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  const full = args.includes('--full');
  const json = args.includes('--json');
  const machine = {
    date: new Date().toISOString(),
    node: process.version,
    system: `${process.platform} ${release()} ${process.arch}`,
    processors: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    loadBefore: loadavg(),
    size: full ? 'full' : 'quick',
  };
  if (!json) process.stdout.write(`${headOf(machine)}\n`);
  const rows: Array<Row & { readonly section: string }> = [];
  for (const name of only) {
    const made = await measured(name, full);
    rows.push(...made.map((row) => ({ section: name, ...row })));
    if (!json) process.stdout.write(`\n${name}\n${made.map(lineOf).join('\n')}\n`);
  }
  if (json) {
    const items = rows.map((row) => ({ ...row, ratio: ratioOf(row) ?? null, reached: reached(row) ?? null }));
    process.stdout.write(`${JSON.stringify({ machine: { ...machine, loadAfter: loadavg() }, items }, null, 2)}\n`);
    return;
  }
  const missed = rows.filter((row) => reached(row) === false);
  process.stdout.write(
    `\nload afterwards ${loads(loadavg())}\n${missed.length === 0 ? 'every goal is reached' : `missed: ${missed.length}`}\n`,
  );
  for (const row of missed) process.stdout.write(`  ${row.section}: ${row.name}\n`);
}

/** A section that cannot be measured here is a row that says why: the rest of the table is still wanted. */
async function measured(name: string, full: boolean): Promise<readonly Row[]> {
  try {
    return (await SECTIONS[name]?.(full)) ?? [];
  } catch (error) {
    const note = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return [{ name: 'could not be measured', measured: Number.NaN, unit: '', ...(note !== undefined && { note }) }];
  }
}

const loads = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(' ');

function headOf(machine: Readonly<Record<string, unknown>> & { readonly loadBefore: readonly number[] }): string {
  const { date, node, system, processors, memoryGb, size, loadBefore } = machine;
  return `${date}  node ${node}  ${system}\n${processors}, ${memoryGb} GB  load ${loads(loadBefore)}  ${size} run\n\nmeasured · goal · ratio to the yardstick of the same run`;
}

function lineOf(row: Row): string {
  const { name, measured, unit, yardstick, goal, note } = row;
  const ratio = ratioOf(row);
  const sign = goal?.at === 'most' ? '<=' : '>=';
  const target = goal === undefined ? '' : `${sign} ${number(goal.value)} ${goal.of === 'ratio' ? 'x' : unit}`;
  const verdict = reached(row);
  const parts = [
    verdict === undefined ? ' ' : verdict ? '✓' : '✗',
    `${number(measured)} ${unit}`.padStart(14),
    target.padStart(14),
    (ratio === undefined ? '' : `${ratio.toFixed(2)} x of ${number(yardstick ?? 0)} ${unit}`).padEnd(24),
    name + (note === undefined ? '' : ` — ${note}`),
  ];
  return `  ${parts.join('  ')}`;
}

function number(value: number): string {
  if (Number.isNaN(value)) return '–';
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value >= 10 ? 1 : 2);
}

await bench(process.argv.slice(2));
