// A table that always fits: columns shrink in turn and their cells wrap; where even that is too narrow, rows become lists.
import { clipLine, type Line, lineWidth, type Span, span, wrapLine } from '../spans.ts';

export interface Table {
  readonly header: readonly Line[];
  readonly rows: ReadonlyArray<readonly Line[]>;
  readonly align: ReadonlyArray<'left' | 'center' | 'right' | null>;
}

const GAP = 2;
const NARROWEST = 4;
const MOST_ROWS = 500;

/** Lines of the table, none wider than `width`; of a very long one the first rows, and how many more there are. */
export function tableLines(table: Table, width: number): Line[] {
  const over = table.rows.length - MOST_ROWS;
  const lines = rowsOf({ ...table, rows: table.rows.slice(0, MOST_ROWS) }, width);
  return over > 0 ? [...lines, clipLine([span(`… +${over}`, 'dim')], width)] : lines;
}

function rowsOf(table: Table, width: number): Line[] {
  const columns = table.header.length;
  const room = width - GAP * (columns - 1);
  if (columns === 0) return [];
  if (room < columns * NARROWEST) return asList(table, width);
  const { rows } = table;
  const natural = table.header.map((cell, index) => Math.max(1, lineWidth(cell), ...rows.map((row) => lineWidth(row[index] ?? []))));
  const widths = shrunk(natural, room);
  const header = table.header.map((cell) =>
    cell.map((part): Span => ({ ...part, bold: true, style: part.style === 'text' ? 'accent' : part.style })),
  );
  const rule: Line = [span(widths.map((wide) => '─'.repeat(wide)).join('  '), 'border')];
  return [...rowLines(header, widths, table.align), rule, ...rows.flatMap((row) => rowLines(row, widths, table.align))];
}

/** Widths that sum to at most `room`: the widest column gives first. */
function shrunk(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  let over = widths.reduce((sum, wide) => sum + wide, 0) - room;
  while (over > 0) {
    const widest = Math.max(...widths);
    const index = widths.indexOf(widest);
    const second = Math.max(NARROWEST, ...widths.filter((_, other) => other !== index));
    const by = Math.min(over, Math.max(1, widest - second));
    widths[index] = widest - by;
    over -= by;
  }
  return widths;
}

function rowLines(row: readonly Line[], widths: readonly number[], align: Table['align']): Line[] {
  const cells = widths.map((wide, index) => wrapLine(row[index] ?? [], wide));
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    widths.flatMap((wide, index): Span[] => {
      const line = cells[index]?.[at] ?? [];
      const free = Math.max(0, wide - lineWidth(line));
      const left = align[index] === 'right' ? free : align[index] === 'center' ? Math.floor(free / 2) : 0;
      const right = index === widths.length - 1 ? 0 : free - left + GAP;
      return [...(left > 0 ? [span(' '.repeat(left))] : []), ...line, ...(right > 0 ? [span(' '.repeat(right))] : [])];
    }),
  );
}

function asList(table: Table, width: number): Line[] {
  return table.rows.flatMap((row, index) => {
    const lines = row.flatMap((cell, column) => {
      const name = table.header[column] ?? [];
      return wrapLine([...name.map((part): Span => ({ ...part, style: 'dim' })), span(': ', 'dim'), ...cell], width);
    });
    return index === 0 ? lines : [[], ...lines];
  });
}
