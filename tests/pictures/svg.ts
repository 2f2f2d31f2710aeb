// Cells as an SVG picture: real text in the reader's own monospace font, every run stretched to exactly its columns, so
// that wide characters and borders stand where the terminal has them. Borders and bars are shapes. Pure.
import type { Look, PaintedCell } from './cells.ts';

const CELL = { width: 8, height: 17 };
const BASELINE = 12.5;
const MARGIN = 12;
const FONT =
  "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK SC','PingFang SC','Microsoft YaHei',monospace";

export interface Picture {
  readonly rows: readonly (readonly PaintedCell[])[];
  readonly columns: number;
  readonly cursor: { readonly x: number; readonly y: number; readonly shown: boolean };
  /** What the picture shows, for those who cannot see it. */
  readonly title: string;
}

interface Run {
  readonly x: number;
  readonly y: number;
  readonly columns: number;
  readonly text: string;
  readonly look: Look;
}

/** The picture as one SVG file without scripts, fonts or anything else from outside. */
export function svgOf({ rows, columns, cursor, title }: Picture): string {
  const ground = rows[0]?.[0]?.look.background ?? '#ffffff';
  const classes = new Map<string, string>();
  const classOf = (css: string): string => {
    const known = classes.get(css);
    if (known !== undefined) return known;
    const made = `s${classes.size}`;
    classes.set(css, made);
    return made;
  };
  const body = rows.flatMap((row, y) => [
    ...runsOf(row, y, (cell) => backgroundOf(cell.look) ?? ground).flatMap((run) => block(run, ground)),
    ...runsOf(row, y, (cell) => `${JSON.stringify(cell.look)}${cell.width}${kindOf(cell)}`).flatMap((run) => drawn(run, ground, classOf)),
  ]);
  if (cursor.shown) body.push(`<rect x="${left(cursor.x)}" y="${top(cursor.y)}" width="2" height="${CELL.height}" fill="#d9a441"/>`);
  const width = columns * CELL.width + 2 * MARGIN;
  const height = rows.length * CELL.height + 2 * MARGIN;
  const styles = [...classes].map(([css, name]) => `.${name}{${css}}`).join('');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>text{font:13.3px ${FONT};white-space:pre}${styles}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${ground}"/>`,
    ...body,
    '</svg>\n',
  ].join('\n');
}

const left = (x: number) => x * CELL.width + MARGIN;
const top = (y: number) => y * CELL.height + MARGIN;

/** Neighbouring cells for which `key` says the same, as one run. */
function runsOf(row: readonly PaintedCell[], y: number, key: (cell: PaintedCell) => string): Run[] {
  const runs: Run[] = [];
  let x = 0;
  let before: string | undefined;
  for (const cell of row) {
    const here = key(cell);
    const open = runs.at(-1);
    if (open !== undefined && here === before && !here.endsWith('alone'))
      runs[runs.length - 1] = { ...open, columns: open.columns + cell.width, text: open.text + cell.text };
    else runs.push({ x, y, columns: cell.width, text: cell.text, look: cell.look });
    before = here;
    x += cell.width;
  }
  return runs;
}

const LETTERS = /^[\x20-\x7e\u00a0-\u024f\u2013-\u2026]$/;
const SHAPES = /^[─│┬┴█░]$/;

/** Signs that fonts draw at widths of their own stand alone; so do the shapes, by their kind. */
function kindOf(cell: PaintedCell): string {
  if (SHAPES.test(cell.text)) return cell.text;
  return cell.width === 2 || LETTERS.test(cell.text) ? '' : 'alone';
}

function backgroundOf(look: Look): string | undefined {
  return look.inverse === true ? look.colour : look.background;
}

function block(run: Run, ground: string): string[] {
  const fill = backgroundOf(run.look) ?? ground;
  if (fill === ground) return [];
  return [`<rect x="${left(run.x)}" y="${top(run.y)}" width="${run.columns * CELL.width}" height="${CELL.height}" fill="${fill}"/>`];
}

function drawn(run: Run, ground: string, classOf: (css: string) => string): string[] {
  const colour = (run.look.inverse === true ? run.look.background : run.look.colour) ?? ground;
  if (SHAPES.test(run.text[0] ?? '')) return [shape(run, colour)];
  return words(run).map((word) => {
    const css = [
      `fill:${colour}`,
      // Not every viewer stretches text: spaced like this, wide characters take two columns in those as well.
      word.columns > Array.from(word.text).length ? 'font-size:14px;letter-spacing:2px' : '',
      run.look.bold === true ? 'font-weight:700' : '',
      run.look.italic === true ? 'font-style:italic' : '',
      run.look.dim === true ? 'opacity:.6' : '',
      run.look.underline === true ? 'text-decoration:underline' : '',
      run.look.strike === true ? 'text-decoration:line-through' : '',
    ]
      .filter(Boolean)
      .join(';');
    const place = `class="${classOf(css)}" x="${left(word.x)}" y="${top(word.y) + BASELINE}"`;
    return `<text ${place} textLength="${word.columns * CELL.width}">${escaped(word.text)}</text>`;
  });
}

/** The run without blanks at its ends, broken where two or more of them stand: blanks need no drawing. */
function words(run: Run): Run[] {
  const wide = run.columns / Math.max(1, Array.from(run.text).length) > 1;
  return [...run.text.matchAll(/\S+(?: \S+)*/gu)].map((match) => {
    const before = Array.from(run.text.slice(0, match.index)).length;
    const columns = Array.from(match[0]).length * (wide ? 2 : 1);
    return { ...run, x: run.x + before * (wide ? 2 : 1), columns, text: match[0] };
  });
}

function shape({ x, y, columns, text }: Run, colour: string): string {
  const wide = columns * CELL.width;
  const rect = (dx: number, dy: number, width: number, height: number, opacity = '') =>
    `<rect x="${left(x) + dx}" y="${top(y) + dy}" width="${width}" height="${height}" fill="${colour}"${opacity}/>`;
  const middle = CELL.height / 2 - 0.5;
  switch (text[0]) {
    case '│':
      return rect(CELL.width / 2 - 0.5, 0, 1, CELL.height);
    case '┬':
      return rect(0, middle, wide, 1) + rect(CELL.width / 2 - 0.5, middle, 1, CELL.height - middle);
    case '┴':
      return rect(0, middle, wide, 1) + rect(CELL.width / 2 - 0.5, 0, 1, middle);
    case '█':
      return rect(0, 4, wide, CELL.height - 8);
    case '░':
      return rect(0, 4, wide, CELL.height - 8, ' opacity=".7"');
    default:
      return rect(0, middle, wide, 1);
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (sign) => (sign === '&' ? '&amp;' : sign === '<' ? '&lt;' : '&gt;'));
}
