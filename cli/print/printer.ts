// How anything reaches stdout and stderr. Output is complete through a pipe, colour only on a terminal, a reader that
// went away (EPIPE) is no error.
import type { Writable } from 'node:stream';

export interface Printer {
  readonly json: boolean;
  readonly colour: boolean;
  /** True when a person looks at stdout: lines may be cut to the width; in a pipe nothing is. */
  readonly terminal: boolean;
  /** Columns of the terminal, or 80 where there is none. */
  readonly columns: number;
  /** A line on stdout. */
  line(text?: string): void;
  /** Raw text on stdout, nothing added. */
  raw(text: string): void;
  /** A line on stderr. */
  warn(text: string): void;
  /** One JSON value on stdout. */
  value(value: unknown): void;
  /** Resolves when all that was written has left the process. */
  drained(): Promise<void>;
}

export interface PrinterInput {
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable;
  readonly json: boolean;
  readonly colour: boolean;
}

export function createPrinter({ stdout, stderr, json, colour }: PrinterInput): Printer {
  return {
    json,
    colour,
    terminal: stdout.isTTY === true,
    columns: stdout.columns || 80,
    line: (text = '') => void stdout.write(`${text}\n`),
    raw: (text) => void stdout.write(text),
    warn: (text) => void stderr.write(`${text}\n`),
    value: (value) => void stdout.write(`${JSON.stringify(value)}\n`),
    drained: () => Promise.all([flushed(stdout), flushed(stderr)]).then(() => undefined),
  };
}

function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) return resolve();
    stream.write('', () => resolve());
  });
}
