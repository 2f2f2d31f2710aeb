// What is searched for, and what was found: the vocabulary of both search engines.
import picomatch from 'picomatch';

export interface Query {
  readonly pattern: string;
  /** The pattern is plain text. */
  readonly literal: boolean;
  /** Only files that fit this glob. */
  readonly include: string | undefined;
  /** At most so many lines. */
  readonly limit: number;
}

export interface Hit {
  /** Relative to the folder where the search started. */
  readonly name: string;
  /** 1-based. */
  readonly line: number;
  /** The line, shortened around the match when it is long. */
  readonly text: string;
}

export interface Found {
  readonly hits: readonly Hit[];
  /** True when the limit ended the search. */
  readonly cut: boolean;
  /** What was left out and why, for the model. */
  readonly notes: readonly string[];
}

/** A longer line is shown only around its match. */
const LONGEST_SHOWN = 400;
/** Larger files are not searched. */
export const LARGEST_FILE = 100_000_000;

/** True for names that fit the glob: without a slash it is held against the last part, as in .gitignore. */
export function globTest(glob: string): (name: string) => boolean {
  const plain = glob.replace(/^\.\//, '');
  const base = !plain.includes('/');
  const test = picomatch(plain, { dot: true, nonegate: false });
  return (name) => test(base ? name.slice(name.lastIndexOf('/') + 1) : name);
}

/** A line as shown, shortened around the match. */
export function shownLine(line: string, at: number): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length <= LONGEST_SHOWN) return text;
  const from = Math.max(0, Math.min(at - LONGEST_SHOWN / 2, text.length - LONGEST_SHOWN));
  const to = from + LONGEST_SHOWN;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''} [line of ${text.length.toLocaleString('en-US')} characters]`;
}
