// Ranking, pure: neighbours lend each other weight, and keyword and vector scores are put on one scale before they are
// added. Ties always end the same way, so that pages never overlap.

export interface Ranked {
  readonly id: number;
  readonly score: number;
}

/** Share of its score that a message lends to the one before and after it in the same conversation. */
export const NEIGHBOUR_SHARE = 0.3;

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
