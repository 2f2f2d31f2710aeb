// `.MEMORY/`: topics in five Markdown files that a person may edit at any moment. The files are the truth; every change
// reads them anew under the lock, touches only its own lines, and keeps a copy of what it would destroy.
import { type Clock, localDate } from '../clock.ts';
import { XzError } from '../errors.ts';
import { ensureStore, type Layout } from '../layout.ts';
import type { Locks } from '../lock.ts';
import { type Category, categoryFile } from './categories.ts';
import { entryKey, type MemoryDocument, parseDocument } from './document.ts';
import { addEntry, addTopic, cleanTitle, topicsTitled } from './edit.ts';
import { looksSecret } from './secrets.ts';
import { readCategories, type Topic, topicNamed, topicsOf } from './topics.ts';
import { openWriter } from './write.ts';

export interface MemorySetup {
  readonly layout: Layout;
  readonly locks: () => Locks;
  readonly clock: Clock;
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
  /** All topics as the files hold them now, in order. */
  topics(): readonly Topic[];
  /** The one topic of that name. Throws `not_found` or `ambiguous`. */
  topic(name: string): Topic;
  /** Adds a fact to its topic, which is made when there is none. Throws `refused` for what looks like a secret. */
  append(fact: NewFact, signal?: AbortSignal): Promise<Appended>;
}

export function openMemory(setup: MemorySetup): Memory {
  const { layout } = setup;
  const writer = openWriter(setup.locks, setup.clock);
  const cache = new Map<string, MemoryDocument>();
  const topics = () => readCategories(layout, cache).flatMap(topicsOf);
  return {
    topics,
    topic: (name) => topicNamed(topics(), name),
    append(fact, signal) {
      refuseSecrets(fact.content);
      const title = cleanTitle(fact.topic);
      const content = withProvenance(fact);
      ensureStore(layout, 'memory');
      const path = categoryFile(layout, fact.category);
      return writer.change([path], signal, (files): Appended => {
        const document = parseDocument(files.read(path));
        const topic = topicsTitled(document, title).at(-1);
        const name = `${fact.category}/${topic?.title ?? title}`;
        const key = entryKey(fact.content);
        if (topic?.entries.some((entry) => entryKey(entry.text) === key)) return { state: 'present', name };
        files.write(path, topic === undefined ? addTopic(document, title, content) : addEntry(document, topic, content));
        return { state: 'added', name };
      });
    },
  };
}

function refuseSecrets(text: string): void {
  if (looksSecret(text))
    throw new XzError('refused', 'this looks like a secret, and memory is sent with requests', {
      hint: 'leave the value out and say where it is kept',
    });
}

/** The words with their source behind them; below them when they end in something a line may not follow. */
function withProvenance({ content, at, session }: NewFact): string {
  const words = content.replace(/[^\S\n]+$/gmu, '').trim();
  if (words === '') throw new XzError('bad_input', 'there is nothing to remember in an empty text');
  const source = `(${localDate(at)}, ${session})`;
  return words.includes('\n') ? `${words}\n\n${source}` : `${words} ${source}`;
}
