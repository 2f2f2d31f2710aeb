// Markdown to lines. Text that is still streaming keeps its finished blocks, so that a frame parses only the last one.
import { lexer, type Token, type Tokens } from 'marked';
import { highlighted } from '../highlight.ts';
import { indent, type Line, lineWidth, type Span, type StyleName, span, splitLines, wrapLine, wrapText } from '../spans.ts';
import { cellsOf, textWidth } from '../width.ts';
import { tableLines } from './table.ts';

/** A text as lines of at most `width` columns; at least one line. */
export function markdownLines(text: string, width: number): Line[] {
  const tokens = blocksOf(text);
  if (tokens === undefined) return wrapText(text, width);
  const lines = blockLines(tokens, Math.max(1, width));
  return lines.length === 0 ? [[]] : lines;
}

/** Blocks of a text, or undefined where its nesting is too deep to be parsed (thousands of `>` on a line). */
function blocksOf(text: string): Token[] | undefined {
  try {
    return lexer(text, { gfm: true });
  } catch {
    // A hostile text can exhaust the parser's stack; as plain text it is as readable as it ever was.
    return undefined;
  }
}

interface Finished {
  /** Text whose blocks cannot change any more. */
  readonly text: string;
  readonly lines: readonly Line[];
}

/** Draws growing texts: call it with the same key for a text that only gets longer. */
export interface StreamedMarkdown {
  lines(key: number, text: string, width: number): Line[];
}

/** Remembers finished blocks of a few streaming texts (one an agent). */
export function streamedMarkdown(): StreamedMarkdown {
  const kept = new Map<string, Finished>();
  return {
    lines(key, text, width) {
      const name = `${key}:${width}`;
      const before = kept.get(name);
      const known = before !== undefined && text.startsWith(before.text) ? before : { text: '', lines: [] };
      const rest = text.slice(known.text.length);
      const tokens = blocksOf(rest);
      if (tokens === undefined) return wrapText(text, width);
      // Only the last block can still grow: a list may go on after a blank line, a table after its first row.
      const last = tokens.findLastIndex((token) => token.type !== 'space');
      const stable = tokens.slice(0, Math.max(0, last));
      const stableText = known.text + stable.map((token) => token.raw).join('');
      const stableLines = stable.some((token) => token.type !== 'space') ? join(known.lines, blockLines(stable, width)) : known.lines;
      if (kept.size > 16) kept.clear();
      kept.set(name, { text: stableText, lines: stableLines });
      const all = join(stableLines, blockLines(tokens.slice(Math.max(0, last)), width));
      return all.length === 0 ? [[]] : all;
    },
  };
}

function join(a: readonly Line[], b: readonly Line[]): Line[] {
  if (a.length === 0) return [...b];
  return b.length === 0 ? [...a] : [...a, [], ...b];
}

/** Blocks with an empty line between them, as their writer meant it. */
function blockLines(tokens: readonly Token[], width: number, tight = false): Line[] {
  const out: Line[] = [];
  for (const token of tokens) {
    const lines = oneBlock(token, width);
    if (lines.length === 0) continue;
    if (out.length > 0 && !tight) out.push([]);
    out.push(...lines);
  }
  return out;
}

function oneBlock(token: Token, width: number): Line[] {
  if (isToken<Tokens.Heading>(token, 'heading')) return headingLines(token, width);
  if (isToken<Tokens.Code>(token, 'code')) return codeLines(token.text, token.lang ?? '', width);
  if (isToken<Tokens.List>(token, 'list')) return listLines(token, width);
  if (isToken<Tokens.Blockquote>(token, 'blockquote')) {
    const inner = blockLines(token.tokens, Math.max(1, width - 2));
    return width < 4 ? inner : inner.map((line) => [span('▎ ', 'border'), ...line]);
  }
  if (isToken<Tokens.Table>(token, 'table')) {
    const cell = (one: Tokens.TableCell): Line => inlineSpans(one.tokens, {});
    return tableLines({ header: token.header.map(cell), rows: token.rows.map((row) => row.map(cell)), align: token.align }, width);
  }
  if (token.type === 'hr') return [[span('─'.repeat(Math.max(1, Math.min(width, 40))), 'border')]];
  if (token.type === 'space' || token.type === 'def') return [];
  if (token.type === 'html') return wrapText(token.raw.replace(/\n+$/, ''), width, 'dim');
  const inner = 'tokens' in token ? token.tokens : undefined;
  return wrapLine(inner === undefined ? [span(token.raw)] : inlineSpans(inner, {}), width);
}

/** The parser's union has a catch-all member, so that the type alone does not narrow it. */
function isToken<T extends { type: string }>(token: Token, type: T['type']): token is Token & T {
  return token.type === type;
}

