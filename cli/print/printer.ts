// How anything reaches stdout and stderr. Output is complete through a pipe, colour only on a terminal, a reader that
// went away (EPIPE) is no error. Nothing in a text can steer the terminal: control characters of what a model, a file or a
// command line said are taken out here.
import type { Writable } from 'node:stream';
import { visibleText } from '../../workers/agent/tools/visible-text.ts';

export interface Printer {
  readonly json: boolean;
  readonly colour: boolean;
  /** True when a person looks at stdout: lines may be cut to the width; in a pipe nothing is. */
  readonly terminal: boolean;
  /** Columns that the terminal has now, or 80 where there is none. */
  readonly columns: number;
  /** A line on stdout. */
  line(text?: string): void;
  /** A line on stdout that may hold colours of ours, which stay where colour is wanted. */
  styled(text: string): void;
  /** Text on stdout, nothing added; in a pipe nothing is taken out either. */
  raw(text: string): void;
  /** Empties the screen of a terminal. */
  clear(): void;
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

/** The colours that lists and checks are drawn with. */
const STYLES = /(\u001b\[(?:0|1|2|31|32|33|1;33)m)/;
const CLEAR_SCREEN = '\u001b[H\u001b[2J\u001b[3J';

export function createPrinter({ stdout, stderr, json, colour }: PrinterInput): Printer {
  const terminal = stdout.isTTY === true;
  return {
    json,
    colour,
    terminal,
    get columns() {
      return stdout.columns || 80;
    },
    line: (text = '') => void stdout.write(`${visibleText(text)}\n`),
    styled: (text) => void stdout.write(`${colour ? visibleStyled(text) : visibleText(text)}\n`),
    raw: (text) => void stdout.write(terminal ? visibleText(text) : text),
    clear: () => void (terminal && stdout.write(CLEAR_SCREEN)),
    warn: (text) => void stderr.write(`${visibleText(text)}\n`),
    value: (value) => void stdout.write(`${escapedJson(value)}\n`),
    drained: () => Promise.all([flushed(stdout), flushed(stderr)]).then(() => undefined),
  };
}

function visibleStyled(text: string): string {
  const pieces = text.split(STYLES);
  return pieces.map((piece, at) => (at % 2 === 1 ? piece : visibleText(piece))).join('');
}

/** JSON without the control characters that JSON itself lets stand. */
function escapedJson(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}

function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) return resolve();
    stream.write('', () => resolve());
  });
}
