// What a resolved conflict does to the topic it is about. The topic may have gone or been reworded since: then what can
// still be done is done, and said.
import { ensureStore, type Layout } from '../layout.ts';
import { categoryFile } from './categories.ts';
import { type Conflict, conflictBytes, conflictsPath, type Keep, parseConflicts } from './conflicts.ts';
import { entryKey, parseDocument } from './document.ts';
import { addEntry, addTopic, replaceEntry, topicsTitled } from './edit.ts';
import { replaceWithSnapshot } from './snapshots.ts';
import type { OpenFiles } from './write.ts';

export interface Resolved {
  readonly name: string;
  readonly keep: Keep;
  /** What the conflict was about and is no longer there. */
  readonly gone: 'topic' | 'entry' | undefined;
}

/** Applies the person's choice and removes the conflict, under the lock. */
export function applyChoice(layout: Layout, files: OpenFiles, now: number, conflict: Conflict, keep: Keep): Resolved {
  ensureStore(layout, 'memory');
  const path = categoryFile(layout, conflict.category);
  const before = files.read(path);
  const document = parseDocument(before);
  const topics = topicsTitled(document, conflict.topic);
  const key = entryKey(conflict.old.text);
  const topic = topics.find(({ entries }) => entries.some((entry) => entryKey(entry.text) === key)) ?? topics[0];
  const entry = topic?.entries.find(({ text }) => entryKey(text) === key);
  const said = conflict.new.source === undefined ? conflict.new.text : `${conflict.new.text} (${conflict.new.source})`;
  const present = topic?.entries.some(({ text }) => entryKey(text) === entryKey(conflict.new.text)) === true;
  const after = (): Buffer => {
    if (keep === 'old' || present) return before;
    if (topic === undefined) return addTopic(document, conflict.topic, said);
    return keep === 'new' && entry !== undefined ? replaceEntry(document, topic, entry, said) : addEntry(document, topic, said);
  };
  const waiting = conflictsPath(layout);
  const list = files.read(waiting);
  const left = parseConflicts(list).filter(({ id }) => id !== conflict.id);
  replaceWithSnapshot(layout, now, 'resolve', files, [
    { path, before, after: after() },
    { path: waiting, before: list, after: conflictBytes(left) },
  ]);
  const gone = topic === undefined ? 'topic' : entry === undefined ? 'entry' : undefined;
  return { name: `${conflict.category}/${topic?.title ?? conflict.topic}`, keep, gone };
}
