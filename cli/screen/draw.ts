// Frames to escape sequences, by terminal-kit's delta drawing: only cells that changed are sent, as one write a frame.
// Text is written cell by cell, by our own widths; whatever a span holds, only printable cells leave here.
import terminalKit, { type Palette, type Terminal } from 'terminal-kit';
import { type ColourDepth, colourTable } from './colours.ts';
import type { Frame } from './frame.ts';
import type { Line, Span } from './spans.ts';
import type { Theme } from './themes.ts';
import { type Cell, cellsOf, firstPicture, flagLetters } from './width.ts';

/** What the terminal draws as one character of two columns; what it does not is drawn by its parts. */
export interface Joins {
  readonly pictures: boolean;
  /** A picture and the colour of its skin. */
  readonly tones: boolean;
  readonly flags: boolean;
}

/** Bytes of the longest character that the terminal keeps in a cell. */
export function cellBytes(env: Readonly<Record<string, string | undefined>>): number {
  return /^(screen|tmux)/.test(env.TERM ?? '') ? MULTIPLEXER_BYTES : Number.POSITIVE_INFINITY;
}

/** tmux cuts what is longer (its UTF8_SIZE), in the middle of a sequence. */
const MULTIPLEXER_BYTES = 21;

export interface Painter {
  /** Sends what differs from the frame before; returns the number of cells sent. */
  paint(frame: Frame): number;
  /** Forgets the frame before: the next one is sent whole, on a cleared screen. */
  invalidate(): void;
  /** What the terminal was found to join; nothing before that is known. */
  joins(joins: Joins): void;
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

/** A painter that hands each frame's bytes to `write`; `most` as `cellBytes` says. */
export function createPainter(theme: Theme, depth: ColourDepth, write: (text: string) => void, most = Number.POSITIVE_INFINITY): Painter {
  const { term, pieces } = collector();
  const colours = colourTable(theme, depth);
  let buffer: GraphemeBuffer | undefined;
  let last: Frame | undefined;
  let lastCursor = '';
  let joins: Joins = { pictures: false, tones: false, flags: false };
  const invalidate = () => {
    buffer = undefined;
    last = undefined;
    lastCursor = '';
  };
  return {
    invalidate,
    joins(found) {
      joins = found;
      // Every line is looked at again, and only the cells that are drawn otherwise now are sent.
      last = undefined;
    },
    paint(frame) {
      const height = frame.lines.length;
      let first = false;
      if (buffer?.width !== frame.columns || buffer.height !== height) {
        term.width = frame.columns;
        term.height = height;
        buffer = new GraphemeBuffer(term, frame.columns, height, colours.palette, (text) => joinedPicture(text, joins, most));
        first = true;
      }
      pieces.length = 0;
      const before = first ? undefined : last;
      const changed = frame.lines.flatMap((line, row) => (before !== undefined && isSame(line, before.lines[row]) ? [] : [row]));
      for (const row of changed) fillRow(buffer, row, frame.lines[row] ?? [], colours.attr);
      last = frame;
      const cells = first ? buffer.draw({ delta: true }).cells : drawRows(buffer, changed);
      const { cursor } = frame;
      const place = cursor === undefined ? HIDE : `\x1b[${cursor.y + 1};${cursor.x + 1}H${SHOW}`;
      if (cells > 0 || first) write(`${BEGIN}${HIDE}${first ? CLEAR : ''}${pieces.join('')}\x1b[0m${place}${END}`);
      else if (place !== lastCursor) write(place);
      lastCursor = place;
      return cells;
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

  private readonly joined: (text: string) => string;

  constructor(dst: Terminal, width: number, height: number, palette: Palette, joined: (text: string) => string) {
    super({ dst, width, height, x: 1, y: 1, palette });
    this.joined = joined;
  }

  /** The one code point that stands for the cell at column `x`. */
  codeOf(cell: Cell, x: number): string {
    const code = cell.text.codePointAt(0) ?? 0x20;
    // Latin letters and Han characters, which are nearly all there is.
    if (cell.text.length === 1 && (code < 0x2000 || (code >= 0x3400 && code < 0xd800))) return cell.text;
    const single = firstPicture(cell.text);
    // Terminals do not agree on the width of emoji: both columns are blanked, and what follows is placed anew.
    const placed = (text: string, otherwise: string) => this.standIn(`  \x1b[${x + 1}G${text}\x1b[${x + 3}G`, otherwise);
    if (cell.width === 2 && PICTOGRAPH.test(single)) return placed(this.joined(cell.text), single);
    const letters = flagLetters(cell.text);
    if (letters !== undefined && cell.width === 1) return letters;
    if (letters !== undefined) return this.joined(cell.text) === letters ? this.standIn(letters, ' ') : placed(cell.text, ' ');
    if (single === cell.text) return code >= FIRST_PRIVATE ? '\ufffd' : single;
    return this.standIn(cell.text, single);
  }

  private standIn(text: string, otherwise: string): string {
    const known = this.ids.get(text);
    if (known !== undefined) return known;
    if (this.graphemes.length >= MOST_GRAPHEMES) return otherwise;
    const made = String.fromCodePoint(FIRST_PRIVATE + this.graphemes.length);
    this.graphemes.push(text);
    this.ids.set(text, made);
    return made;
  }

  override readChar(buffer: Buffer, at: number): string {
    const char = super.readChar(buffer, at);
    const code = char.codePointAt(0) ?? 0;
    return code < FIRST_PRIVATE ? char : (this.graphemes[code - FIRST_PRIVATE] ?? ' ');
  }
}

/** As much of a picture or flag as the terminal shows in two columns; of a flag it does not know, the letters. */
function joinedPicture(text: string, joins: Joins, most: number): string {
  const letters = flagLetters(text);
  if (letters !== undefined) return joins.flags ? text : letters;
  const shown = joins.tones ? text : text.replace(/\p{Emoji_Modifier}/gu, '');
  return (joins.pictures || !shown.includes('\u200d')) && Buffer.byteLength(shown) <= most ? shown : firstPicture(text);
}

const PICTOGRAPH = /^\p{Extended_Pictographic}$/u;
const FIRST_PRIVATE = 0xf0000;
const MOST_GRAPHEMES = 0xfffd;

function isSame(a: Line, b: Line | undefined): boolean {
  if (b === undefined || a.length !== b.length) return false;
  return a.every((part, index) => {
    const other = b[index];
    if (part === other) return true;
    if (other === undefined || part.text !== other.text || part.style !== other.style) return false;
    return part.bold === other.bold && part.italic === other.italic && part.strike === other.strike;
  });
}

/** Draws what differs in the given rows; neighbouring rows in one go. Returns the number of cells. */
function drawRows(buffer: GraphemeBuffer, rows: readonly number[]): number {
  let cells = 0;
  for (let at = 0; at < rows.length; ) {
    const y = rows[at] ?? 0;
    let height = 1;
    while (rows[at + height] === y + height) height++;
    cells += buffer.draw({ delta: true, srcClipRect: { x: 0, y, width: buffer.width, height } }).cells;
    // The library forgets to note the second half of a wide character that it drew: later it would take what stood
    // there before for what is shown.
    const row = buffer.width * buffer.ITEM_SIZE;
    if (buffer.lastBuffer !== null) buffer.buffer.copy(buffer.lastBuffer, y * row, y * row, (y + height) * row);
    at += height;
  }
  return cells;
}

function fillRow(buffer: GraphemeBuffer, y: number, line: Line, attrOf: (span: Span | undefined) => number): void {
  const { ITEM_SIZE: size, width } = buffer;
  const put = (x: number, char: string, attr: number, half: number) => {
    const at = (y * width + x) * size;
    buffer.writeAttr(buffer.buffer, attr, at, half);
    buffer.writeChar(buffer.buffer, char, at);
  };
  let x = 0;
  for (const part of line) {
    const attr = attrOf(part);
    for (const cell of cellsOf(part.text, x)) {
      if (x + cell.width > width) break;
      if (cell.width === 1) put(x, buffer.codeOf(cell, x), attr, 0);
      else {
        put(x, buffer.codeOf(cell, x), attr, buffer.LEADING_FULLWIDTH);
        put(x + 1, ' ', attr, buffer.TRAILING_FULLWIDTH);
      }
      x += cell.width;
    }
  }
  const blank = attrOf(undefined);
  for (; x < width; x++) put(x, ' ', blank, 0);
}
