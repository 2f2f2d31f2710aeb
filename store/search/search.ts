// The search engine behind knowledge and history: words first, then vectors where they are asked for and can answer.
// Pages of one query never overlap: the order of the whole is fixed before a page is cut from it.
import { columnNumber, type Database } from '../database/database.ts';
import { CONFIRMED, type Collection } from './embedder.ts';
import { type FtsTable, type KeywordMatch, keywordMatch, type RowFilter } from './fts.ts';
import { fuse, inOrder, type Ranked } from './rank.ts';
import { queryTerms } from './terms.ts';
import { bytesOf, DISTANCE, type Space, type VectorSource } from './vectors.ts';
import { type Comparing, checkWeights, collectionOf, prepareVectors, type Way, type WayNotice } from './ways.ts';

/** What is searched: its full text, its vectors, and where the text of a row is. Names are constants of the code. */
export interface Searchable {
  readonly table: FtsTable;
  readonly vocabulary: string;
  readonly source: VectorSource;
  /** How vectors `v` (or the nearest of them, `n`) meet their rows `r`. */
  readonly vectorRows: {
    /** The id of the row of a nearest vector, and the join that gives it. */
    readonly nearestId: string;
    readonly nearestJoin: string;
    /** The condition that a row has the vector. */
    readonly rowHas: string;
  };
  textOf(id: number): string;
  /** Lets hits lend score to their neighbours. */
  readonly lend?: (scores: ReadonlyMap<number, number>) => Map<number, number>;
}

export interface PageRange {
  /** 0 means all. */
  readonly limit: number;
  readonly offset: number;
}

export interface Found<T> {
  readonly items: readonly T[];
  readonly total: number;
  /** The way that answered, which is not the one asked for when `notice` says why. */
  readonly way: Way;
  readonly notice: WayNotice | undefined;
}

/** This many best hits of each way are ranked together; later pages of a search by words follow in bm25's own order. */
const RANKED = 500;
/** Hits by vectors alone are looked at this far where they must be confirmed. */
const MOST_CONFIRMED = 20;

/** Searches by words alone. */
export function searchWords(db: Database, searchable: Searchable, query: string, filter: RowFilter, range: PageRange): Found<Ranked> {
  const match = keywordMatch(db, searchable.table, queryTerms(query), filter);
  const items = match === undefined ? [] : wordsPage(searchable, match, range);
  return { items, total: match?.total ?? 0, way: 'keyword', notice: undefined };
}

/** Searches by vectors, or by words and vectors; by words alone, with a notice, when vectors cannot answer. */
export async function searchVectors(
  db: Database,
  searchable: Searchable,
  query: string,
  filter: RowFilter,
  range: PageRange,
  way: 'semantic' | 'hybrid',
  comparing: Comparing,
): Promise<Found<Ranked>> {
  checkWeights(comparing.weights);
  const terms = queryTerms(query);
  // Without a searchable character there is nothing to ask an embedder for either.
  if (terms.length === 0) return { items: [], total: 0, way, notice: undefined };
  const collection = collectionOf(db, searchable.vocabulary, `${searchable.table.name}_docsize`);
  const prepared = await prepareVectors(db, searchable.source, query, collection, comparing);
  if (prepared.vector === undefined) return { ...searchWords(db, searchable, query, filter, range), notice: prepared.notice };
  const match = keywordMatch(db, searchable.table, terms, filter);
  const words = new Map((match?.best(RANKED, 0) ?? []).map(({ id, score }) => [id, score]));
  const near = nearest(db, searchable, prepared.space, prepared.vector, filter, comparing.embedder.floor);
  const semantic = confirmed(searchable, query, near, words, collection, comparing);
  const scores =
    way === 'semantic'
      ? semantic
      : fuse({
          keyword: words,
          semantic,
          holdingAll: match?.holdingAll([...words.keys()]) ?? new Set(),
          weights: comparing.weights,
          strong: comparing.embedder.strong,
        });
  const ranked = inOrder(searchable.lend?.(scores) ?? scores);
  const end = range.limit === 0 ? ranked.length : range.offset + range.limit;
  return { items: ranked.slice(range.offset, end), total: ranked.length, way, notice: prepared.notice };
}

/** One page of hits by words; scores are shares of the query's best, as in a hybrid search. */
function wordsPage(searchable: Searchable, match: KeywordMatch, { limit, offset }: PageRange): Ranked[] {
  const end = limit === 0 ? match.total : offset + limit;
  if (searchable.lend === undefined) {
    const [best] = match.best(1, 0);
    return shares(match.best(Math.max(0, end - offset), offset), best?.score);
  }
  const head = new Map(match.best(RANKED, 0).map(({ id, score }) => [id, score]));
  const ranked = inOrder(searchable.lend(head));
  // Beyond the ranked head the order is bm25's own; its first RANKED places are exactly the head, so nothing is shown twice.
  const from = Math.max(RANKED, offset);
  const rest = end > from ? match.best(end - from, from) : [];
  return shares([...ranked.slice(offset, end), ...rest], ranked[0]?.score);
}

function shares(hits: readonly Ranked[], best = 1): Ranked[] {
  return hits.map(({ id, score }) => ({ id, score: score / Math.max(best, Number.MIN_VALUE) }));
}

/** Rows by cosine, best first, none below the floor. */
function nearest(
  db: Database,
  { table, vectorRows }: Searchable,
  space: Space,
  vector: Float32Array,
  filter: RowFilter,
  floor: number,
): Map<number, number> {
  // Without a filter all vectors are read in the order they lie (hence +space: not by its index); with one, its rows lead.
  const sql =
    filter.where.length === 0
      ? `select ${vectorRows.nearestId} as id, n.distance from (
           select v.hash, ${DISTANCE} as distance from vectors v where +v.space = ? order by distance, v.id limit ${RANKED}
         ) n ${vectorRows.nearestJoin}`
      : `select r.id, ${DISTANCE} as distance from ${table.rows} r join vectors v on v.space = ? and ${vectorRows.rowHas}
         where ${filter.where.join(' and ')} order by distance, r.id limit ${RANKED}`;
  const rows = db.sql(sql).all(bytesOf(vector), space.id, ...filter.values);
  const hits = rows.map((row) => [columnNumber(row, 'id'), 1 - columnNumber(row, 'distance')] as const);
  return new Map(hits.filter(([, cosine]) => cosine >= floor).sort(([a, x], [b, y]) => y - x || b - a));
}

/** Without hits that neither a word nor, where the embedder can tell, the text itself supports. */
function confirmed(
  searchable: Searchable,
  query: string,
  near: ReadonlyMap<number, number>,
  words: ReadonlyMap<number, number>,
  collection: Collection,
  { embedder }: Comparing,
): Map<number, number> {
  if (embedder.confirm === undefined) return new Map(near);
  const kept = new Map<number, number>();
  let looked = 0;
  for (const [id, cosine] of near) {
    if (words.has(id)) kept.set(id, cosine);
    else if (looked++ < MOST_CONFIRMED && embedder.confirm(query, searchable.textOf(id), collection) >= CONFIRMED) kept.set(id, cosine);
  }
  return kept;
}
