// Vectors by content. A space is one model and one width; vectors of two spaces are never compared. A change of model
// or width fills a second space beside the one in use, and takes its place when it is complete.
import { columnNumber, columnText, type Database } from '../database/database.ts';
import { XzError } from '../errors.ts';
import { checkedVectors, type Embedder } from './embedder.ts';

export type VectorScope = 'knowledge' | 'history';

export interface Space {
  readonly id: number;
  readonly model: string;
  readonly width: number;
  readonly state: 'building' | 'active';
  /** Rows up to this id all have their vector. */
  readonly through: number;
}

/** A row whose text wants a vector, and the hash that is kept under: the same text is never embedded twice. */
export interface Wanted {
  readonly id: number;
  readonly hash: string;
  readonly text: string;
}

/** What a scope has to embed. Ids of rows only ever grow. */
export interface VectorSource {
  readonly scope: VectorScope;
  /** The highest id there is. */
  newest(): number;
  /** Rows after `after` that have no vector in the space, by id, at most `limit`. */
  lacking(space: number, after: number, limit: number): Wanted[];
  /** SQL of all hashes in use, for dropping what is not. */
  readonly hashesInUse: string;
}

export interface FillOptions {
  /** Stop after this many texts. */
  readonly atMost?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called after each batch with the id it reached and the highest there is. */
  readonly progress?: ((reached: number, newest: number) => void) | undefined;
}

/** The space that answers searches of a scope. */
export function activeSpace(db: Database, scope: VectorScope): Space | undefined {
  const row = db.sql("select * from vector_spaces where scope = ? and state = 'active'").get(scope);
  return row === undefined ? undefined : spaceOf(row);
}

/** The space for a model and width, made when there is none: the first of a scope answers at once, a second is built beside. */
export function spaceFor(db: Database, scope: VectorScope, model: string, width: number, now: number): Space {
  return db.write(() => {
    const find = () => db.sql('select * from vector_spaces where scope = ? and model = ? and width = ?').get(scope, model, width);
    if (find() === undefined)
      db.sql("insert into vector_spaces (scope, model, width, state, created_at) values (?, ?, ?, 'building', ?)").run(
        scope,
        model,
        width,
        now,
      );
    return spaceOf(find());
  });
}

/**
 * Embeds what lacks a vector, in batches, each stored in one transaction. Resolves to whether the space is complete. A
 * complete space that was built beside becomes the one in use, and the others are dropped.
 */
export async function fillSpace(
  db: Database,
  source: VectorSource,
  space: Space,
  embedder: Embedder,
  options: FillOptions = {},
): Promise<boolean> {
  if (isComplete(source, space)) return true;
  let done = 0;
  let reached = space.through;
  const most = options.atMost ?? Number.POSITIVE_INFINITY;
  while (done < most) {
    const wanted = source.lacking(space.id, reached, Math.min(embedder.batch, most - done));
    const last = wanted.at(-1);
    if (last === undefined) return db.write(() => settle(db, source, space, reached));
    const made = await embed(wanted, space, embedder, options.signal);
    // Another process may have finished the rebuild and dropped this space meanwhile.
    if (!db.write(() => store(db, space, made))) return false;
    reached = last.id;
    done += wanted.length;
    options.progress?.(reached, source.newest());
  }
  return false;
}

/** True when every row has its vector and the space answers searches. */
export function isComplete(source: VectorSource, space: Space): boolean {
  return space.state === 'active' && space.through >= source.newest();
}

interface Made {
  readonly hash: string;
  readonly vector: Float32Array;
}

/** Vectors of a batch. When the answer is bad, each text is tried alone: one that no model can embed stays without. */
async function embed(wanted: readonly Wanted[], space: Space, embedder: Embedder, signal: AbortSignal | undefined): Promise<Made[]> {
  const texts = wanted.map(({ text }) => text);
  try {
    const vectors = checkedVectors(await embedder.documents(texts, signal), wanted.length, space.width);
    return vectors.map((vector, at) => ({ hash: wanted[at]?.hash ?? '', vector }));
  } catch (error) {
    if (!(error instanceof XzError) || error.data.answer !== 'bad' || wanted.length === 1) throw error;
    const made: Made[] = [];
    for (const one of wanted) made.push(...(await embedAlone(one, space, embedder, signal)));
    if (made.length === 0) throw error;
    return made;
  }
}

async function embedAlone({ hash, text }: Wanted, space: Space, embedder: Embedder, signal: AbortSignal | undefined): Promise<Made[]> {
  try {
    return checkedVectors(await embedder.documents([text], signal), 1, space.width).map((vector) => ({ hash, vector }));
  } catch (error) {
    if (error instanceof XzError && error.data.answer === 'bad') return [];
    throw error;
  }
}

function store(db: Database, space: Space, made: readonly Made[]): boolean {
  if (db.sql('select 1 from vector_spaces where id = ?').get(space.id) === undefined) return false;
  for (const { hash, vector } of made)
    db.sql('insert into vectors (space, hash, vector) values (?, ?, ?) on conflict (space, hash) do nothing').run(
      space.id,
      hash,
      bytesOf(vector),
    );
  return true;
}

/** The complete space answers from now on; other spaces and vectors of texts that are gone are dropped. */
function settle(db: Database, source: VectorSource, space: Space, reached: number): boolean {
  const there = db.sql('select 1 from vector_spaces where id = ?').get(space.id) !== undefined;
  if (!there || source.lacking(space.id, reached, 1).length > 0) return false;
  db.sql('delete from vectors where space in (select id from vector_spaces where scope = ? and id <> ?)').run(source.scope, space.id);
  db.sql('delete from vector_spaces where scope = ? and id <> ?').run(source.scope, space.id);
  db.sql("update vector_spaces set state = 'active', through = ? where id = ?").run(source.newest(), space.id);
  db.sql(`delete from vectors where space = ? and hash not in (${source.hashesInUse})`).run(space.id);
  return true;
}

/** Drops all vectors of a scope; they are made again by the next search that compares vectors. */
export function dropVectors(db: Database, scope: VectorScope): void {
  db.write(() => {
    db.sql('delete from vectors where space in (select id from vector_spaces where scope = ?)').run(scope);
    db.sql('delete from vector_spaces where scope = ?').run(scope);
  });
}

/**
 * A vector as it is stored: one signed byte a number, scaled to the largest. A cosine does not depend on the scale, and a
 * quarter of the bytes is read in half the time.
 */
export function bytesOf(vector: Float32Array): Buffer {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return Buffer.from(Int8Array.from(vector, (value) => Math.round((value * 127) / largest)).buffer);
}

/** SQL for the cosine distance of the stored vector `v.vector` from a bound one. */
export const DISTANCE = 'vec_distance_cosine(vec_int8(v.vector), vec_int8(?))';

function spaceOf(row: unknown): Space {
  const state = columnText(row, 'state');
  if (state !== 'building' && state !== 'active') throw new XzError('database_broken', `vector space state ${state}`);
  return {
    id: columnNumber(row, 'id'),
    model: columnText(row, 'model'),
    width: columnNumber(row, 'width'),
    state,
    through: columnNumber(row, 'through'),
  };
}