function headingLines(token: Tokens.Heading, width: number): Line[] {
  const style: StyleName = token.depth <= 2 ? 'accent' : 'text';
  const title = inlineSpans(token.tokens, { bold: true }).map((part) => (part.style === 'text' ? { ...part, style } : part));
  const lines = wrapLine(title, width);
  if (token.depth !== 1) return lines;
  const wide = Math.min(width, Math.max(1, ...lines.map(lineWidth)));
  return [...lines, [span('─'.repeat(wide), 'border')]];
}

/** Code keeps its own lines; one that is too long is cut into rows, never hidden. */
function codeLines(code: string, language: string, width: number): Line[] {
  const name = /^[\w+#.-]*/.exec(language)?.[0] ?? '';
  const text = code.replace(/\n$/, '');
  const spans = name === 'diff' ? diffSpans(text) : (highlighted(name, text) ?? [span(text, name === '' ? 'code' : 'text')]);
  const inner = Math.max(1, width - 2);
  const body = splitLines(spans).flatMap((line) => (line.length === 0 ? [[span(' ')]] : hardWrap(line, inner)));
  return width < 6 ? body : indent(body, 2);
}

function diffSpans(text: string): Span[] {
  return text.split('\n').map((line, index, all) => {
    const style: StyleName = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : line.startsWith('@@') ? 'hunk' : 'text';
    return span(index < all.length - 1 ? `${line}\n` : line, style);
  });
}

/** Rows of code break where the width ends and keep every blank. */
function hardWrap(line: Line, width: number): Line[] {
  if (lineWidth(line) <= width && !line.some((part) => part.text.includes('\t'))) return [line];
  const rows: Span[][] = [[]];
  let used = 0;
  let column = 0;
  for (const part of line)
    for (const cell of cellsOf(part.text, column)) {
      column += cell.width;
      if (used + cell.width > width && used > 0) {
        rows.push([]);
        used = 0;
      }
      const row = rows.at(-1);
      const last = row?.at(-1);
      const text = cell.width > width ? '·' : cell.text;
      if (last !== undefined && last.style === part.style) row?.splice(-1, 1, { ...last, text: last.text + text });
      else row?.push({ ...part, text });
      used += cell.width;
    }
  return rows;
}

function listLines(list: Tokens.List, width: number): Line[] {
  const out: Line[] = [];
  const first = typeof list.start === 'number' ? list.start : 1;
  const wide = list.ordered ? String(first + list.items.length - 1).length + 2 : 2;
  list.items.forEach((item, index) => {
    if (index > 0 && list.loose) out.push([]);
    const mark = item.task ? (item.checked === true ? '☑ ' : '☐ ') : list.ordered ? `${first + index}. `.padStart(wide) : '• ';
    const by = textWidth(mark);
    const inner = Math.max(1, width - by);
    const tokens = item.tokens.filter((token) => token.type !== 'checkbox');
    const lines = blockLines(tokens, inner, !list.loose);
    if (width <= by + 2) out.push(...lines);
    else out.push(...indent(lines.length === 0 ? [[]] : lines, by, [span(mark, item.checked === true ? 'good' : 'accent')]));
  });
  return out;
}

interface Look {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly style?: StyleName;
}

/** Inline Markdown as spans. An address is shown behind the words of its link when they differ. */
function inlineSpans(tokens: readonly Token[], look: Look): Span[] {
  const { style = 'text', ...weight } = look;
  return tokens.flatMap((token): Span[] => {
    if (isToken<Tokens.Strong>(token, 'strong')) return inlineSpans(token.tokens, { ...look, bold: true });
    if (isToken<Tokens.Em>(token, 'em')) return inlineSpans(token.tokens, { ...look, italic: true });
    if (isToken<Tokens.Del>(token, 'del')) return inlineSpans(token.tokens, { ...look, strike: true });
    if (isToken<Tokens.Codespan>(token, 'codespan')) return [{ text: token.text, style: 'code', ...weight }];
    if (isToken<Tokens.Link>(token, 'link')) {
      const words = inlineSpans(token.tokens, { ...look, style: 'link' });
      const shown = words.map((part) => part.text).join('');
      return shown === token.href || `mailto:${shown}` === token.href ? words : [...words, span(` (${token.href})`, 'dim')];
    }
    if (isToken<Tokens.Image>(token, 'image')) return [span(`▣ ${token.text || token.href}`, 'link')];
    if (token.type === 'br') return [span('\n')];
    if (token.type === 'text' && 'tokens' in token && token.tokens !== undefined) return inlineSpans(token.tokens, look);
    if (token.type === 'html') return [span(token.raw, 'dim')];
    const text = 'text' in token && typeof token.text === 'string' ? token.text : token.raw;
    // A single line end inside a paragraph is a blank, as Markdown has it.
    return [{ text: text.replace(/\n/g, ' '), style, ...weight }];
  });
}
