// Styled text: a line is spans, a span is text and the name of a style. Panes build lines; only the theme knows colours.
import { breakCells, type Cell, cellsOf, clipText, narrowed, textWidth } from './width.ts';

export type StyleName =
  | 'text'
  | 'dim'
  | 'accent'
  | 'good'
  | 'bad'
  | 'warn'
  | 'border'
  | 'code'
  | 'link'
  | 'added'
  | 'removed'
  | 'hunk'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'name'
  | 'selected';

export interface Span {
  readonly text: string;
  readonly style: StyleName;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
}

export type Line = readonly Span[];

export interface Size {
  readonly width: number;
  readonly height: number;
}

export function span(text: string, style: StyleName = 'text', look: Pick<Span, 'bold' | 'italic' | 'strike'> = {}): Span {
  return { text, style, ...look };
}

export function bold(text: string, style: StyleName = 'text'): Span {
  return { text, style, bold: true };
}

export function lineWidth(line: Line): number {
  let width = 0;
  for (const part of line) width += textWidth(part.text);
  return width;
}

/** The line cut to `width` columns, `…` where something is missing. */
export function clipLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const out: Span[] = [];
  let left = width;
  for (const part of line) {
    const wide = textWidth(part.text);
    // A following span would not fit either, so the mark of the cut belongs to this one.
    if (wide >= left) {
      out.push({ ...part, text: clipText(`${part.text} `, left) });
      break;
    }
    out.push(part);
    left -= wide;
  }
  return out;
}

/** Left and right part on one line of `width` columns; the left gives way, then the right. */
export function justify(left: Line, right: Line, width: number): Line {
  const end = clipLine(right, width);
  const room = width - lineWidth(end);
  if (room <= 1 && lineWidth(left) > 0) return clipLine([...left, span(' '), ...right], width);
  const start = clipLine(left, Math.max(0, room - 1));
  return [...start, span(' '.repeat(Math.max(0, room - lineWidth(start)))), ...end];
}

/** Indents every line; the first one may begin with something of its own, as wide as the indent. */
export function indent(lines: readonly Line[], by: number, first?: Line): Line[] {
  const blank = span(' '.repeat(by));
  return lines.map((line, index) => (index === 0 && first !== undefined ? [...first, ...line] : [blank, ...line]));
}

interface StyledCell {
  readonly cell: Cell;
  readonly from: Span;
}

/** Wraps one paragraph of spans to `width` columns. Newlines in it begin a new row. Never empty. */
export function wrapLine(line: Line, width: number): Line[] {
  const out: Line[] = [];
  for (const paragraph of splitLines(line)) {
    const styled: StyledCell[] = [];
    let column = 0;
    for (const from of paragraph)
      for (const cell of cellsOf(from.text, column)) {
        styled.push({ cell: narrowed(cell, width), from });
        column += cell.width;
      }
    for (const [start, end] of breakCells(
      styled.map((one) => one.cell),
      width,
    ))
      out.push(joined(styled.slice(start, end)));
  }
  return out;
}

/** Plain text as wrapped lines of one style. */
export function wrapText(text: string, width: number, style: StyleName = 'text'): Line[] {
  return wrapLine([span(text, style)], width);
}

function joined(cells: readonly StyledCell[]): Line {
  const out: Span[] = [];
  let open: { text: string; from: Span } | undefined;
  for (const { cell, from } of cells) {
    if (open?.from === from) {
      open.text += cell.text;
      continue;
    }
    if (open !== undefined) out.push({ ...open.from, text: open.text });
    open = { text: cell.text, from };
  }
  if (open !== undefined) out.push({ ...open.from, text: open.text });
  return out;
}

/** Breaks spans at line ends of any kind. */
export function splitLines(line: Line): Line[] {
  const out: Span[][] = [[]];
  for (const part of line) {
    const pieces = part.text.split(/\r\n|[\n\r\u2028\u2029]/);
    pieces.forEach((text, index) => {
      if (index > 0) out.push([]);
      if (text !== '') out.at(-1)?.push({ ...part, text });
    });
  }
  return out;
}
