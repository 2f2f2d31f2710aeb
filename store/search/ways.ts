// Which way a search is answered: words, vectors or both. Vectors are brought up to date first; whatever stands in their
// way (no sqlite-vec, a server that does not answer, a rebuild under way) turns the search into one by words that says so.
import { columnNumber, type Database } from '../database/database.ts';
import { isAbort, XzError } from '../errors.ts';
import { type Collection, checkedVectors, type Embedder } from './embedder.ts';
import { vecOf } from './vec.ts';
import { activeSpace, fillSpace, isComplete, type Space, spaceFor, type VectorSource } from './vectors.ts';

export type Way = 'keyword' | 'semantic' | 'hybrid';

/** Why vectors did not take part, or not all of them. */
export interface WayNotice {
  readonly code: 'no_vector_extension' | 'embedding_failed' | 'vectors_building' | 'vectors_behind' | 'index_behind';
  readonly detail: string;
}

export interface Comparing {
  readonly embedder: Embedder;
  readonly weights: Weights;
  readonly now: number;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: ((reached: number, newest: number) => void) | undefined;
}

export interface Weights {
  readonly semantic: number;
  readonly keyword: number;
}

/** Throws `bad_input` unless both weights are 0 or more and one is above 0. */
export function checkWeights({ semantic, keyword }: Weights): void {
  const fits = (weight: number) => Number.isFinite(weight) && weight >= 0;
  if (!fits(semantic) || !fits(keyword) || semantic + keyword <= 0)
    throw new XzError('bad_input', `semantic_weight ${semantic} and keyword_weight ${keyword} must be 0 or more, and not both 0`);
}

/**
 * Brings an index up to date before a search. When the database cannot be written now, what is indexed already is searched
 * and the notice says so; every other fault is thrown.
 */
export function upToDate(work: () => void): WayNotice | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof XzError) || !['unwritable', 'disk_full', 'database_locked'].includes(error.code)) throw error;
    return { code: 'index_behind', detail: error.message };
  }
}

/** A query ready to be compared, or the reason why it cannot be. */
export type Prepared =
  | { readonly vector: Float32Array; readonly space: Space; readonly notice: WayNotice | undefined }
  | { readonly vector?: undefined; readonly notice: WayNotice | undefined };

/** Makes the query's vector and the vectors that are lacking. Throws only `interrupted` and faults of the database. */
export async function prepareVectors(
  db: Database,
  source: VectorSource,
  query: string,
  collection: Collection,
  comparing: Comparing,
): Promise<Prepared> {
  const { embedder, now, signal, progress } = comparing;
  const vec = vecOf(db);
  if (vec.why !== undefined) return { notice: { code: 'no_vector_extension', detail: vec.why } };
  try {
    const raw = await embedder.query(query, collection, signal);
    if (raw === undefined) return { notice: undefined };
    const [vector] = checkedVectors([raw], 1, embedder.width);
    if (vector === undefined) return { notice: undefined };
    const space = spaceFor(db, source.scope, embedder.model, vector.length, now);
    const notice = await bringUpToDate(db, source, space, comparing, { atMost: embedder.perSearch, signal, progress });
    const active = activeSpace(db, source.scope);
    if (active?.id !== space.id) return { notice: notice ?? building(source, space) };
    return { vector, space: active, notice };
  } catch (error) {
    if (isAbort(error) || !(error instanceof XzError) || !['model_failed', 'bad_file'].includes(error.code)) throw error;
    return { notice: { code: 'embedding_failed', detail: error.message } };
  }
}

async function bringUpToDate(
  db: Database,
  source: VectorSource,
  space: Space,
  { embedder }: Comparing,
  options: Parameters<typeof fillSpace>[4],
): Promise<WayNotice | undefined> {
  if (isComplete(source, space)) return undefined;
  try {
    if (await fillSpace(db, source, space, embedder, options)) return undefined;
    return space.state === 'active'
      ? { code: 'vectors_behind', detail: 'new texts are found by words only until their vectors are made' }
      : building(source, space);
  } catch (error) {
    // Old vectors are not dropped, and the query's own vector is there: what has a vector can still be compared.
    if (error instanceof XzError && error.code === 'model_failed') return { code: 'embedding_failed', detail: error.message };
    throw error;
  }
}

function building(source: VectorSource, space: Space): WayNotice {
  return { code: 'vectors_building', detail: `vectors of ${space.model} (${space.width} wide) for ${source.scope} are not complete yet` };
}

/** How telling a term is, from the index's own vocabulary (the same formula as bm25's). */
export function collectionOf(db: Database, vocabulary: string, documents: string): Collection {
  const total = columnNumber(db.sql(`select count(*) as n from ${documents}`).get(), 'n');
  const known = new Map<string, number>();
  return {
    rarity(term) {
      let rarity = known.get(term);
      if (rarity === undefined) {
        const row = db.sql(`select doc from ${vocabulary} where term = ?`).get(term);
        const holding = row === undefined ? 0 : columnNumber(row, 'doc');
        rarity = Math.log(1 + (total - holding + 0.5) / (holding + 0.5));
        known.set(term, rarity);
      }
      return rarity;
    },
  };
}
