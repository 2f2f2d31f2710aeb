// Search over knowledge: words, vectors or both, after bringing the index up to date.
import { columnNumber, columnText, type Database } from '../database/database.ts';
import { type FtsTable, keywordMatch, type RowFilter } from './fts.ts';
import type { Ranked } from './rank.ts';
import { tagKey } from './tags.ts';
import { queryTerms } from './terms.ts';

export interface KnowledgeFilter {
  /** Only the daily log of this day. */
  readonly day?: string | undefined;
  readonly tag?: string | undefined;
}

export interface KnowledgeHit {
  readonly file: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly heading: string;
  readonly tags: readonly string[];
  readonly body: string;
  readonly score: number;
}

export interface PageRange {
  /** 0 means all. */
  readonly limit: number;
  readonly offset: number;
}

const TABLE: FtsTable = { name: 'knowledge_fts', weights: [1, 0.8, 0.3], rows: 'knowledge_chunks' };

/** One page of chunks that hold the words of the query. */
export function keywordKnowledge(
  db: Database,
  query: string,
  filter: KnowledgeFilter,
  { limit, offset }: PageRange,
): { readonly items: KnowledgeHit[]; readonly total: number } {
  const match = keywordMatch(db, TABLE, queryTerms(query), rowFilter(filter));
  if (match === undefined) return { items: [], total: 0 };
  const best = match.best(limit === 0 ? match.total : limit, offset);
  return { items: best.flatMap((hit) => hitOf(db, hit) ?? []), total: match.total };
}

function rowFilter({ day, tag }: KnowledgeFilter): RowFilter {
  const conditions: Array<readonly [string, string]> = [];
  if (day !== undefined) conditions.push(['r.day = ?', day]);
  if (tag !== undefined) conditions.push(['exists (select 1 from json_each(r.tags) where value = ?)', tagKey(tag)]);
  return { where: conditions.map(([where]) => where), values: conditions.map(([, value]) => value) };
}

function hitOf(db: Database, { id, score }: Ranked): KnowledgeHit | undefined {
  const row = db.sql('select * from knowledge_chunks where id = ?').get(id);
  if (row === undefined) return undefined;
  return {
    file: columnText(row, 'path'),
    lineStart: columnNumber(row, 'line_start'),
    lineEnd: columnNumber(row, 'line_end'),
    heading: columnText(row, 'heading'),
    tags: tagList(columnText(row, 'tags')),
    body: columnText(row, 'body'),
    score,
  };
}

function tagList(json: string): string[] {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value.filter((tag) => typeof tag === 'string') : [];
}
