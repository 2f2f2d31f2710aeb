// Text to terminal cells, safely: what a cell shows, how wide it is, and where a line breaks. Nothing in a text can reach
// the terminal as a control: escape sequences and control bytes become blanks. Nothing here throws, at any width.
import { eastAsianWidth } from 'get-east-asian-width';

/** One place on the screen: a visible character, such as a letter with its accents, a whole family or a flag; one or two columns wide. */
export interface Cell {
  readonly text: string;
  readonly width: 1 | 2;
}

const TAB_STOP = 4;
const PLAIN = /^[\x20-\x7e]*$/;
/** A CSI, OSC or other escape sequence as a whole, so that no stray `[31m` is left of it. */
const ESCAPE_SEQUENCE =
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])?|\x9b[0-?]*[ -/]*[@-~]/g;
const PICTOGRAPH = /^\p{Extended_Pictographic}$/u;
const MODIFIER = /^\p{Emoji_Modifier}$/u;
const NON_SPACING = /^\p{Mn}$/u;
const INVISIBLE = /^[\p{Cf}\p{Me}\p{Default_Ignorable_Code_Point}]$/u;
const CONTROL = /^[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]$/u;
const ZWJ = 0x200d;
const MARKS_KEPT = 3;
/** Bytes of the longest picture that is kept whole, about a couple with its skin tones. What is longer is its first picture. */
const LONGEST_PICTURE = 40;

const widths = new Map<number, 1 | 2>();

function codePointWidth(code: number): 1 | 2 {
  let width = widths.get(code);
  if (width === undefined) {
    width = eastAsianWidth(code) === 2 ? 2 : 1;
    // A person's conversation uses a few thousand characters; a hostile one must not fill the memory.
    if (widths.size < 20_000) widths.set(code, width);
  }
  return width;
}

/**
 * The cells of one line of text. Composed to NFC; a flag and a joined emoji are one cell of two columns, accents stay on
 * their letter, tabs go to the next stop counted from `column`, controls become blanks.
 */
export function cellsOf(text: string, column = 0): Cell[] {
  if (PLAIN.test(text)) return Array.from(text, (char) => ({ text: char, width: 1 }));
  const out: Cell[] = [];
  let at = column;
  let inPicture = false;
  let joined = false;
  let marks = 0;
  let cut = false;
  const push = (char: string, width: 1 | 2) => {
    out.push({ text: char, width });
    at += width;
    marks = 0;
    cut = false;
  };
  const join = (more: string) => {
    const last = out.at(-1);
    if (last === undefined || cut) return;
    const grown = grownPicture(last, more);
    cut = grown === undefined;
    out[out.length - 1] = { text: grown ?? firstPicture(last.text), width: last.width };
  };
  for (const char of text.replace(ESCAPE_SEQUENCE, '').normalize('NFC')) {
    const code = char.codePointAt(0) ?? 0;
    if (code === 0x09) {
      for (let blanks = TAB_STOP - (at % TAB_STOP); blanks > 0; blanks--) push(' ', 1);
    } else if (code >= 0x20 && code < 0x7f) {
      push(char, 1);
    } else if (code === ZWJ) {
      joined = inPicture;
      continue;
    } else if (PICTOGRAPH.test(char)) {
      if (joined) join(`\u200d${char}`);
      else push(char, codePointWidth(code));
      joined = false;
      inPicture = true;
      continue;
    } else if (inPicture && (MODIFIER.test(char) || INVISIBLE.test(char))) {
      // A selector of its own changes the width in some terminals only; within a joined emoji it belongs to the sequence.
      if (MODIFIER.test(char) || out.at(-1)?.text.includes('\u200d')) join(char);
      continue;
    } else if (isRegional(code)) {
      const last = out.at(-1);
      if (last?.width === 1 && isRegional(last.text.codePointAt(0) ?? 0)) {
        out[out.length - 1] = { text: last.text + char, width: 2 };
        at++;
      } else push(char, 1);
    } else if (NON_SPACING.test(char)) {
      const last = out.at(-1);
      if (last !== undefined && marks < MARKS_KEPT && !INVISIBLE.test(char)) {
        out[out.length - 1] = { text: last.text + char, width: last.width };
        marks++;
      }
      continue;
    } else if (CONTROL.test(char)) {
      push(' ', 1);
    } else if (INVISIBLE.test(char)) {
      // The Hangul fillers are wide in some terminals and nothing in others: a blank is the same everywhere.
      if (code === 0x3164 || code === 0x115f || code === 0x1160 || code === 0xffa0) push(' ', 1);
    } else {
      push(char, codePointWidth(code));
    }
    inPicture = false;
    joined = false;
  }
  return out;
}

