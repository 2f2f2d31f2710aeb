// Frames to escape sequences, by terminal-kit's delta drawing: only cells that changed are sent, as one write a frame.
// Text is written cell by cell, by our own widths; whatever a span holds, only printable cells leave here.
import terminalKit, { type Palette, type Terminal } from 'terminal-kit';
import type { Frame } from './frame.ts';
import type { Span } from './spans.ts';
import type { Colour, Theme } from './themes.ts';
import { type Cell, cellsOf } from './width.ts';

export type ColourDepth = 'true' | '256' | '16';

/** How many colours the terminal says it has. */
export function colourDepth(env: Readonly<Record<string, string | undefined>>): ColourDepth {
  if (/truecolor|24bit/i.test(env.COLORTERM ?? '')) return 'true';
  return /256|kitty|alacritty|ghostty|wezterm/.test(env.TERM ?? '') ? '256' : '16';
}

export interface Painter {
  /** Sends what differs from the frame before; returns the number of cells sent. */
  paint(frame: Frame): number;
  /** Forgets the frame before: the next one is sent whole, on a cleared screen. */
  invalidate(): void;
}

const HIDE = '\x1b[?25l';
const SHOW = '\x1b[?25h';
const CLEAR = '\x1b[0m\x1b[2J';
/** A terminal that knows them shows the frame in one piece; others ignore them. */
const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';

interface Collector {
  readonly term: Terminal;
  /** What was drawn since it was last emptied. */
  readonly pieces: string[];
}

let made: Collector | undefined;

/** terminal-kit's terminal over a sink: made once, since each one would stay with the process's exit hooks for good. */
function collector(): Collector {
  if (made !== undefined) return made;
  const pieces: string[] = [];
  const sink = { write: (text: string) => void pieces.push(text), isTTY: false, columns: 80, rows: 24, on: () => undefined };
  const term = terminalKit.createTerminal({
    ...{ stdin: sink, stdout: sink, stderr: sink, generic: 'xterm-256color' },
    ...{ isTTY: true, isSSH: false, processSigwinch: false, preferProcessSigwinch: false },
  });
  // It has no real stream to put in order at exit; terminal.ts does that for the real one.
  term.shutdown = true;
  made = { term, pieces };
  return made;
}

/** A painter that hands each frame's bytes to `write`. */
export function createPainter(theme: Theme, depth: ColourDepth, write: (text: string) => void): Painter {
  const { term, pieces } = collector();
  const colours = colourTable(theme, depth);
  let buffer: GraphemeBuffer | undefined;
  let lastCursor = '';
  return {
    paint(frame) {
      const height = frame.lines.length;
      let first = false;
      if (buffer?.width !== frame.columns || buffer.height !== height) {
        term.width = frame.columns;
        term.height = height;
        buffer = new GraphemeBuffer(term, frame.columns, height, colours.palette);
        first = true;
      }
      fill(buffer, frame, colours.attr);
      pieces.length = 0;
      const { cells } = buffer.draw({ delta: true });
      const { cursor } = frame;
      const place = cursor === undefined ? HIDE : `\x1b[${cursor.y + 1};${cursor.x + 1}H${SHOW}`;
      if (cells > 0 || first) write(`${BEGIN}${HIDE}${first ? CLEAR : ''}${pieces.join('')}\x1b[0m${place}${END}`);
      else if (place !== lastCursor) write(place);
      lastCursor = place;
      return cells;
    },
    invalidate() {
      buffer = undefined;
      lastCursor = '';
    },
  };
}

/**
 * A cell of terminal-kit holds one code point. A letter with accents of its own is kept in a side table and stands in
 * the buffer as a code point of the private use planes, which no text can bring in (see `cellsOf`).
 */
class GraphemeBuffer extends terminalKit.ScreenBuffer {
  private readonly graphemes: string[] = [];
  private readonly ids = new Map<string, string>();

  constructor(dst: Terminal, width: number, height: number, palette: Palette) {
    super({ dst, width, height, x: 1, y: 1, palette });
  }

