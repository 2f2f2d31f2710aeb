// What is wrong with the memory files, for doctor: looked at only, nothing is moved or written.

import { XzError } from '../errors.ts';
import type { Layout } from '../layout.ts';
import type { Finding } from '../quarantine.ts';
import { type Conflict, conflictsPath, parseConflicts } from './conflicts.ts';
import { titleKey } from './document.ts';
import { hasOldLayout } from './migrate.ts';
import { type ReadCategory, topicsOf } from './topics.ts';
import { readMemoryBytes } from './write.ts';

/** Findings over the five files and the conflicts. */
export function checkMemory(layout: Layout, categories: readonly ReadCategory[]): Finding[] {
  const findings: Finding[] = categories.flatMap(({ path, problem }) =>
    problem === undefined
      ? []
      : [{ level: 'broken' as const, where: path, what: problem, fix: 'mend or remove it; the other files are used' }],
  );
  if (hasOldLayout(layout))
    findings.push({
      level: 'warning',
      where: layout.memory,
      what: 'files of an older layout',
      fix: 'the next conversation takes them over',
    });
  for (const category of categories) findings.push(...sameTitles(category));
  return [...findings, ...conflictFindings(layout, categories)];
}

function sameTitles(category: ReadCategory): Finding[] {
  const seen = new Map<string, number>();
  return topicsOf(category).flatMap((topic): Finding[] => {
    const key = titleKey(topic.title);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, topic.lineStart);
    const what = `"${topic.title}" (line ${topic.lineStart}) has the title of line ${first}`;
    return first === undefined ? [] : [{ level: 'warning', where: category.path, what, fix: 'xz memory organize merges them' }];
  });
}

function conflictFindings(layout: Layout, categories: readonly ReadCategory[]): Finding[] {
  const where = conflictsPath(layout);
  let conflicts: readonly Conflict[];
  try {
    conflicts = parseConflicts(readMemoryBytes(where));
  } catch (error) {
    if (!(error instanceof XzError) || error.code !== 'bad_file') throw error;
    return [{ level: 'broken', where, what: error.message, fix: 'mend it; otherwise it is moved aside when next used' }];
  }
  const names = new Set(categories.flatMap(topicsOf).map(({ category, title }) => `${category}/${titleKey(title)}`));
  const lost = conflicts.filter(({ category, topic }) => !names.has(`${category}/${titleKey(topic)}`));
  return lost.map(({ id, category, topic }) => ({
    level: 'warning',
    where,
    what: `conflict ${id} is about ${category}/${topic}, which is gone`,
    fix: `xz memory resolve ${id} --keep new writes it anew, --keep old forgets it`,
  }));
}
