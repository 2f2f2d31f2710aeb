// Older layouts, taken over once: `.MEMORY/memory.md` with its topics, and `.MEMORY/<category>/<topic>.md` with one file a
// topic. The old files end in a snapshot; what a topic of today says already is not written twice, so a crash half-way
// only means that the rest is done at the next start.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../errors.ts';
import { listNames, moveFile } from '../files.ts';
import type { Layout } from '../layout.ts';
import { blocksOf } from '../search/blocks.ts';
import { CATEGORIES, type Category, categoryFile } from './categories.ts';
import { closedMarkdown, type MemoryDocument, parseDocument, titleKey, topicText } from './document.ts';
import { cleanTitle } from './edit.ts';
import { prune, takeSnapshot } from './snapshots.ts';
import { type OpenFiles, readMemoryBytes } from './write.ts';

interface OldTopic {
  readonly title: string;
  readonly body: string;
}

interface OldFile {
  readonly path: string;
  readonly category: Category;
  readonly topics: readonly OldTopic[];
}

/** True when there is something of an older layout. */
export function hasOldLayout(layout: Layout): boolean {
  return oldPaths(layout).length > 0;
}

/** Takes over what there is, under the lock; returns the names of the old files. */
export function migrate(layout: Layout, files: OpenFiles, now: number): string[] {
  const old = oldPaths(layout).map(readOld);
  if (old.length === 0) return [];
  const changes = CATEGORIES.flatMap((category) => {
    const topics = old.filter((file) => file.category === category).flatMap((file) => file.topics);
    if (topics.length === 0) return [];
    const path = categoryFile(layout, category);
    const before = files.read(path);
    return [{ path, before, after: topics.reduce(addOldTopic, before) }];
  });
  const folder = takeSnapshot(layout, now, 'migrate', changes);
  for (const { path, after } of changes) files.write(path, after);
  for (const [n, { path }] of old.entries())
    moveFile(path, join(folder, `old-${n + 1}-${path.slice(layout.memory.length + 1).replaceAll('/', '-')}`));
  prune(layout);
  return old.map(({ path }) => path.slice(layout.memory.length + 1));
}

function oldPaths(layout: Layout): Array<{ readonly path: string; readonly category: Category; readonly single: boolean }> {
  const single = join(layout.memory, 'memory.md');
  return [
    ...(isKind(single, 'isFile') ? [{ path: single, category: 'general' as const, single: false }] : []),
    ...CATEGORIES.flatMap((category) => {
      const folder = join(layout.memory, category);
      if (!isKind(folder, 'isDirectory')) return [];
      return listNames(folder)
        .filter((name) => name.endsWith('.md') && isKind(join(folder, name), 'isFile'))
        .map((name) => ({ path: join(folder, name), category, single: true }));
    }),
  ];
}

function isKind(path: string, kind: 'isFile' | 'isDirectory'): boolean {
  try {
    return statSync(path)[kind]();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

function readOld({ path, category, single }: { path: string; category: Category; single: boolean }): OldFile {
  const document = parseDocument(readMemoryBytes(path));
  const stem = path.split('/').at(-1)?.replace(/\.md$/, '') ?? 'memory';
  if (single) return { path, category, topics: [wholeFile(document, stem)] };
  const before = document.lines
    .slice(0, document.topics[0]?.start ?? document.lines.length)
    .join('\n')
    .trim();
  const topics = document.topics.map((topic) => ({
    title: topic.title || stem,
    body: document.lines.slice(topic.body, topic.end).join('\n'),
  }));
  return { path, category, topics: [...(before === '' ? [] : [{ title: stem, body: demoted(before.split('\n')) }]), ...topics] };
}

/** One file a topic: its first `#` heading names it, else its file. */
function wholeFile(document: MemoryDocument, stem: string): OldTopic {
  const [first] = blocksOf(document.lines);
  const named = first?.heading === 1 && (first.title ?? '').trim() !== '';
  return { title: named ? (first.title ?? stem) : stem, body: demoted(document.lines.slice(named ? first.end : 0)) };
}

/** Headings that would begin topics of their own become deeper ones. */
function demoted(lines: readonly string[]): string {
  const out = [...lines];
  for (const { start, end, heading, title } of blocksOf(lines)) {
    if (heading === undefined || heading > 2) continue;
    out[start] = `### ${title ?? ''}`;
    for (let at = start + 1; at < end; at++) out[at] = '';
  }
  return out.join('\n');
}

function addOldTopic(bytes: Buffer, { title, body }: OldTopic): Buffer {
  const document = parseDocument(bytes);
  const name = cleanTitle(title || 'memory');
  const text = body.replace(/^\n+|\s+$/g, '');
  const there = document.topics.filter((topic) => titleKey(topic.title) === titleKey(name));
  if (there.some((topic) => topicText(document, topic).endsWith(text))) return bytes;
  const { eol } = document;
  const gap = bytes.length === 0 ? '' : bytes.at(-1) === 10 ? eol : eol + eol;
  const block = `## ${name}\n\n${closedMarkdown(text)}\n`.replaceAll('\n', eol);
  return Buffer.concat([bytes, Buffer.from(gap + block)]);
}