  /** The one code point that stands for the cell. */
  codeOf(cell: Cell): string {
    const code = cell.text.codePointAt(0) ?? 0x20;
    const single = String.fromCodePoint(code);
    if (single === cell.text) return code >= FIRST_PRIVATE ? '\ufffd' : single;
    const known = this.ids.get(cell.text);
    if (known !== undefined) return known;
    if (this.graphemes.length >= MOST_GRAPHEMES) return single;
    const made = String.fromCodePoint(FIRST_PRIVATE + this.graphemes.length);
    this.graphemes.push(cell.text);
    this.ids.set(cell.text, made);
    return made;
  }

  override readChar(buffer: Buffer, at: number): string {
    const char = super.readChar(buffer, at);
    const code = char.codePointAt(0) ?? 0;
    return code < FIRST_PRIVATE ? char : (this.graphemes[code - FIRST_PRIVATE] ?? ' ');
  }
}

const FIRST_PRIVATE = 0xf0000;
const MOST_GRAPHEMES = 0xfffd;

function fill(buffer: GraphemeBuffer, frame: Frame, attrOf: (span: Span | undefined) => number): void {
  const { ITEM_SIZE: size, width } = buffer;
  const put = (x: number, y: number, char: string, attr: number, half: number) => {
    const at = (y * width + x) * size;
    buffer.writeAttr(buffer.buffer, attr, at, half);
    buffer.writeChar(buffer.buffer, char, at);
  };
  const blank = attrOf(undefined);
  frame.lines.forEach((line, y) => {
    let x = 0;
    for (const part of line) {
      const attr = attrOf(part);
      for (const cell of cellsOf(part.text, x)) {
        if (x + cell.width > width) break;
        if (cell.width === 1) put(x, y, buffer.codeOf(cell), attr, 0);
        else {
          put(x, y, buffer.codeOf(cell), attr, buffer.LEADING_FULLWIDTH);
          put(x + 1, y, ' ', attr, buffer.TRAILING_FULLWIDTH);
        }
        x += cell.width;
      }
    }
    for (; x < width; x++) put(x, y, ' ', blank, 0);
  });
}

interface ColourTable {
  readonly palette: Palette;
  /** The attribute word of a span; undefined is an empty cell. */
  attr(span: Span | undefined): number;
}

function colourTable(theme: Theme, depth: ColourDepth): ColourTable {
  const foreground: string[] = [];
  const bgEscape: string[] = [];
  const indices = new Map<Colour, number>();
  const indexOf = (colour: Colour): number => {
    const known = indices.get(colour);
    if (known !== undefined) return known;
    const index = foreground.length;
    foreground.push(`\x1b[${sgr(colour, depth, false)}m`);
    bgEscape.push(`\x1b[${sgr(colour, depth, true)}m`);
    indices.set(colour, index);
    return index;
  };
  const known = new Map<string, number>();
  return {
    palette: { escape: foreground, bgEscape },
    attr(span) {
      const key = span === undefined ? '' : `${span.style}${span.bold ? 'b' : ''}${span.italic ? 'i' : ''}${span.strike ? 's' : ''}`;
      const made = known.get(key);
      if (made !== undefined) return made;
      const look = theme.styles[span?.style ?? 'text'];
      // A 16-colour terminal keeps its own background: none of its eight is charcoal.
      const background = look.background ?? (depth === '16' ? undefined : theme.background);
      const attr = terminalKit.ScreenBuffer.object2attr({
        ...(look.colour === undefined ? { defaultColor: true } : { color: indexOf(look.colour) }),
        ...(background === undefined ? { bgDefaultColor: true } : { bgColor: indexOf(background) }),
        bold: look.bold === true || span?.bold === true,
        dim: look.dim === true,
        inverse: look.inverse === true,
        underline: look.underline === true,
        italic: span?.italic === true,
        strike: span?.strike === true,
      });
      known.set(key, attr);
      return attr;
    },
  };
}

function sgr(colour: Colour, depth: ColourDepth, background: boolean): string {
  const [red, green, blue] = colour.rgb;
  if (depth === 'true') return `${background ? 48 : 38};2;${red};${green};${blue}`;
  if (depth === '256') return `${background ? 48 : 38};5;${colour.index}`;
  return String((background ? 40 : 30) + basicColour(red, green, blue));
}

/** The nearest of the eight basic colours: which channels are near the strongest one. */
function basicColour(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most < 60) return 0;
  const near = (channel: number) => (channel > most * 0.7 ? 1 : 0);
  return near(red) | (near(green) << 1) | (near(blue) << 2);
}
