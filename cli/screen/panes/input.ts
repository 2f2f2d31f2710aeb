// The input: the text that is being written, the place of the caret, and the popup above it.

import { bold, clipLine, type Line, span } from '../spans.ts';
import type { State } from '../state.ts';
import { breakCells, type Cell, cellsOf, fitText, narrowed, textWidth } from '../width.ts';

export interface EditorRow {
  readonly text: string;
  /** Where the row begins in the editor's text. */
  readonly start: number;
}

interface Wrapped {
  readonly text: string;
  readonly width: number;
  readonly rows: readonly EditorRow[];
}

let lastWrap: Wrapped | undefined;

/** The text in rows of at most `width` columns. The same text and width again costs nothing. */
export function editorRows(state: Pick<State, 'editor'>, width: number): readonly EditorRow[] {
  const { text } = state.editor;
  if (lastWrap?.text === text && lastWrap.width === width) return lastWrap.rows;
  const rows: EditorRow[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    for (const row of hardRows(line, width)) rows.push({ text: row.text, start: start + row.start });
    start += line.length + 1;
  }
  lastWrap = { text, width, rows };
  return rows;
}

/**
 * Rows of one line that lose no character: a caret may stand on any of them, so blanks at a break are kept and the
 * pieces are of the original text, not of what is shown for it.
 */
function hardRows(line: string, width: number): EditorRow[] {
  if (/^[\x20-\x7e]*$/.test(line)) {
    const rows: EditorRow[] = [];
    for (let at = 0; at < line.length || at === 0; at += width) rows.push({ text: line.slice(at, at + width), start: at });
    // A full last row leaves the caret no place: it gets an empty row of its own.
    if (line.length > 0 && line.length % width === 0) rows.push({ text: '', start: line.length });
    return rows;
  }
  const rows: EditorRow[] = [];
  let start = 0;
  let used = 0;
  let at = 0;
  for (const { segment } of graphemes.segment(line)) {
    const wide = Math.min(width, textWidth(segment === '\t' ? '    ' : segment));
    if (used + wide > width) {
      rows.push({ text: line.slice(start, at), start });
      start = at;
      used = 0;
    }
    used += wide;
    at += segment.length;
  }
  rows.push({ text: line.slice(start), start });
  if (used >= width) rows.push({ text: '', start: line.length });
  return rows;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export interface DrawnInput {
  readonly lines: readonly Line[];
  /** Column and row of the caret within the lines. */
  readonly caret: { readonly x: number; readonly y: number };
}

/** The input in `height` rows of `width` columns, scrolled so that the caret is in it. */
export function inputLines(state: State, width: number, height: number): DrawnInput {
  const prompt = width < 6 ? '' : ' > ';
  const inner = Math.max(1, width - (width < 6 ? 0 : 4));
  const rows = editorRows(state, inner);
  const { caret } = state.editor;
  let row = rows.findLastIndex((one) => one.start <= caret);
  if (row === -1) row = 0;
  const from = Math.max(0, Math.min(row - height + 1, rows.length - height));
  const first = Math.min(from, row);
  const x = textWidth(expand((rows[row]?.text ?? '').slice(0, caret - (rows[row]?.start ?? 0))));
  const style = state.focus === 'input' ? 'accent' : 'dim';
  const lines = rows.slice(first, first + height).map((one, index): Line => {
    const mark = first + index === 0 ? span(prompt, style) : span(' '.repeat(prompt.length));
    if (state.editor.text === '' && index === 0) return clipLine([mark, span(placeholder(state), 'dim')], width);
    return [mark, ...safeRow(one.text, inner)];
  });
  return { lines, caret: { x: Math.min(width - 1, prompt.length + x), y: row - first } };
}

function expand(text: string): string {
  return text.replaceAll('\t', '    ');
}

function safeRow(text: string, width: number): Line {
  const cells: Cell[] = cellsOf(expand(text)).map((cell) => narrowed(cell, width));
  const [first] = breakCells(cells, Math.max(width, 1));
  // A row was cut to fit already; breaking again only guards against a cell that came out wider than it was measured.
  const fits = cells.reduce((sum, cell) => sum + cell.width, 0) <= width;
  const shown = fits || first === undefined ? cells : cells.slice(first[0], first[1]);
  return [span(shown.map((cell) => cell.text).join(''))];
}

function placeholder(state: State): string {
  const words = state.text.screen;
  if (state.addressee !== undefined) return words.messageTo(state.addressee);
  return state.viewing === undefined ? words.placeholder : words.messageTo(state.viewing);
}

/** The popup of the completion, at most `most` rows; empty when there is none. */
export function completionLines(state: State, width: number, most: number): Line[] {
  const { completion } = state;
  if (completion === undefined || completion.closedFor !== undefined || state.focus !== 'input' || most < 1) return [];
  const from = Math.max(0, Math.min(completion.selected - Math.floor(most / 2), completion.items.length - most));
  const shown = completion.items.slice(from, from + most);
  const wide = Math.min(Math.max(...shown.map((item) => textWidth(item.value))), Math.max(8, Math.floor(width / 2)));
  return shown.map((item, index) => {
    const chosen = from + index === completion.selected;
    const value = ` ${fitText(item.value, wide)} `;
    const detail = fitText(` ${item.detail}`, Math.max(0, width - wide - 2));
    return chosen ? [span(value, 'selected'), bold(detail)] : [span(value, 'accent'), span(detail, 'dim')];
  });
}
