// `.MEMORY/index.json`: where each topic stands, for programs that do not want to parse Markdown. Derived: it is compared
// with the files at every read, written anew where it differs, and losing it loses nothing.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { isoWithOffset } from '../clock.ts';
import { diskError, errnoOf, XzError } from '../errors.ts';
import { pathExists, readText, writeFileAtomic } from '../files.ts';
import type { Layout } from '../layout.ts';
import { isFile } from '../links.ts';
import { parserOf } from '../schema.ts';
import { isStopWord } from '../search/stop-words.ts';
import { textUnits } from '../search/terms.ts';
import { CategorySchema, categoryFile } from './categories.ts';
import type { Topic } from './topics.ts';

const IndexSchema = Type.Object({
  version: Type.Literal(2),
  topics: Type.Array(
    Type.Object({
      category: CategorySchema,
      topic: Type.String(),
      file: Type.String(),
      lineStart: Type.Number(),
      lineEnd: Type.Number(),
      hash: Type.String(),
      keywords: Type.Array(Type.String()),
      updatedAt: Type.String(),
    }),
  ),
});

type Index = Static<typeof IndexSchema>;

const indexParser = parserOf(IndexSchema, 'index.json');

const MOST_KEYWORDS = 8;

/** Brings the index up to date; returns it. A folder that cannot be written keeps its old index. */
export function refreshIndex(layout: Layout, topics: readonly Topic[]): Index {
  // Something else of that name is left alone: the index is for other programs, xz itself can do without.
  const inTheWay = pathExists(indexPath(layout)) && !isFile(indexPath(layout));
  const before = inTheWay ? undefined : readIndex(layout);
  const index = indexOf(layout, topics, before);
  if (inTheWay || !pathExists(layout.memory) || JSON.stringify(before) === JSON.stringify(index)) return index;
  try {
    writeFileAtomic(indexPath(layout), `${JSON.stringify(index, null, 2)}\n`, { volatile: true });
  } catch (error) {
    if (!(diskError(error, layout.memory) instanceof XzError)) throw error;
  }
  return index;
}

function indexPath(layout: Layout): string {
  return join(layout.memory, 'index.json');
}

/** Which index.json is there now; undefined for none. */
export function indexSignature(layout: Layout): string | undefined {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(indexPath(layout));
    return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function readIndex(layout: Layout): Index | undefined {
  try {
    const text = readText(indexPath(layout));
    return text === undefined ? undefined : indexParser.parseJson(text);
  } catch (error) {
    // Unreadable or of another shape: it is made anew, as every derived file.
    if ((error instanceof XzError && error.code === 'bad_file') || errnoOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

function indexOf(layout: Layout, topics: readonly Topic[], before: Index | undefined): Index {
  const known = new Map((before?.topics ?? []).map((row) => [`${row.category} ${row.hash}`, row]));
  return {
    version: 2,
    topics: topics.map((topic) => {
      const same = known.get(`${topic.category} ${topic.block.hash}`);
      return {
        category: topic.category,
        topic: topic.title,
        file: topic.file,
        lineStart: topic.lineStart,
        lineEnd: topic.lineEnd,
        hash: topic.block.hash,
        keywords: same?.keywords ?? keywordsOf(topic),
        updatedAt: same?.updatedAt ?? isoWithOffset(changedAt(categoryFile(layout, topic.category))),
      };
    }),
  };
}

function changedAt(path: string): number {
  try {
    return statSync(path).mtimeMs;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** The words a topic is known by: those of its title, then its most frequent ones. */
function keywordsOf({ title, text }: Pick<Topic, 'title' | 'text'>): string[] {
  const counts = new Map<string, number>();
  const add = (from: string, worth: number) => {
    for (const { word } of textUnits(from)) {
      const short = word.length < 2 || /^\d+$/.test(word) || isStopWord(word);
      if (!short) counts.set(word, (counts.get(word) ?? 0) + worth);
    }
  };
  add(title, 100);
  add(text.slice(0, 20_000).replace(/\(\d{4}-\d\d-\d\d[^)]*\)/g, ''), 1);
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MOST_KEYWORDS)
    .map(([word]) => word);
}
