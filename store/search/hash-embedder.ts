// The built-in embedder: feature hashing of words, Latin three-grams and CJK one- and two-grams. It forgives spelling
// and word forms; it does not know meaning. No model, no download, the same numbers on every machine.
import type { Embedder } from './embedder.ts';
import { isStopWord } from './stop-words.ts';
import { type TextUnit, textUnits } from './terms.ts';

const HASH_WIDTH = 512;
/** Share of a word's weight that its three-grams carry together. */
const THREE_GRAMS = 0.5;
/** A word that shares this much of its three-grams is taken for the same word misspelt. */
const ALIKE = 0.5;
/** A single CJK character says less than two together. */
const ONE_GRAM = 0.4;
/**
 * The first number of a document's vector is the same for all: without it a text of two words that holds one of the
 * query's would beat every longer one (the pivot of length normalisation).
 */
const PIVOT = 4;

type Features = Map<string, number>;

/** The built-in embedder. Its name changes when its numbers do. */
export function hashEmbedder(): Embedder {
  return {
    model: `builtin-hash-1-${HASH_WIDTH}`,
    width: HASH_WIDTH,
    // Low: a misspelt word is a small part of a long text. What passes is confirmed in the text itself.
    floor: 0.02,
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
      const units = [...textUnits(text)];
      // The words in one string with their ends marked: looking three-grams up in it is quicker than listing all it has.
      const there = { terms: new Set(units.map(({ term }) => term)), words: units.map(({ word }) => `^${word}$`).join('') };
      let [all, held] = [0, 0];
      for (const unit of textUnits(query)) {
        if (isStopWord(unit.word)) continue;
        const weight = collection.rarity(unit.term);
        all += weight;
        held += weight * heldBy(there, unit);
      }
      return all === 0 ? 0 : held / all;
    },
  };
}

/** How much of a query's word is in a text: all of it, the share of its three-grams when most are there, or nothing. */
function heldBy(there: { readonly terms: ReadonlySet<string>; readonly words: string }, { kind, term, word }: TextUnit): number {
  if (there.terms.has(term)) return 1;
  const grams = kind === 'gram' ? [] : threeGrams(word);
  const share = grams.filter((gram) => there.words.includes(gram)).length / Math.max(1, grams.length);
  return share >= ALIKE ? share : 0;
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
  const grams = threeGrams(word);
  for (const gram of grams) add(`3:${gram}`, (weight * THREE_GRAMS) / Math.sqrt(grams.length));
}

/** The three-grams of a word, its beginning and end marked. */
function threeGrams(word: string): string[] {
  if (word.length < 3) return [];
  const framed = `^${word}$`;
  return Array.from({ length: framed.length - 2 }, (_, at) => framed.slice(at, at + 3));
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
