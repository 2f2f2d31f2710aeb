// `.MEMORY/`: topics in five Markdown files that a person may edit at any moment. The files are the truth; every change
// reads them anew under the lock, touches only its own lines, and keeps a copy of what it would destroy.
import { type Clock, isoWithOffset, localDate } from '../clock.ts';
import { diskError, XzError } from '../errors.ts';
import { pathExists } from '../files.ts';
import { randomId, resolvePrefix } from '../ids.ts';
import { ensureStore, type Layout } from '../layout.ts';
import type { Locks } from '../lock.ts';
import type { Finding } from '../quarantine.ts';
import { CATEGORIES, type Category, categoryFile } from './categories.ts';
import { checkMemory } from './check.ts';
import { type Conflict, conflictBytes, conflictsPath, type Keep, readConflicts } from './conflicts.ts';
import { entryKey, type MemoryDocument, parseDocument, provenanceOf, type TopicBlock, withoutProvenance } from './document.ts';
import { addEntry, addTopic, cleanTitle, removeTopic, replaceBody, replaceEntry, topicsTitled } from './edit.ts';
import { indexSignature, refreshIndex } from './index-file.ts';
import { hasOldLayout, migrate } from './migrate.ts';
import { applyChoice, type Resolved } from './resolve.ts';
import { looksSecret } from './secrets.ts';
import { replaceWithSnapshot, type Undone, undoLast } from './snapshots.ts';
import { readCategories, type Topic, topicNamed, topicsOf } from './topics.ts';
import { type OpenFiles, openWriter, readMemoryBytes } from './write.ts';

export interface MemorySetup {
  readonly layout: Layout;
  readonly locks: () => Locks;
  readonly clock: Clock;
  /** Told of files that cannot be used. */
  readonly report?: (finding: Finding) => void;
}

export interface NewFact {
  readonly category: Category;
  readonly topic: string;
  readonly content: string;
  /** Who said it when: the session, and ms since the epoch. */
  readonly session: string;
  readonly at: number;
}

export interface Appended {
  /** `present` when the topic says this already. */
  readonly state: 'added' | 'present';
  /** The topic as `category/title`. */
  readonly name: string;
}

export interface Memory {
  /** All topics as the files hold them now, in order; index.json follows. */
  topics(): readonly Topic[];
  /** The one topic of that name. Throws `not_found` or `ambiguous`. */
  topic(name: string): Topic;
  /** Adds a fact to its topic, which is made when there is none. Throws `refused` for what looks like a secret. */
  append(fact: NewFact, signal?: AbortSignal): Promise<Appended>;
  /** Replaces what an entry of a topic says; throws `not_found` when the topic no longer says `old`. */
  update(name: string, old: string, fact: Omit<NewFact, 'category' | 'topic'>, signal?: AbortSignal): Promise<string>;
  /** Removes a topic; resolves to its name. */
  forget(name: string, signal?: AbortSignal): Promise<string>;
  /** Gives a topic other entries, unless it has changed since `read`; false then. */
  rewrite(read: Topic, entries: readonly string[], signal?: AbortSignal): Promise<boolean>;
  /** Moves all entries of `from` to the end of `into`, those that it says already left out, and removes `from`. */
  merge(from: Topic, into: Topic, signal?: AbortSignal): Promise<boolean>;
  conflicts(): readonly Conflict[];
  /** Notes a contradiction; false when it waits already. */
  addConflict(conflict: { readonly topic: Topic; readonly old: string; readonly fact: NewFact }, signal?: AbortSignal): Promise<boolean>;
  resolve(id: string, keep: Keep, signal?: AbortSignal): Promise<Resolved>;
  /** Puts back what the last destructive step replaced. Throws `not_found` or `conflict`. */
  undo(signal?: AbortSignal): Promise<Undone>;
  /** Takes over older layouts; resolves to the files that were. */
  takeOver(signal?: AbortSignal): Promise<readonly string[]>;
  check(): Finding[];
}

