// The blocks of a Markdown file with their exact lines: what a chunk may begin or end at. Only block structure is
// parsed (headings inside fences or comments are not headings); inline Markdown does not matter to search.
import MarkdownIt from 'markdown-it';
import { tagsOf } from './tags.ts';

export interface Block {
  /** 0-based, half-open, without blank lines at either end. */
  readonly start: number;
  readonly end: number;
  /** Depth of a heading, 1 to 6. */
  readonly heading?: number;
  /** The words of a heading. */
  readonly title?: string;
  /** Own tags, folded. */
  readonly tags: readonly string[];
}

let parser: ReturnType<typeof blockParser> | undefined;

/** Lines as people count them: a carriage return before the line feed belongs to the line end, a trailing one starts no line. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The blocks of a file in order; list items are blocks of their own, so that each entry of a log is. */
export function blocksOf(lines: readonly string[]): Block[] {
  const front = frontMatterEnd(lines);
  // Front matter is hidden from the parser, which would read its end as the underline of a heading; so is a stray
  // carriage return, which it would count as a line.
  const visible = lines.map((line, at) => (at < front ? '' : line.replaceAll('\r', ' ')));
  parser ??= blockParser();
  const tokens = parser.parse(visible.join('\n'), {});
  const blocks: Block[] = front > 0 ? [{ start: 0, end: front, tags: [] }] : [];
  tokens.forEach((token, at) => {
    if (token.map === null || token.nesting < 0) return;
    const inList = token.level === 1 && token.type === 'list_item_open';
    const isList = /^(bullet|ordered)_list_open$/.test(token.type);
    if ((token.level !== 0 || isList) && !inList) return;
    const [start, end] = trimmed(lines, token.map[0], token.map[1]);
    if (end <= start) return;
    const heading = token.type === 'heading_open' ? Number(token.tag.slice(1)) : undefined;
    const title = heading === undefined ? undefined : (tokens[at + 1]?.content ?? '');
    const speaks = ['heading_open', 'paragraph_open', 'list_item_open'].includes(token.type);
    blocks.push({
      start,
      end,
      ...(heading === undefined ? {} : { heading, title: title ?? '' }),
      tags: speaks ? tagsOf(lines[start] ?? '') : [],
    });
  });
  return blocks.sort((a, b) => a.start - b.start);
}

function blockParser() {
  const markdown = new MarkdownIt({ html: true });
  markdown.core.ruler.enableOnly(['normalize', 'block']);
  return markdown;
}

/** Number of lines of YAML front matter, its two marks included; 0 when there is none or it is never closed. */
function frontMatterEnd(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0;
  const close = lines.findIndex((line, at) => at > 0 && /^(---|\.\.\.)\s*$/.test(line));
  return close < 0 ? 0 : close + 1;
}

function trimmed(lines: readonly string[], from: number, to: number): [number, number] {
  let [start, end] = [from, Math.min(to, lines.length)];
  while (start < end && lines[start]?.trim() === '') start++;
  while (end > start && lines[end - 1]?.trim() === '') end--;
  return [start, end];
}
