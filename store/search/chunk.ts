// Cuts a Markdown file into chunks of at most 400 tokens on block boundaries. Every line that is not blank belongs to
// exactly one chunk (a line that is too long alone is cut into several chunks that name the same line).
import { type Block, blocksOf, linesOf } from './blocks.ts';
import { estimateTokens } from './tokens.ts';

export const CHUNK_TOKENS = 400;

export interface Chunk {
  /** 1-based, inclusive. */
  readonly lineStart: number;
  readonly lineEnd: number;
  /** The headings it stands under, outermost first, joined by ` > `. */
  readonly heading: string;
  /** Folded. */
  readonly tags: readonly string[];
  /** The lines themselves. */
  readonly body: string;
}

interface Placed {
  readonly block: Block;
  readonly heading: string;
  readonly tags: readonly string[];
}

/** The chunks of a file's text, in order. */
export function chunksOf(text: string): Chunk[] {
  const lines = linesOf(text);
  const groups: Placed[][] = [];
  let tokens = 0;
  for (const placed of place(blocksOf(lines))) {
    const size = estimateTokens(bodyOf(lines, placed.block.start, placed.block.end)) + 1;
    const group = groups.at(-1);
    if (group === undefined || tokens + size > CHUNK_TOKENS || startsAnew(group, placed)) {
      groups.push([placed]);
      tokens = size;
    } else {
      group.push(placed);
      tokens += size;
    }
  }
  return groups.flatMap((group) => cut(lines, group));
}

/** Gives each block its headings, and the tags of an entry that is a heading to all that stands under it. */
function place(blocks: readonly Block[]): Placed[] {
  const above: Array<{ depth: number; title: string; tags: readonly string[] }> = [];
  return blocks.map((block) => {
    if (block.heading !== undefined) {
      while ((above.at(-1)?.depth ?? 0) >= block.heading) above.pop();
      above.push({ depth: block.heading, title: block.title ?? '', tags: block.tags });
    }
    const tags = new Set([...above.flatMap((heading) => heading.tags), ...block.tags]);
    return { block, heading: above.map(({ title }) => title).join(' > '), tags: [...tags].sort() };
  });
}

/** A new section or other tags begin a new chunk; headings without text of their own stay with what follows. */
function startsAnew(group: readonly Placed[], next: Placed): boolean {
  const last = group.at(-1);
  if (last === undefined) return false;
  const onlyHeadings = group.every(({ block }) => block.heading !== undefined);
  if (onlyHeadings) return next.block.heading !== undefined && next.block.heading <= (last.block.heading ?? 0);
  return next.block.heading !== undefined || next.tags.join('\n') !== last.tags.join('\n');
}

function cut(lines: readonly string[], group: readonly Placed[]): Chunk[] {
  const [first, last] = [group[0], group.at(-1)];
  if (first === undefined || last === undefined) return [];
  const chunk = (start: number, end: number, body: string): Chunk => ({
    lineStart: start + 1,
    lineEnd: end,
    heading: last.heading,
    tags: last.tags,
    body,
  });
  const [start, end] = [first.block.start, last.block.end];
  const whole = bodyOf(lines, start, end);
  if (estimateTokens(whole) <= CHUNK_TOKENS) return [chunk(start, end, whole)];
  return pieces(lines, start, end).map((piece) => chunk(piece.start, piece.end, piece.body));
}

/** Parts of a block that is too large, on line ends where possible. */
function pieces(lines: readonly string[], start: number, end: number): Array<{ start: number; end: number; body: string }> {
  const out: Array<{ start: number; end: number; body: string }> = [];
  let from = start;
  let tokens = 0;
  const flush = (to: number) => {
    const body = bodyOf(lines, from, to);
    if (body.trim() !== '') out.push({ start: from, end: to, body });
    from = to;
    tokens = 0;
  };
  for (let at = start; at < end; at++) {
    const line = lines[at] ?? '';
    const size = estimateTokens(line) + 1;
    if (tokens > 0 && tokens + size > CHUNK_TOKENS) flush(at);
    if (size <= CHUNK_TOKENS) tokens += size;
    else {
      for (const body of lineParts(line)) out.push({ start: at, end: at + 1, body });
      from = at + 1;
    }
  }
  flush(end);
  return out;
}

/** Parts of one line that is too long, between words where there are any. */
function lineParts(line: string): string[] {
  const parts: string[] = [];
  let part = '';
  let tokens = 0;
  for (const word of line.match(/\S{1,200}\s*|\s+/gu) ?? []) {
    const size = estimateTokens(word);
    if (tokens + size > CHUNK_TOKENS && part !== '') {
      parts.push(part);
      part = '';
      tokens = 0;
    }
    part += word;
    tokens += size;
  }
  return [...parts, part].filter((text) => text.trim() !== '');
}

function bodyOf(lines: readonly string[], start: number, end: number): string {
  return lines.slice(start, end).join('\n');
}
