// The terminal in full-screen use: alternate screen, raw input, paste and mouse reports, resize, suspension, and its
// restoration on every way out. It decodes input and paints frames; it decides nothing.
import type { Clock } from '../../store/clock.ts';
import { errnoOf } from '../../store/errors.ts';
import type { ColourDepth } from './colours.ts';
import { createPainter } from './draw.ts';
import type { Frame } from './frame.ts';
import { type Input, keyDecoder } from './keys.ts';
import type { Theme } from './themes.ts';

/** What is used of a stream: process.stdin and process.stdout have it. */
interface Emits {
  on(event: string, listener: (bytes: Buffer) => void): unknown;
  off(event: string, listener: (bytes: Buffer) => void): unknown;
}

export interface TerminalInput {
  readonly input: Emits & { setRawMode(raw: boolean): unknown; resume(): unknown; pause(): unknown };
  readonly output: Emits & { readonly columns: number; readonly rows: number };
  /** The output's own write: the stream's is silenced while the screen is up. False asks to wait for `drain`. */
  readonly write: (text: string) => boolean;
  readonly clock: Clock;
  readonly theme: Theme;
  readonly depth: ColourDepth;
  /** Bytes of the longest character that a cell keeps. */
  readonly cellBytes: number;
  readonly onInput: (input: Input) => void;
  readonly onResize: (columns: number, rows: number) => void;
  /** The other end is gone: the window was closed or the connection lost. */
  readonly onLost: () => void;
}

export interface ScreenTerminal {
  columns(): number;
  rows(): number;
  /** Takes the terminal. */
  enter(): void;
  /** Gives it back as it was; safe to call at any time, more than once. */
  leave(): void;
  /** Paints now, or not at all while the terminal does not take more; returns false then. */
  paint(frame: Frame): boolean;
  /** The next frame is painted whole. */
  invalidate(): void;
}

const ENTER = '\x1b[?1049h\x1b[22;0t\x1b[?2004h\x1b[?1000h\x1b[?1006h\x1b[H';
/** Characters of two columns where the terminal joins them, each with the question where the cursor stands behind it. */
const PROBES = ['👨\u200d👩\u200d👧', '👍🏽', '🇨🇳'];
/** The first frame clears them away. */
const PROBE = PROBES.map((text) => `\x1b[2;1H${text}\x1b[6n`).join('');
const JOINED_COLUMN = 3;
/** Emptied first: a multiplexer that has grown meanwhile would wrap long rows of the alternate screen into the main one. */
const LEAVE = '\x1b[?2026l\x1b[?2004l\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?1004l\x1b[?25h\x1b[0m\x1b[23;0t\x1b[H\x1b[2J\x1b[?1049l';

/** A terminal for one screen. Nothing is sent before `enter`. */
export function openTerminal(options: TerminalInput): ScreenTerminal {
  const { input, output, clock } = options;
  const decoder = keyDecoder();
  const paint = (text: string) => {
    blocked = !options.write(text);
  };
  const painter = createPainter(options.theme, options.depth, paint, options.cellBytes);
  let entered = false;
  let lost = false;
  let blocked = false;
  let probed = false;
  /** Answers to the probes that have come. */
  const answers: boolean[] = [];
  let cancelWait = () => {};
  const answered = (column: number) => {
    if (answers.push(column === JOINED_COLUMN) !== PROBES.length) return;
    const [pictures = false, tones = false, flags = false] = answers;
    if (!answers.includes(true)) return;
    painter.joins({ pictures, tones, flags });
    options.onResize(size(output.columns, 80), size(output.rows, 24));
  };
  const emit = (inputs: readonly Input[]) => {
    for (const one of inputs)
      if (one.type === 'cursor') answered(one.column);
      else options.onInput(one);
    const wait = decoder.waitMs();
    cancelWait();
    cancelWait = wait === undefined ? () => {} : clock.after(wait, () => emit(decoder.flush()));
  };
  const onData = (bytes: Uint8Array | string) => emit(decoder.feed(typeof bytes === 'string' ? Buffer.from(bytes) : bytes));
  const onResize = () => {
    painter.invalidate();
    options.onResize(size(output.columns, 80), size(output.rows, 24));
  };
  const onDrain = () => {
    blocked = false;
    options.onResize(size(output.columns, 80), size(output.rows, 24));
  };
  const onLost = () => {
    if (lost) return;
    lost = true;
    options.onLost();
  };
  return {
    columns: () => size(output.columns, 80),
    rows: () => size(output.rows, 24),
    enter() {
      if (entered || lost) return;
      entered = true;
      painter.invalidate();
      input.setRawMode(true);
      input.on('data', onData);
      input.on('end', onLost);
      input.on('close', onLost);
      input.resume();
      output.on('resize', onResize);
      output.on('drain', onDrain);
      // These stay: a terminal may go away while it is given back, too.
      if (!probed) for (const stream of [input, output]) stream.on('error', onLost);
      options.write(probed ? ENTER : `${ENTER}${PROBE}\x1b[H`);
      probed = true;
    },
    leave() {
      if (!entered) return;
      entered = false;
      cancelWait();
      input.off('data', onData);
      input.off('end', onLost);
      input.off('close', onLost);
      output.off('resize', onResize);
      output.off('drain', onDrain);
      input.pause();
      if (lost) return;
      restore(options);
    },
    paint(frame) {
      if (!entered || lost || blocked) return false;
      painter.paint(frame);
      return true;
    },
    invalidate: () => painter.invalidate(),
  };
}

/** A terminal of no size (a pipe, a window being made) is taken for a common one. */
function size(given: number | undefined, fallback: number): number {
  return given !== undefined && given > 0 ? given : fallback;
}

/** Runs while the process ends, too: Node writes to a terminal synchronously. One that is gone needs no restoring. */
function restore(options: TerminalInput): void {
  try {
    options.input.setRawMode(false);
    options.write(LEAVE);
  } catch (error) {
    // The terminal went away between two events: nothing is left to be set.
    if (errnoOf(error) === undefined) throw error;
  }
}
