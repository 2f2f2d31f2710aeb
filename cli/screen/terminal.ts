// The terminal in full-screen use: alternate screen, raw input, paste and mouse reports, resize, suspension, and its
// restoration on every way out. It decodes input and paints frames; it decides nothing.
import type { ReadStream, WriteStream } from 'node:tty';
import type { Clock } from '../../store/clock.ts';
import { errnoOf } from '../../store/errors.ts';
import { type ColourDepth, createPainter } from './draw.ts';
import type { Frame } from './frame.ts';
import { type Input, keyDecoder } from './keys.ts';
import type { Theme } from './themes.ts';

export interface TerminalInput {
  readonly input: Pick<ReadStream, 'on' | 'off' | 'setRawMode' | 'resume' | 'pause'>;
  readonly output: Pick<WriteStream, 'on' | 'off' | 'columns' | 'rows'>;
  /** The output's own write: the stream's is silenced while the screen is up. False asks to wait for `drain`. */
  readonly write: (text: string) => boolean;
  readonly clock: Clock;
  readonly theme: Theme;
  readonly depth: ColourDepth;
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
const LEAVE = '\x1b[?2026l\x1b[?2004l\x1b[?1006l\x1b[?1002l\x1b[?1000l\x1b[?1004l\x1b[?25h\x1b[0m\x1b[23;0t\x1b[?1049l';

/** A terminal for one screen. Nothing is sent before `enter`. */
export function openTerminal(options: TerminalInput): ScreenTerminal {
  const { input, output, clock } = options;
  const decoder = keyDecoder();
  const painter = createPainter(options.theme, options.depth, (text) => {
    blocked = !options.write(text);
  });
  let entered = false;
  let lost = false;
  let blocked = false;
  let cancelWait = () => {};
  const emit = (inputs: readonly Input[]) => {
    for (const one of inputs) options.onInput(one);
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
      input.on('error', onLost);
      input.resume();
      output.on('resize', onResize);
      output.on('drain', onDrain);
      output.on('error', onLost);
      options.write(ENTER);
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
