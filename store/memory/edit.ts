// Edits of a category file: pure, bytes in and bytes out. Each is parsed again and taken only if it did what was meant and
// nothing else, since an open fence or comment of a person may swallow whatever is written after it.
import { XzError } from '../errors.ts';
import { type Entry, type MemoryDocument, parseDocument, type TopicBlock, titleKey, topicText } from './document.ts';

const LONGEST_TITLE = 120;

/** A title as one line that Markdown gives back unchanged; throws `bad_input` when nothing is left of it. */
export function cleanTitle(given: string): string {
  const title = given
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/^[\s#]+/u, '')
    .replace(/\s+#+\s*$/u, '')
    .trim();
  const short = Array.from(title).slice(0, LONGEST_TITLE).join('').trim();
  if (short === '') throw new XzError('bad_input', 'a topic needs a title');
  return short;
}

/** The file with an entry at the end of a topic. */
export function addEntry(document: MemoryDocument, topic: TopicBlock, content: string): Buffer {
  const index = document.topics.indexOf(topic);
  // At its end; where something open there would swallow it, straight below the heading.
  for (const at of [lastLine(document, topic) + 1, topic.body]) {
    const before = topic.entries.findLast((entry) => entry.end <= at);
    const joins = before?.bullet === true && before.end === at;
    const mark = joins ? (/[-*+]/.exec(document.lines[before.start] ?? '')?.[0] ?? '-') : '-';
    const after = joins || at < topic.end || at >= document.lines.length ? [] : [''];
    const lines = [
      ...(joins ? [] : ['']),
      ...bulletLines(content, mark),
      ...(at === topic.body && topic.entries.length > 0 ? [''] : after),
    ];
    const next = parseDocument(insertLines(document, at, lines));
    const wanted = content.trim();
    if (sameTopics(document, next, index) && next.topics[index]?.entries.some((entry) => entry.text.trimEnd() === wanted))
      return next.bytes;
  }
  throw new XzError('conflict', `nothing can be added to the topic "${topic.title}": something in it is left open`, {
    hint: 'close its code fences and comments',
  });
}

/** The file with a new topic, at its end where that is possible. */
export function addTopic(document: MemoryDocument, title: string, content: string): Buffer {
  const heads = document.topics.map(({ start }) => start);
  const places = [document.lines.length, ...heads.slice(-1), ...heads.slice(0, 1)];
  for (const at of places) {
    const blankBefore = at === 0 || (document.lines[at - 1] ?? '').trim() === '';
    const lines = [
      ...(blankBefore ? [] : ['']),
      `## ${title}`,
      '',
      ...bulletLines(content, '-'),
      ...(at < document.lines.length ? [''] : []),
    ];
    const next = parseDocument(insertLines(document, at, lines));
    const index = document.topics.filter(({ start }) => start < at).length;
    const made = next.topics[index];
    const others = next.topics.filter((_, n) => n !== index);
    const kept = others.length === document.topics.length && others.every(({ title }, n) => title === document.topics[n]?.title);
    if (kept && made?.title === title && made.entries.some((entry) => entry.text.trimEnd() === content.trim())) return next.bytes;
  }
  throw new XzError('conflict', `the topic "${title}" cannot be added: something in the file is left open, or the title is no plain text`, {
    hint: 'close its code fences and comments, or take another title',
  });
}

/** The file with an entry that says something else. */
export function replaceEntry(document: MemoryDocument, topic: TopicBlock, entry: Entry, content: string): Buffer {
  const mark = entry.bullet ? (/[-*+]/.exec(document.lines[entry.start] ?? '')?.[0] ?? '-') : '-';
  const next = parseDocument(spliceLines(document, entry.start, entry.end, bulletLines(content, mark)));
  if (!sameTopics(document, next, document.topics.indexOf(topic)))
    throw new XzError('conflict', `the entry cannot be replaced without touching what stands beside it in "${topic.title}"`);
  return next.bytes;
}

/** The file with other entries in a topic; heading and what surrounds the topic stay. */
export function replaceBody(document: MemoryDocument, topic: TopicBlock, contents: readonly string[]): Buffer {
  const end = lastLine(document, topic) + 1;
  const lines = ['', ...contents.flatMap((content) => bulletLines(content, '-'))];
  const next = parseDocument(spliceLines(document, topic.body, Math.max(end, topic.body), lines));
  if (!sameTopics(document, next, document.topics.indexOf(topic)))
    throw new XzError('conflict', `the topic "${topic.title}" cannot be rewritten without touching its neighbours`);
  return next.bytes;
}

/** The file without a topic; every other byte stays. A blank line takes its place where its neighbours would run together. */
export function removeTopic(document: MemoryDocument, topic: TopicBlock): Buffer {
  const others = document.topics.filter((other) => other !== topic);
  for (const lines of [[], ['']]) {
    const next = parseDocument(spliceLines(document, topic.start, topic.end, lines));
    const texts = next.topics.map((topic) => topicText(next, topic));
    if (others.length === texts.length && others.every((other, n) => topicText(document, other) === texts[n])) return next.bytes;
  }
  throw new XzError('conflict', `the topic "${topic.title}" cannot be taken out without touching its neighbours`, {
    hint: 'put a blank line and an unindented heading behind it, then try again',
  });
}

function bulletLines(content: string, mark: string): string[] {
  const [first = '', ...rest] = content.trim().split(/\r?\n/);
  return [`${mark} ${first}`, ...rest.map((line) => (line === '' ? '' : `  ${line}`))];
}

/** Last line of a topic that is not blank. */
function lastLine(document: MemoryDocument, topic: TopicBlock): number {
  let last = topic.end - 1;
  while (last >= topic.body && (document.lines[last] ?? '').trim() === '') last--;
  return Math.max(last, topic.body - 1);
}

const insertLines = (document: MemoryDocument, at: number, lines: readonly string[]) => spliceLines(document, at, at, lines);

function spliceLines({ bytes, offsets, eol }: MemoryDocument, from: number, to: number, lines: readonly string[]): Buffer {
  const [start, end] = [offsets[from] ?? bytes.length, offsets[to] ?? bytes.length];
  const head = bytes.subarray(0, start);
  const open = start > (offsets[0] ?? 0) && head.at(-1) !== 10 && lines.length > 0 ? eol : '';
  return Buffer.concat([head, Buffer.from(open + lines.map((line) => line + eol).join('')), bytes.subarray(end)]);
}

/** Whether only the topic at `changed` is another one than before. */
function sameTopics(before: MemoryDocument, after: MemoryDocument, changed: number): boolean {
  return (
    before.topics.length === after.topics.length &&
    before.topics.every((topic, n) => topic.title === after.topics[n]?.title && (n === changed || topic.hash === after.topics[n]?.hash))
  );
}

/** Topics of a file whose title is this one: written so, else the same by `titleKey`. */
export function topicsTitled(document: MemoryDocument, title: string): readonly TopicBlock[] {
  const exact = document.topics.filter((topic) => topic.title === title);
  if (exact.length > 0) return exact;
  const key = titleKey(title);
  return document.topics.filter((topic) => titleKey(topic.title) === key);
}
