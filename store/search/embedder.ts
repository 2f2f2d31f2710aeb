// What turns text into vectors. Two implementations: the built-in one (feature hashing) and an OpenAI-compatible
// endpoint. Whatever comes back is checked here before it is stored or compared.
import { XzError } from '../errors.ts';

/** What an embedder may ask about the texts that are searched. */
export interface Collection {
  /** How telling a term of the index is: 0 and up, higher for rarer ones. */
  rarity(term: string): number;
}

export interface Embedder {
  /** Stored with every vector; vectors of another model are never compared with these. */
  readonly model: string;
  /** Numbers in a vector where that is known before the first answer. */
  readonly width: number | undefined;
  /** The cosine under which a text is no hit. */
  readonly floor: number;
  /** The cosine from which a text counts as fully alike. */
  readonly strong: number;
  /** Texts embedded by one call of `documents`, at most. */
  readonly batch: number;
  /** Texts that one search may wait for; undefined: any number, it is quick. */
  readonly perSearch: number | undefined;
  /** One vector a text, in order. Throws `model_failed`, `interrupted`. */
  documents(texts: readonly string[], signal: AbortSignal | undefined): Promise<readonly Float32Array[]>;
  /** The vector of a query, or undefined when there is nothing in it to compare. */
  query(text: string, collection: Collection, signal: AbortSignal | undefined): Promise<Float32Array | undefined>;
  /**
   * For an embedder whose vectors can collide: how much of what the query asks is truly in the text, 0 to 1. A hit that
   * no keyword supports must reach `CONFIRMED`.
   */
  confirm?(query: string, text: string, collection: Collection): number;
}

/** The share of a query that a text without a matching keyword must hold. */
export const CONFIRMED = 0.25;

/** Unit vectors for `count` texts. Throws `model_failed` for a short answer, mixed widths, NaN, infinity or zero. */
export function checkedVectors(vectors: readonly Float32Array[], count: number, width: number | undefined): Float32Array[] {
  const refuse = (why: string): never => {
    throw new XzError('model_failed', `the embedding model ${why}`, {
      hint: 'check [memory.embedding]; keyword search goes on working',
      data: { answer: 'bad' },
    });
  };
  if (vectors.length !== count) refuse(`answered ${vectors.length} vectors for ${count} texts`);
  const wanted = width ?? vectors[0]?.length ?? 0;
  return vectors.map((vector) => {
    if (vector.length === 0) refuse('answered an empty vector');
    if (vector.length !== wanted) refuse(`answered ${vector.length} numbers instead of ${wanted}`);
    const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
    if (!Number.isFinite(length)) refuse('answered a vector with numbers that are none (NaN or infinity)');
    if (length === 0) refuse('answered a zero vector');
    return vector.map((value) => value / length);
  });
}
