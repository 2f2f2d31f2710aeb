// All topics of the five files as they are now on disk, and the names by which people and models call them.
import { XzError } from '../errors.ts';
import { notUnique } from '../ids.ts';
import type { Layout } from '../layout.ts';
import { CATEGORIES, type Category, categoryFile, categoryNamed, categorySource } from './categories.ts';
import { type MemoryDocument, parseDocument, type TopicBlock, titleKey, topicText } from './document.ts';
import { readMemoryBytes } from './write.ts';

export interface Topic {
  readonly category: Category;
  readonly title: string;
  /** `work/Deploy`; with `#2` behind it for the second topic of a file that has this title. */
  readonly name: string;
  /** As search prints it, such as `.MEMORY/work.md`; lines are 1-based and inclusive. */
  readonly file: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  /** The Markdown, heading included. */
  readonly text: string;
  readonly block: TopicBlock;
}

export interface ReadCategory {
  readonly category: Category;
  readonly path: string;
  /** Undefined when the file cannot be read; `problem` says why. */
  readonly document: MemoryDocument | undefined;
  readonly problem: string | undefined;
}

/** Reads the five files; one that cannot be read does not keep the others from loading. */
export function readCategories(layout: Layout, cache: Map<string, MemoryDocument>): ReadCategory[] {
  return CATEGORIES.map((category): ReadCategory => {
    const path = categoryFile(layout, category);
    try {
      const bytes = readMemoryBytes(path);
      const known = cache.get(path);
      const document = known?.bytes.equals(bytes) === true ? known : parseDocument(bytes);
      cache.set(path, document);
      return { category, path, document, problem: undefined };
    } catch (error) {
      if (!(error instanceof XzError) || error.code !== 'bad_file') throw error;
      return { category, path, document: undefined, problem: error.message };
    }
  });
}

/** Topics of a document that has not changed are not made anew: recall asks before every request. */
const made = new WeakMap<MemoryDocument, readonly Topic[]>();

export function topicsOf({ category, document }: ReadCategory): readonly Topic[] {
  if (document === undefined) return [];
  const known = made.get(document);
  if (known !== undefined && (known.length === 0 || known[0]?.category === category)) return known;
  const topics = topicsIn(category, document);
  made.set(document, topics);
  return topics;
}

function topicsIn(category: Category, document: MemoryDocument): Topic[] {
  const seen = new Map<string, number>();
  return document.topics.map((block) => {
    const nth = (seen.get(block.title) ?? 0) + 1;
    seen.set(block.title, nth);
    const text = topicText(document, block);
    return {
      category,
      title: block.title,
      name: `${category}/${block.title}${nth === 1 ? '' : `#${nth}`}`,
      file: categorySource(category),
      lineStart: block.start + 1,
      lineEnd: block.start + text.split('\n').length,
      text,
      block,
    };
  });
}

/** The one topic that `given` names: `category/title` or a title alone, exactly, else by `titleKey`, else by its beginning. */
export function topicNamed(topics: readonly Topic[], given: string): Topic {
  const slash = given.indexOf('/');
  const category = slash < 0 ? undefined : categoryNamed(given.slice(0, slash).trim());
  const within = category === undefined ? topics : topics.filter((topic) => topic.category === category);
  const title = category === undefined ? given.trim() : given.slice(slash + 1).trim();
  const short = (topic: Topic) => topic.name.slice(topic.category.length + 1);
  const ways: ReadonlyArray<(topic: Topic) => boolean> = [
    (topic) => short(topic) === title,
    (topic) => titleKey(short(topic)) === titleKey(title),
    (topic) => title !== '' && titleKey(short(topic)).startsWith(titleKey(title)),
  ];
  for (const fits of ways) {
    const hits = within.filter(fits);
    const [first] = hits;
    if (hits.length === 1 && first !== undefined) return first;
    if (hits.length > 1) throw ambiguous(given, hits);
  }
  throw new XzError('not_found', `no topic "${given}"`, { hint: 'xz memory show lists the topics', data: { kind: 'topic', given } });
}

function ambiguous(given: string, hits: readonly Topic[]): XzError {
  const names = hits.map(({ name, lineStart }) => `${name} (line ${lineStart})`);
  return notUnique(`"${given}" names more than one topic`, given, names);
}
