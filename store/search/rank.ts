// Ranking, pure: neighbours lend each other weight, and keyword and vector scores are put on one scale before they are
// added. Ties always end the same way, so that pages never overlap.

export interface Ranked {
  readonly id: number;
  readonly score: number;
}

/** Share of its score that a message lends to the one before and after it in the same conversation. */
const NEIGHBOUR_SHARE = 0.3;

/**
 * Adds to each hit a share of its direct neighbours' scores: in a conversation the question and its answer are found
 * together. `previous` gives the message before one; only hits lend.
 */
export function lendToNeighbours(scores: ReadonlyMap<number, number>, previous: ReadonlyMap<number, number>): Map<number, number> {
  const lent = new Map(scores);
  for (const [id, before] of previous) {
    const own = scores.get(id);
    const earlier = scores.get(before);
    if (own === undefined || earlier === undefined) continue;
    lent.set(id, (lent.get(id) ?? 0) + NEIGHBOUR_SHARE * earlier);
    lent.set(before, (lent.get(before) ?? 0) + NEIGHBOUR_SHARE * own);
  }
  return lent;
}

/** Highest score first, newer rows first among equals. */
export function inOrder(scores: ReadonlyMap<number, number>): Ranked[] {
  return Array.from(scores, ([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score || b.id - a.id);
}

export interface Fusing {
  /** Scores of hits by words, higher is better. */
  readonly keyword: ReadonlyMap<number, number>;
  /** Cosines of hits by vectors. */
  readonly semantic: ReadonlyMap<number, number>;
  /** Of the hits by words, those that hold every term. */
  readonly holdingAll: ReadonlySet<number>;
  readonly weights: { readonly semantic: number; readonly keyword: number };
  /** The cosine from which a text counts as fully alike. */
  readonly strong: number;
}

/**
 * Both scores on the scale 0 to 1, weighted and added; weights are taken relative to their sum. A keyword score is a
 * share of the best one of this query; a cosine a share of the embedder's `strong`. A text that holds every term is as
 * alike as the best by the share of its keyword score: what was asked for literally is never below what only resembles it.
 */
export function fuse({ keyword, semantic, holdingAll, weights, strong }: Fusing): Map<number, number> {
  const sum = weights.semantic + weights.keyword;
  const bestKeyword = Math.max(Number.MIN_VALUE, ...keyword.values());
  const alike = new Map(Array.from(semantic, ([id, cosine]) => [id, Math.min(1, Math.max(0, cosine) / strong)]));
  const bestAlike = Math.max(0, ...alike.values());
  const scores = new Map<number, number>();
  for (const id of new Set([...keyword.keys(), ...semantic.keys()])) {
    const words = (keyword.get(id) ?? 0) / bestKeyword;
    const likeness = Math.max(alike.get(id) ?? 0, holdingAll.has(id) ? bestAlike * words : 0);
    scores.set(id, (weights.semantic * likeness + weights.keyword * words) / sum);
  }
  return scores;
}
