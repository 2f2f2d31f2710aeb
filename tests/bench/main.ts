// `npm run bench`: measures what DESIGN names, section by section, and prints it as one table or as JSON. Nothing here
// is a test: figures depend on the machine, so each that can stands beside a yardstick measured in the same run.
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildProgram } from '../helpers/program.ts';
import { benchFirstToken } from './first-token.ts';
import { benchMail } from './mail.ts';
import { benchMemory, fillMemory } from './memory.ts';
import { benchRace, killsRow } from './records.ts';
import { headOf, lineOf, loads, type Machine, type Measured, missedOf, withFigures } from './report.ts';
import { benchRounds } from './rounds.ts';
import { type Row, ratioOf, reached } from './row.ts';
import { benchSchedule } from './schedule.ts';
import { benchScreen } from './screen.ts';
import { benchScreenStart } from './screen-start.ts';
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
  mail: async (full) => benchMail(await buildProgram('mail-clock'), full ? 500 : 200),
  tasks: async () => (await benchTasks(MAIN)).map(({ name, measured, unit, goal }) => ({ name, measured, unit, ...atMost(goal) })),
  race: async (full) => [await benchRace(await buildProgram('claim-racer'), full ? 10_000 : 200)],
  search: async (full) => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'xz-bench-'));
    try {
      const rows = await measureSearch(folder, full ? undefined : { messages: 20_000, chunks: 2_000, queries: 100 });
      return rows.map(({ what, value, unit, atMost: most, yardstick }) => ({
        name: full ? what : `${what} (a fifth of the size)`,
        measured: value,
        unit,
        ...(yardstick !== undefined && { yardstick }),
        ...atMost(most),
      }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  memory: async (full) => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'xz-bench-'));
    try {
      const chunks = full ? 10_000 : 2_000;
      const recall = await benchMemory(folder, chunks);
      return [...recall, ...(await benchFirstToken({ main: MAIN, turns: full ? 16 : 8, chunks, fill: fillMemory }))];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  screen: async (full) => [
    ...(await benchScreenStart(MAIN, full ? 15 : 7)),
    ...(await benchScreen(full ? 20 : 5)).map(({ name, value, unit, limit }) => ({ name, measured: value, unit, ...atMost(limit) })),
  ],
  tools: async () => (await benchTools(MAIN)).map(({ name, value, unit, limit }) => ({ name, measured: value, unit, ...atMost(limit) })),
  schedule: async (full) =>
    (await benchSchedule(MAIN, full ? 20 : 5)).map(({ name, value, unit, limit }) => ({ name, measured: value, unit, ...atMost(limit) })),
  kills: async () => [killsRow(ROOT)],
};

const USAGE = `usage: npm run bench [-- --full] [--json] [--markdown FILE] [--only NAME,…]
sections: ${Object.keys(SECTIONS).join(', ')}`;

interface Asked {
  readonly full: boolean;
  readonly json: boolean;
  readonly markdown: string | undefined;
  readonly only: readonly string[];
}

/** What the arguments ask for; undefined when they are wrong. */
function askedBy(args: readonly string[]): Asked | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        full: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        markdown: { type: 'string' },
        only: { type: 'string' },
      },
    });
    const only = values.only?.split(',') ?? Object.keys(SECTIONS);
    if (only.some((name) => SECTIONS[name] === undefined)) return undefined;
    return { full: values.full, json: values.json, markdown: values.markdown, only };
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

async function bench(args: readonly string[]): Promise<void> {
  const asked = askedBy(args);
  if (asked === undefined) {
    process.stderr.write(`${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  const { full, json, markdown, only } = asked;
  const machine: Machine = {
    date: new Date().toISOString(),
    node: process.version,
    system: `${process.platform} ${release()} ${process.arch}`,
    processors: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    loadBefore: loadavg(),
    size: full ? 'full' : 'quick',
    command: ['npm run bench', ...(args.length === 0 ? [] : ['--', ...args])].join(' '),
  };
  if (!json) process.stdout.write(`${headOf(machine)}\n`);
  const rows: Measured[] = [];
  for (const name of only) {
    const made = await measured(name, full);
    rows.push(...made.map((row) => ({ section: name, ...row })));
    if (!json) process.stdout.write(`\n${name}\n${made.map(lineOf).join('\n')}\n`);
  }
  const loadAfter = loadavg();
  if (markdown !== undefined) {
    const before = existsSync(markdown) ? readFileSync(markdown, 'utf8') : '';
    writeFileSync(markdown, withFigures(before, machine, rows, loadAfter));
  }
  if (json) {
    const items = rows.map((row) => ({ ...row, ratio: ratioOf(row) ?? null, reached: reached(row) ?? null }));
    process.stdout.write(`${JSON.stringify({ machine: { ...machine, loadAfter }, items }, null, 2)}\n`);
  } else process.stdout.write(`\nload afterwards ${loads(loadAfter)}\n${missedOf(rows)}`);
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

await bench(process.argv.slice(2));
