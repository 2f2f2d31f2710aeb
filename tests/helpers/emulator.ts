// A terminal emulator for tests: what the screen's bytes would show, without a terminal.
import xterm from '@xterm/headless';

export interface Emulator {
  /** Bytes for the terminal; resolves when they are on its screen. */
  write(text: string): Promise<void>;
  /** The screen, blanks at line ends taken off. */
  screen(): string;
  cursor(): { readonly x: number; readonly y: number };
  /** Foreground of a cell as `#rrggbb`, or its number in the colour table, or undefined for the default. */
  colour(x: number, y: number): string | number | undefined;
  resize(columns: number, rows: number): void;
}

export function createEmulator(columns: number, rows: number): Emulator {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 0 });
  const { buffer } = terminal;
  return {
    write: (text) => new Promise((resolve) => terminal.write(text, resolve)),
    screen: () => Array.from({ length: terminal.rows }, (_, row) => lineText(terminal, row)).join('\n'),
    cursor: () => ({ x: buffer.active.cursorX, y: buffer.active.cursorY }),
    colour(x, y) {
      const cell = buffer.active.getLine(y)?.getCell(x);
      if (cell === undefined || cell.isFgDefault()) return undefined;
      return cell.isFgRGB() ? `#${cell.getFgColor().toString(16).padStart(6, '0')}` : cell.getFgColor();
    },
    resize: (cols, lines) => terminal.resize(cols, lines),
  };
}

/** This emulator takes emoji for narrow, as older terminals do; the blank that is kept beside them is no text. */
function lineText(terminal: xterm.Terminal, row: number): string {
  const line = terminal.buffer.active.getLine(row);
  let out = '';
  for (let x = 0; x < terminal.cols; x++) {
    const cell = line?.getCell(x);
    const chars = cell?.getChars() ?? '';
    if (cell?.getWidth() !== 0) out += chars === '' ? ' ' : chars;
    if (cell?.getWidth() === 1 && /^\p{Emoji_Presentation}/u.test(chars)) x++;
  }
  return out.trimEnd();
}
