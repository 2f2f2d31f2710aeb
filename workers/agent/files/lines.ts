// Lines of a file with their numbers, within a budget of bytes. Pure; what is left out is said.

import { beginningOf } from '../beginning.ts';

interface Excerpt {
  readonly text: string;
  /** 1-based, inclusive; 0 when nothing fits. */
  readonly lastLine: number;
}

/** A longer line is cut when shown. */
const LONGEST_LINE = 2_000;

/** The lines of a text; a final line break ends the last line. Only a file without any `\n` is split at lone returns. */
export function linesOf(text: string): string[] {
  const lines = text.includes('\n') ? text.split('\n') : text.split(/\r\n?/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** Lines `from` to `to` (1-based, inclusive) with numbers, until `budget` bytes are used. */
export function numberLines(lines: readonly string[], from: number, to: number, budget: number): Excerpt {
  let used = 0;
  let last = 0;
  const out: string[] = [];
  for (let number = from; number <= Math.min(to, lines.length); number++) {
    const shown = `${number}\t${shortLine(lines[number - 1] ?? '')}`;
    used += Buffer.byteLength(shown) + 1;
    if (used > budget && out.length > 0) break;
    out.push(shown);
    last = number;
  }
  return { text: out.join('\n'), lastLine: last };
}

/** A line as shown: cut when it is very long, lone carriage returns made visible. */
export function shortLine(line: string): string {
  const visible = line.includes('\r') ? line.replaceAll('\r', '\u240d') : line;
  if (visible.length <= LONGEST_LINE) return visible;
  return `${beginningOf(visible, LONGEST_LINE)} [… line of ${visible.length.toLocaleString('en-US')} characters, cut]`;
}
