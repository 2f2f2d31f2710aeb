// A category file as topics: each `##` heading begins one, in the eyes of a real Markdown parser, so that headings inside
// fences, comments or front matter begin none. Positions are byte offsets of lines: an edit never decodes what it leaves.
import { stableHash } from '../ids.ts';
import { type Block, blocksOf } from '../search/blocks.ts';
import { fold } from '../search/fold.ts';

/** One thing a topic says: a list item, or any other block of its body. */
export interface Entry {
  /** 0-based lines, half-open. */
  readonly start: number;
  readonly end: number;
  /** What it says, without its bullet and indentation. */
  readonly text: string;
  readonly bullet: boolean;
}

export interface TopicBlock {
  readonly title: string;
  /** First line of the heading, 0-based. */
  readonly start: number;
  /** First line after the heading: a setext heading has two lines. */
  readonly body: number;
  /** First line that is not the topic's any more; blank lines before the next heading are its own. */
  readonly end: number;
  readonly entries: readonly Entry[];
  /** Of the topic's bytes. */
  readonly hash: string;
}

export interface MemoryDocument {
  readonly bytes: Buffer;
  /** Byte offset of each line's first byte, and of the end of the file last. */
  readonly offsets: readonly number[];
  /** The lines, decoded, without line ends and byte order mark. */
  readonly lines: readonly string[];
  readonly eol: '\n' | '\r\n';
  readonly topics: readonly TopicBlock[];
}

const BULLET = /^ {0,3}[-*+](?:\s+|$)/;

export function parseDocument(bytes: Buffer): MemoryDocument {
  // The byte order mark is no part of the first line: what is put before that line goes behind the mark.
  const first = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  const offsets = [first];
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) if (at + 1 < bytes.length) offsets.push(at + 1);
  offsets.push(bytes.length);
  const lines =
    bytes.length === first ? [] : offsets.slice(0, -1).map((from, n) => bytes.toString('utf8', from, offsets[n + 1]).replace(/\r?\n$/, ''));
  const blocks = blocksOf(lines);
  const heads = blocks.filter((block) => block.heading !== undefined && block.heading <= 2);
  let reached = 0;
  const topics = heads.flatMap((head, n): TopicBlock[] => {
    if (head.heading !== 2) return [];
    const end = heads[n + 1]?.start ?? lines.length;
    // Blocks are in order, so each is looked at once: a file may hold thousands of topics.
    while (reached < blocks.length && (blocks[reached]?.start ?? 0) < head.end) reached++;
    const first = reached;
    while (reached < blocks.length && (blocks[reached]?.start ?? 0) < end) reached++;
    return [
      {
        // A setext heading may have several lines; a topic's name has one.
        title: (head.title ?? '').trim().replace(/\s*\n\s*/g, ' '),
        start: head.start,
        body: head.end,
        end,
        entries: blocks.slice(first, reached).map((block) => entryOf(lines, block)),
        hash: stableHash(bytes.toString('latin1', offsets[head.start], offsets[end])),
      },
    ];
  });
  return { bytes, offsets, lines, eol: bytes.indexOf('\r\n') >= 0 ? '\r\n' : '\n', topics };
}

function entryOf(lines: readonly string[], { start, end }: Block): Entry {
  const own = lines.slice(start, end);
  const mark = BULLET.exec(own[0] ?? '')?.[0];
  if (mark === undefined) return { start, end, text: own.join('\n'), bullet: false };
  const indent = new RegExp(`^ {0,${mark.length}}`);
  return {
    start,
    end,
    text: [(own[0] ?? '').slice(mark.length), ...own.slice(1).map((line) => line.replace(indent, ''))].join('\n'),
    bullet: true,
  };
}

/** The Markdown of a topic, heading included, without blank lines at its end. */
export function topicText(document: MemoryDocument, topic: TopicBlock): string {
  return document.lines.slice(topic.start, topic.end).join('\n').trimEnd();
}

/** The form in which titles are compared: case, accents, full-width letters and runs of blanks do not tell two apart. */
export function titleKey(title: string): string {
  return fold(title).replace(/\s+/gu, ' ').trim();
}

/** The form in which entries are compared: without provenance, case and punctuation at the end. */
export function entryKey(text: string): string {
  return titleKey(withoutProvenance(text)).replace(/[\s.。!！;；,，]+$/u, '');
}

const PROVENANCE = /\s*\((?:\d{4}-\d\d-\d\d)(?:, [\w-]+)?\)\s*$/;

/** The words alone, without `(2026-03-03, session)` at their end. */
export function withoutProvenance(text: string): string {
  return text.replace(PROVENANCE, '');
}

/** The `2026-03-03, session` that an entry ends with, or undefined for what a person wrote. */
export function provenanceOf(text: string): string | undefined {
  return PROVENANCE.exec(text)?.[0].trim().slice(1, -1);
}

/** The text with a fence or comment closed that is open at its end: what is written behind it must not fall into it. */
export function closedMarkdown(text: string): string {
  const ends = (candidate: string) => blocksOf([...candidate.split('\n'), '', '## probe']).at(-1)?.title === 'probe';
  if (ends(text)) return text;
  const fences = text.match(/^ {0,3}(?:`{3,}|~{3,})/gm) ?? [];
  const closers = [...fences.map((fence) => fence.trim()).reverse(), '-->'];
  const closer = closers.find((mark) => ends(`${text}\n${mark}`));
  return closer === undefined ? text : `${text}\n${closer}`;
}
