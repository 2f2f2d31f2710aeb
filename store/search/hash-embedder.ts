// The built-in embedder: feature hashing of words, Latin three-grams and CJK one- and two-grams. It forgives spelling
// and word forms; it does not know meaning. No model, no download, the same numbers on every machine.
import type { Embedder } from './embedder.ts';
import { isStopWord } from './stop-words.ts';
import { type TextUnit, textUnits } from './terms.ts';

export const HASH_WIDTH = 512;
/** Share of a word's weight that its three-grams carry together. */
const THREE_GRAMS = 0.5;
/** A single CJK character says less than two together. */
const ONE_GRAM = 0.4;
/**
 * The first number of a document's vector is the same for all: without it a text of two words that holds one of the
 * query's would beat every longer one (the pivot of length normalisation).
 */
const PIVOT = 3;

type Features = Map<string, number>;

/** The built-in embedder. Its name changes when its numbers do. */
export function hashEmbedder(): Embedder {
  return {
    model: `builtin-hash-1-${HASH_WIDTH}`,
    width: HASH_WIDTH,
    floor: 0.05,
    strong: 1,
    batch: 200,
    perSearch: undefined,
    documents: async (texts) =>
      texts.map((text) =>
        vectorOf(
          featuresOf(text, () => 1),
          PIVOT,
        ),
      ),
    query: async (text, collection) => {
      const features = featuresOf(text, collection.rarity);
      return features.size === 0 ? undefined : vectorOf(features, 0);
    },
    confirm(query, text, collection) {
      const asked = featuresOf(query, collection.rarity);
      const there = featuresOf(text, () => 1);
      let [all, shared] = [0, 0];
      for (const [name, weight] of asked) {
        all += weight * weight;
        if (there.has(name)) shared += weight * weight;
      }
      return all === 0 ? 0 : shared / all;
    },
  };
}

/** Weighted features; repeated ones grow with the logarithm of their number. */
function featuresOf(text: string, rarity: (term: string) => number): Features {
  const counts = new Map<string, { weight: number; count: number }>();
  const add = (name: string, weight: number) => {
    const known = counts.get(name);
    if (known === undefined) counts.set(name, { weight, count: 1 });
    else known.count++;
  };
  for (const unit of textUnits(text)) addUnit(unit, rarity, add);
  return new Map(Array.from(counts, ([name, { weight, count }]) => [name, weight * (1 + Math.log(count))]));
}

function addUnit({ kind, term, word }: TextUnit, rarity: (term: string) => number, add: (name: string, weight: number) => void): void {
  if (isStopWord(word)) return;
  const weight = rarity(term);
  if (kind === 'gram') {
    add(term, weight * ([...term].length === 1 ? ONE_GRAM : 1));
    return;
  }
  add(term, weight);
  if (word.length < 3) return;
  const framed = `^${word}$`;
  const count = framed.length - 2;
  for (let at = 0; at < count; at++) add(`3:${framed.slice(at, at + 3)}`, (weight * THREE_GRAMS) / Math.sqrt(count));
}

function vectorOf(features: Features, pivot: number): Float32Array {
  const vector = new Float32Array(HASH_WIDTH);
  vector[0] = pivot;
  for (const [name, weight] of features) {
    const hash = hashOf(name);
    const at = 1 + (hash % (HASH_WIDTH - 1));
    // The sign spreads collisions around zero instead of adding them up.
    vector[at] = (vector[at] ?? 0) + (hash >>> 31 === 1 ? weight : -weight);
  }
  return vector;
}

/** 32-bit FNV-1a with a final mix (murmur3's), so that short names reach all bits. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
