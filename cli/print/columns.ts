// Rows under a heading, aligned by what a terminal draws (a Han character is two columns wide). The last column is cut
// to the terminal's width; in a pipe nothing is cut.
import truncatedWidth from 'fast-string-truncated-width';
import { visibleText } from '../../workers/agent/tools/visible-text.ts';
import type { Printer } from './printer.ts';

/** One cell: its text, and half-open ranges of it to highlight on a terminal. */
export interface Cell {
  readonly text: string;
  readonly marks?: ReadonlyArray<readonly [start: number, end: number]>;
}

const MARK = ['\u001b[1;33m', '\u001b[0m'] as const;
const FAINT = ['\u001b[2m', '\u001b[0m'] as const;

/** Lines of a table, to be printed with `styled`; the first is the heading. */
export function columnLines(print: Printer, heading: readonly string[], given: ReadonlyArray<readonly Cell[]>): string[] {
  const rows = given.map((row) => row.map(visibleCell));
  const widths = heading.map((title, at) => Math.max(width(title), ...rows.map((row) => width(row[at]?.text ?? ''))));
  const head = heading.map((title, at) => (at === heading.length - 1 ? title : padded(title, widths[at] ?? 0))).join('  ');
  return [print.colour ? `${FAINT[0]}${head}${FAINT[1]}` : head, ...rows.map((row) => line(print, row, widths))];
}

/** One line of what can be seen. Where something was taken out the marks no longer fit. */
function visibleCell({ text, marks }: Cell): Cell {
  const visible = visibleText(text);
  const whole = visible.replace(/[\n\t]/g, ' ');
  return marks === undefined || visible !== text ? { text: whole } : { text: whole, marks };
}

function line(print: Printer, row: readonly Cell[], widths: readonly number[]): string {
  const before = widths.slice(0, -1).reduce((sum, next) => sum + next + 2, 0);
  return row
    .map((cell, at) => {
      if (at < row.length - 1) return padded(cell.text, widths[at] ?? 0);
      const cut = print.terminal ? shortened(cell.text, Math.max(20, print.columns - before)) : cell.text;
      return print.colour ? highlighted(cut, cell.marks ?? []) : cut;
    })
    .join('  ');
}

/** How many columns a terminal needs for the text. */
export function width(text: string): number {
  return truncatedWidth(text).width;
}

/** The text with blanks behind it up to `to` columns. */
export function padded(text: string, to: number): string {
  return text + ' '.repeat(Math.max(0, to - width(text)));
}

/** The start of the text that fits into `limit` columns, with `…` for what was cut. */
export function shortened(text: string, limit: number): string {
  const { index, ellipsed } = truncatedWidth(text, { limit, ellipsis: '…', ellipsisWidth: 1 });
  if (!ellipsed) return text;
  // The cut may fall in the middle of a wide character, which is then counted to the left.
  let cut = text.slice(0, index);
  while (width(cut) > limit - 1) cut = Array.from(cut).slice(0, -1).join('');
  return `${cut}…`;
}

function highlighted(text: string, marks: ReadonlyArray<readonly [number, number]>): string {
  let out = '';
  let at = 0;
  for (const [start, end] of marks) {
    if (start >= text.length) break;
    out += `${text.slice(at, start)}${MARK[0]}${text.slice(start, end)}${MARK[1]}`;
    at = Math.min(end, text.length);
  }
  return out + text.slice(at);
}
