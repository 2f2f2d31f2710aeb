// Search over knowledge: the chunks of the memory files, by words, vectors or both.
import { columnNumber, columnNumberOrNull, columnText, type Database } from '../database/database.ts';
import type { RowFilter } from './fts.ts';
import type { Ranked } from './rank.ts';
import { type Found, type PageRange, type Searchable, searchVectors, searchWords } from './search.ts';
import { tagKey } from './tags.ts';
import type { VectorSource } from './vectors.ts';
import type { Comparing, Way } from './ways.ts';

export interface KnowledgeFilter {
  /** Only the daily log of this day. */
  readonly day?: string | undefined;
  readonly tag?: string | undefined;
  /** Only files of this folder, as search names it: `.MEMORY`. */
  readonly folder?: string | undefined;
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

const knowledge = (db: Database): Searchable => ({
  table: { name: 'knowledge_fts', weights: [1, 0.8, 0.3], rows: 'knowledge_chunks' },
  vocabulary: 'knowledge_vocabulary',
  source: knowledgeVectors(db),
  vectorRows: { nearestId: 'r.id', nearestJoin: 'join knowledge_chunks r on r.hash = n.hash', rowHas: 'v.hash = r.hash' },
  textOf: (id) => embeddedText(db.sql('select heading, body from knowledge_chunks where id = ?').get(id)),
});

/** Chunks as a source of texts to embed. */
export function knowledgeVectors(db: Database): VectorSource {
  return {
    scope: 'knowledge',
    newest: () => columnNumberOrNull(db.sql('select max(id) as id from knowledge_chunks').get(), 'id') ?? 0,
    lacking: (space, after, limit) =>
      db
        .sql(
          `select id, hash, heading, body from knowledge_chunks c
           where id > ? and not exists (select 1 from vectors v where v.space = ? and v.hash = c.hash) order by id limit ?`,
        )
        .all(after, space, limit)
        .map((row) => ({ id: columnNumber(row, 'id'), hash: columnText(row, 'hash'), text: embeddedText(row) })),
    hashesInUse: 'select hash from knowledge_chunks',
  };
}

/** One page of chunks. The caller has refreshed the index; `comparing` is needed for any way but `keyword`. */
export async function searchKnowledge(
  db: Database,
  query: string,
  filter: KnowledgeFilter,
  range: PageRange,
  way: Way = 'keyword',
  comparing?: Comparing,
): Promise<Found<KnowledgeHit>> {
  const rows = rowFilter(filter);
  const found =
    way === 'keyword' || comparing === undefined
      ? searchWords(db, knowledge(db), query, rows, range)
      : await searchVectors(db, knowledge(db), query, rows, range, way, comparing);
  return { ...found, items: found.items.flatMap((hit) => hitOf(db, hit) ?? []) };
}

/** What of a chunk is embedded: its headings give it its subject. */
function embeddedText(row: unknown): string {
  return row === undefined ? '' : `${columnText(row, 'heading')}\n${columnText(row, 'body')}`;
}

function rowFilter({ day, tag, folder }: KnowledgeFilter): RowFilter {
  const conditions: Array<readonly [string, string]> = [];
  if (day !== undefined) conditions.push(['r.day = ?', day]);
  if (tag !== undefined) conditions.push(['exists (select 1 from json_each(r.tags) where value = ?)', tagKey(tag)]);
  if (folder !== undefined) conditions.push(['r.path glob ?', `${folder}/*`]);
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