export function openMemory(setup: MemorySetup): Memory {
  const { layout, clock } = setup;
  const writer = openWriter(setup.locks, clock);
  const cache = new Map<string, MemoryDocument>();
  const categories = () => readCategories(layout, cache);
  let indexed: { readonly documents: readonly unknown[]; readonly signature: string | undefined } | undefined;
  const topics = (): Topic[] => {
    const read = categories();
    const found = read.flatMap(topicsOf);
    const documents = read.map(({ document }) => document);
    // The index is compared whole only when a file, or itself, is another one than at the last read.
    const same = indexed?.signature !== undefined && indexed.signature === indexSignature(layout);
    if (!same || documents.some((document, n) => document !== indexed?.documents[n])) {
      refreshIndex(layout, found);
      indexed = { documents, signature: indexSignature(layout) };
    }
    return found;
  };
  const topic = (name: string) => topicNamed(topics(), name);
  const conflicts = (read: (path: string) => Buffer) => readConflicts(layout, read, clock.now(), (finding) => setup.report?.(finding));

  const change = async <T>(paths: readonly string[], signal: AbortSignal | undefined, work: (files: OpenFiles) => T): Promise<T> => {
    try {
      const done = await writer.change(paths, signal, work);
      topics();
      return done;
    } catch (error) {
      throw diskError(error, layout.memory);
    }
  };
  /** One destructive edit of one topic's file: the topic is looked up anew by its name, or must be as it was read. */
  const destroy = <T>(
    what: string,
    given: Topic,
    signal: AbortSignal | undefined,
    edit: (document: MemoryDocument) => { bytes: Buffer; value: T },
  ) => {
    const path = categoryFile(layout, given.category);
    return change([path], signal, (files) => {
      const before = files.read(path);
      const { bytes, value } = edit(parseDocument(before));
      replaceWithSnapshot(layout, clock.now(), what, files, [{ path, before, after: bytes }]);
      return value;
    });
  };

  return {
    topics,
    topic,
    async append(fact, signal) {
      refuseSecrets(fact.content);
      const title = cleanTitle(fact.topic);
      const content = withProvenance(fact);
      ensureMemory(layout);
      const path = categoryFile(layout, fact.category);
      return change([path], signal, (files): Appended => {
        const document = parseDocument(files.read(path));
        const block = topicsTitled(document, title).at(-1);
        const name = `${fact.category}/${block?.title ?? title}`;
        const key = entryKey(fact.content);
        if (block?.entries.some((entry) => entryKey(entry.text) === key)) return { state: 'present', name };
        files.write(path, block === undefined ? addTopic(document, title, content) : addEntry(document, block, content));
        return { state: 'added', name };
      });
    },
    update(name, old, fact, signal) {
      refuseSecrets(fact.content);
      const given = topic(name);
      return destroy('update', given, signal, (document) => {
        const block = sameBlock(document, given);
        const entry = block.entries.find(({ text }) => entryKey(text) === entryKey(old));
        if (entry === undefined) throw new XzError('not_found', `${given.name} no longer says "${old.slice(0, 80)}"`);
        return { bytes: replaceEntry(document, block, entry, withProvenance(fact)), value: given.name };
      });
    },
    forget(name, signal) {
      const given = topic(name);
      return destroy('forget', given, signal, (document) => ({
        bytes: removeTopic(document, sameBlock(document, given)),
        value: given.name,
      }));
    },
    rewrite(read, entries, signal) {
      return destroy('organize', read, signal, (document) => {
        const block = unchangedBlock(document, read);
        return block === undefined
          ? { bytes: document.bytes, value: false }
          : { bytes: replaceBody(document, block, entries), value: true };
      });
    },
    merge(from, into, signal) {
      const [source, target] = [categoryFile(layout, from.category), categoryFile(layout, into.category)];
      return change([source, target], signal, (files) => {
        const [a, b] = [files.read(source), files.read(target)];
        const [fromBlock, intoBlock] = [unchangedBlock(parseDocument(a), from), unchangedBlock(parseDocument(b), into)];
        if (fromBlock === undefined || intoBlock === undefined) return false;
        const merged = mergedBytes(b, fromBlock, intoBlock);
        const left = source === target ? withoutBlock(merged, fromBlock) : withoutBlock(a, fromBlock);
        const changes =
          source === target
            ? [{ path: target, before: b, after: left }]
            : [
                { path: target, before: b, after: merged },
                { path: source, before: a, after: left },
              ];
        replaceWithSnapshot(layout, clock.now(), 'merge', files, changes);
        return true;
      });
    },
    conflicts: () => conflicts(readMemoryBytes),
    addConflict({ topic: about, old, fact }, signal) {
      refuseSecrets(fact.content);
      const path = conflictsPath(layout);
      return change([path], signal, (files) => {
        const waiting = conflicts(files.read);
        const bytes = files.read(path);
        const same = waiting.some((one) => entryKey(one.new.text) === entryKey(fact.content) && entryKey(one.old.text) === entryKey(old));
        if (same) return false;
        const source = provenanceOf(old);
        const made: Conflict = {
          id: randomId(6),
          category: about.category,
          topic: about.title,
          old: { text: withoutProvenance(old), ...(source !== undefined && { source }) },
          new: { text: fact.content.trim(), source: sourceOf(fact) },
          at: isoWithOffset(clock.now()),
        };
        // A file that was moved aside just now is gone; one too young for that must not be written over.
        if (bytes.length > 0 && waiting.length === 0 && !isEmptyList(bytes)) return false;
        files.write(path, conflictBytes([...waiting, made]));
        return true;
      });
    },
    resolve(id, keep, signal) {
      return change([...CATEGORIES.map((category) => categoryFile(layout, category)), conflictsPath(layout)], signal, (files) => {
        const waiting = conflicts(files.read);
        const exact = resolvePrefix(
          id,
          waiting.map((one) => one.id),
          'conflict',
        );
        const conflict = waiting.find((one) => one.id === exact);
        if (conflict === undefined) throw new XzError('not_found', `no conflict "${id}"`, { data: { kind: 'conflict', given: id } });
        return applyChoice(layout, files, clock.now(), conflict, keep);
      });
    },
    undo: (signal) => change([], signal, (files) => undoLast(layout, files)),
    async takeOver(signal) {
      if (!pathExists(layout.memory) || !hasOldLayout(layout)) return [];
      return change([], signal, (files) => migrate(layout, files, clock.now()));
    },
    check: () => (pathExists(layout.memory) ? checkMemory(layout, categories()) : []),
  };
}