/**
 * The picture with more joined to it; undefined when it is shown as its first picture instead: it would be too long, or it
 * is narrow, and how wide a narrow one becomes is anybody's guess.
 */
function grownPicture({ text, width }: Cell, more: string): string | undefined {
  const grown = text + more;
  return width === 2 && Buffer.byteLength(grown) <= LONGEST_PICTURE ? grown : undefined;
}

/** The first picture of a joined emoji, for terminals that would show it as several. */
export function firstPicture(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0x20);
}

/** True for a half of a flag. */
function isRegional(code: number): boolean {
  return code >= 0x1f1e6 && code <= 0x1f1ff;
}

/** The two letters of a flag, for terminals that have none; undefined for anything else. */
export function flagLetters(text: string): string | undefined {
  const codes = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  return codes.every(isRegional) ? codes.map((code) => String.fromCharCode(0x41 + code - 0x1f1e6)).join('') : undefined;
}

/** Columns that the text takes on the screen. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const cell of cellsOf(text)) width += cell.width;
  return width;
}

/** The start of the text that fits into `width` columns, with `…` in the place of what was cut. */
export function clipText(text: string, width: number): string {
  if (width <= 0) return '';
  if (PLAIN.test(text)) return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
  const cells = cellsOf(text);
  let total = 0;
  for (const cell of cells) total += cell.width;
  if (total <= width) return cells.map((cell) => cell.text).join('');
  let out = '';
  let used = 0;
  for (const cell of cells) {
    if (used + cell.width > width - 1) break;
    out += cell.text;
    used += cell.width;
  }
  return `${out}…`;
}

/** The text clipped or filled with blanks to exactly `width` columns. */
export function fitText(text: string, width: number): string {
  const clipped = clipText(text, width);
  return clipped + ' '.repeat(Math.max(0, width - textWidth(clipped)));
}

/** Characters that should not begin a line of Chinese or Japanese. */
const NOT_AT_START = new Set('，。、；：？！）］｝》〉」』】〕”’…％,.;:?!)]}%');

/**
 * Where to break cells into rows of at most `width` columns: pairs [start, end) of cell indices. A row ends after a
 * blank or beside a wide character; a word longer than the row is cut. Blanks at a break stay out of both rows.
 * A width below 1 counts as 1; the caller replaces a wide cell that can never fit (see `narrowed`).
 */
export function breakCells(cells: readonly Cell[], width: number): Array<readonly [start: number, end: number]> {
  const limit = Math.max(1, width);
  const rows: Array<readonly [number, number]> = [];
  let start = 0;
  while (start < cells.length) {
    let used = 0;
    let end = start;
    let breakAt = -1;
    for (; end < cells.length; end++) {
      const cell = cells[end];
      if (cell === undefined || used + cell.width > limit) break;
      used += cell.width;
      if (mayBreakAfter(cells, end)) breakAt = end + 1;
    }
    if (end >= cells.length) {
      rows.push([start, cells.length]);
      return rows;
    }
    // The blank that did not fit is the break itself.
    if (cells[end]?.text === ' ') breakAt = end;
    const stop = Math.max(start + 1, breakAt > start ? breakAt : end);
    let trimmed = stop;
    while (trimmed > start + 1 && cells[trimmed - 1]?.text === ' ') trimmed--;
    rows.push([start, trimmed]);
    start = stop;
    while (start < cells.length && cells[start]?.text === ' ') start++;
  }
  return rows.length === 0 ? [[0, 0]] : rows;
}

function mayBreakAfter(cells: readonly Cell[], index: number): boolean {
  const here = cells[index];
  const next = cells[index + 1];
  if (here === undefined || next === undefined) return true;
  if (here.text === ' ') return true;
  if (NOT_AT_START.has(next.text)) return false;
  return here.width === 2 || next.width === 2;
}

/** A cell that fits into `width` columns: a wide one in a one-column pane becomes a dot. */
export function narrowed(cell: Cell, width: number): Cell {
  return cell.width <= Math.max(1, width) ? cell : { text: '·', width: 1 };
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** How far back a visible character can reach; a longer one is cut here rather than scanned for ever. */
const LONGEST_GRAPHEME = 64;

/** Index where the visible character before `caret` begins. */
export function previousBoundary(text: string, caret: number): number {
  const from = Math.max(0, caret - LONGEST_GRAPHEME);
  let last = from;
  for (const { index } of graphemes.segment(text.slice(from, caret))) last = from + index;
  return caret === 0 ? 0 : last;
}

/** Index just behind the visible character at `caret`. */
export function nextBoundary(text: string, caret: number): number {
  for (const { segment } of graphemes.segment(text.slice(caret, caret + LONGEST_GRAPHEME))) return caret + segment.length;
  return text.length;
}
