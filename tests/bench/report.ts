// How the figures are shown: lines for a terminal, or a table for a Markdown file that keeps the words around it.
import { type Row, ratioOf, reached } from './row.ts';

export interface Machine {
  readonly date: string;
  readonly node: string;
  readonly system: string;
  readonly processors: string;
  readonly memoryGb: number;
  readonly loadBefore: readonly number[];
  readonly size: 'full' | 'quick';
  /** The command line that makes this run again. */
  readonly command: string;
}

export interface Measured extends Row {
  readonly section: string;
}

const FROM = '<!-- figures: from here to the next mark, written by the command below -->';
const TO = '<!-- figures: end -->';

export function headOf(machine: Machine): string {
  const { date, node, system, processors, memoryGb, size, loadBefore } = machine;
  return `${date}  node ${node}  ${system}\n${processors}, ${memoryGb} GB  load ${loads(loadBefore)}  ${size} run\n\nmeasured · goal · ratio to the yardstick of the same run`;
}

export function lineOf(row: Row): string {
  const { name, note } = row;
  const parts = [
    markOf(row),
    measuredOf(row).padStart(14),
    goalOf(row).padStart(14),
    ratioText(row).padEnd(24),
    name + (note === undefined ? '' : ` — ${note}`),
  ];
  return `  ${parts.join('  ')}`;
}

/** What misses its goal, in lines. */
export function missedOf(rows: readonly Measured[]): string {
  const missed = rows.filter((row) => reached(row) === false);
  if (missed.length === 0) return 'every goal is reached\n';
  return `missed: ${missed.length}\n${missed.map((row) => `  ${row.section}: ${row.name}\n`).join('')}`;
}

/** The text of a Markdown file with this run between its two marks; a file without marks gets them at its end. */
export function withFigures(text: string, machine: Machine, rows: readonly Measured[], loadAfter: readonly number[]): string {
  const table = `${FROM}\n\n${markdownOf(machine, rows, loadAfter)}\n${TO}`;
  const from = text.indexOf(FROM);
  const to = text.indexOf(TO);
  if (from < 0 || to < from) return `${text === '' ? '# Figures\n' : text.trimEnd()}\n\n${table}\n`;
  return text.slice(0, from) + table + text.slice(to + TO.length);
}

function markdownOf(machine: Machine, rows: readonly Measured[], loadAfter: readonly number[]): string {
  const { date, node, system, processors, memoryGb, size, loadBefore, command } = machine;
  const cell = (text: string) => text.replaceAll('|', '\\|');
  const lines = rows.map((row) => {
    const cells = [markOf(row), row.section, row.name + (row.note === undefined ? '' : ` — ${row.note}`)];
    return `| ${[...cells, measuredOf(row), goalOf(row), ratioText(row)].map(cell).join(' | ')} |`;
  });
  const missed = rows.filter((row) => reached(row) === false);
  return [
    '```sh',
    command,
    '```',
    '',
    `${date} · node ${node} · ${system} · ${processors}, ${memoryGb} GB · load ${loads(loadBefore)} before, ${loads(loadAfter)} after · ${size} run`,
    '',
    '|   | section | what | measured | goal | ratio to its yardstick |',
    '| - | ------- | ---- | -------: | ---: | --------------------- |',
    ...lines,
    '',
    missed.length === 0 ? 'Every goal is reached.' : `Missed: ${missed.map((row) => `${row.section}: ${row.name}`).join('; ')}.`,
    '',
  ].join('\n');
}

export const loads = (values: readonly number[]): string => values.map((value) => value.toFixed(1)).join(' ');

function markOf(row: Row): string {
  const verdict = reached(row);
  return verdict === undefined ? ' ' : verdict ? '✓' : '✗';
}

function measuredOf({ measured, unit }: Row): string {
  return `${number(measured)} ${unit}`.trimEnd();
}

function goalOf({ goal, unit }: Row): string {
  if (goal === undefined) return '';
  return `${goal.at === 'most' ? '<=' : '>='} ${number(goal.value)} ${goal.of === 'ratio' ? 'x' : unit}`.trimEnd();
}

function ratioText(row: Row): string {
  const ratio = ratioOf(row);
  return ratio === undefined ? '' : `${ratio.toFixed(2)} x of ${number(row.yardstick ?? 0)} ${row.unit}`;
}

function number(value: number): string {
  if (Number.isNaN(value)) return '–';
  if (Number.isInteger(value) && Math.abs(value) < 100) return String(value);
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value >= 10 ? 1 : 2);
}