function ensureMemory(layout: Layout): void {
  try {
    ensureStore(layout, 'memory');
  } catch (error) {
    throw diskError(error, layout.memory);
  }
}

function isEmptyList(bytes: Buffer): boolean {
  return /^\s*(\{\s*"version"\s*:\s*1\s*,\s*"conflicts"\s*:\s*\[\s*\]\s*\})?\s*$/.test(bytes.toString('utf8'));
}

/** The block of a topic in a document read later: unchanged, else the only one of that title. */
function sameBlock(document: MemoryDocument, given: Topic): TopicBlock {
  const same = unchangedBlock(document, given);
  const titled = document.topics.filter(({ title }) => title === given.title);
  const [only] = titled;
  if (same !== undefined) return same;
  if (titled.length === 1 && only !== undefined) return only;
  throw new XzError('conflict', `${given.name} has just been changed by somebody else`, { hint: 'look again, then repeat it' });
}

/** The block whose bytes are those that were read; with several alike, the one in the same place. */
function unchangedBlock(document: MemoryDocument, read: Topic): TopicBlock | undefined {
  const same = document.topics.filter(({ title, hash }) => title === read.title && hash === read.block.hash);
  return same.find(({ start }) => start === read.block.start) ?? (same.length === 1 ? same[0] : undefined);
}

function mergedBytes(bytes: Buffer, from: TopicBlock, into: TopicBlock): Buffer {
  const known = new Set(into.entries.map(({ text }) => entryKey(text)));
  let next = bytes;
  for (const { text } of from.entries) {
    if (known.has(entryKey(text))) continue;
    known.add(entryKey(text));
    const document = parseDocument(next);
    const block = document.topics.find(({ title, start }) => title === into.title && start >= into.start);
    if (block === undefined) throw new XzError('conflict', `the topic "${into.title}" is gone`);
    next = addEntry(document, block, text);
  }
  return next;
}

function withoutBlock(bytes: Buffer, block: TopicBlock): Buffer {
  const document = parseDocument(bytes);
  const found = document.topics.find(({ title, hash }) => title === block.title && hash === block.hash);
  if (found === undefined) throw new XzError('conflict', `the topic "${block.title}" cannot be taken out`);
  return removeTopic(document, found);
}

function refuseSecrets(text: string): void {
  if (looksSecret(text))
    throw new XzError('refused', 'this looks like a secret, and memory is sent with requests', {
      hint: 'leave the value out and say where it is kept',
      data: { kind: 'secret' },
    });
}

function sourceOf({ at, session }: Pick<NewFact, 'at' | 'session'>): string {
  return `${localDate(at)}, ${session}`;
}

/** The words with their source behind them; below them when they are of several lines. */
function withProvenance(fact: Pick<NewFact, 'content' | 'at' | 'session'>): string {
  const words = fact.content
    .replace(/\r\n?/g, '\n')
    // Behind the mark of a list a line such as `---` would not be its text: all of it would read as a rule.
    .replace(/^(\s*([-*_])([ \t]*\2){2,}[ \t]*(\n|$))+/u, '')
    .replace(/[^\S\n]+$/gmu, '')
    .trim();
  if (words === '') throw new XzError('bad_input', 'there is nothing to remember in an empty text');
  return words.includes('\n') ? `${words}\n\n(${sourceOf(fact)})` : `${words} (${sourceOf(fact)})`;
}
