// The tokenizer: pure. A text becomes the terms of the index, a query the terms that are looked up; FTS5 only ever sees
// terms separated by spaces. Scripts written without spaces are indexed as one- and two-grams, everything else as
// stemmed words, so that `部署`, `XZ-42`, `src/a.ts` and `C++` are all found.
import { stemmer } from 'stemmer';
import { fold } from './fold.ts';
import { isStopWord, mayBind } from './stop-words.ts';

/** Counts up when the terms of the same text change: an index made with another number is rebuilt. */
export const TERMS_VERSION = 1;

/** Terms of a query past this many add time and no meaning. */
const MOST_QUERY_TERMS = 64;
/** A pasted page is asked for by its beginning (characters); the segmenter's memory grows with the square of a run. */
const LONGEST_QUERY = 2_000;
/** Longer runs are data (base64, hashes of hashes), not words; their head is enough to find them. */
const LONGEST_WORD = 64;

const GRAM_SCRIPTS = ['Han', 'Hira', 'Kana', 'Hang', 'Bopo', 'Thai', 'Laoo', 'Khmr', 'Mymr'].map((name) => `\\p{scx=${name}}`).join('');
const GRAM_RUN = `(?:(?=[\\p{L}\\p{N}\\p{M}])[${GRAM_SCRIPTS}])+`;
const WORD_RUN = `(?:(?![${GRAM_SCRIPTS}])[\\p{L}\\p{N}\\p{M}])+(?:['’](?:(?![${GRAM_SCRIPTS}])[\\p{L}\\p{N}\\p{M}])+)*(?:(?<=\\b[a-z])(?:\\+\\+|#)(?![\\p{L}\\p{N}]))?`;
const RUNS = new RegExp(`(?<grams>${GRAM_RUN})|(?<word>${WORD_RUN})`, 'giu');
/** What may stand between two words of one identifier: `XZ-42`, `src/a.ts`, `user@host:22`. */
const JOINT = /^[-_./\\:@#+&~]{1,3}$/;

/** One thing a query asks for: the term, or terms that must stand side by side. */
export interface QueryTerm {
  readonly phrase: readonly string[];
  /** For an identifier: its words, worth something alone when the whole is rare. */
  readonly parts: readonly string[];
}

export interface Span {
  readonly start: number;
  readonly end: number;
  /** The term it was found for. */
  readonly term: string;
}

interface Run {
  readonly kind: 'grams' | 'word';
  /** Folded. */
  readonly text: string;
  readonly raw: string;
  readonly start: number;
  readonly end: number;
}

/** The terms of a text in order, separated by spaces: what the index stores. */
export function indexTerms(text: string): string {
  const out: string[] = [];
  for (const run of runsOf(text)) {
    if (run.kind === 'grams') pushGrams(run.text, out);
    else out.push(...wordTerms(run.text));
  }
  return out.join(' ');
}

/** The words inside `camelCase` and `HTTPServer2` names, indexed beside the names themselves. */
export function partTerms(text: string): string {
  const out: string[] = [];
  for (const run of runsOf(text)) if (run.kind === 'word') out.push(...camelParts(run.raw).map((part) => stemOf(fold(part))));
  return out.join(' ');
}

/** One term of a text with the folded word or gram it came from. */
export interface TextUnit {
  readonly kind: 'word' | 'gram';
  readonly term: string;
  readonly word: string;
}

/** The terms of a text one by one, for embedding. */
export function* textUnits(text: string): Generator<TextUnit> {
  for (const run of runsOf(text)) {
    if (run.kind === 'word') for (const term of wordTerms(run.text)) yield { kind: 'word', term, word: run.text.split(/['’]/)[0] ?? '' };
    else {
      const grams: string[] = [];
      pushGrams(run.text, grams);
      for (const term of grams) yield { kind: 'gram', term, word: term };
    }
  }
}

/** What a query asks for, without stop words unless it has nothing else; empty when nothing in it can be searched. */
export function queryTerms(whole: string): QueryTerm[] {
  const query = whole.slice(0, LONGEST_QUERY);
  const all: Array<QueryTerm & { stop: boolean }> = [];
  const runs = [...runsOf(query)];
  for (let at = 0; at < runs.length; ) {
    const end = identifierEnd(query, runs, at);
    const group = runs.slice(at, end);
    all.push(...(group.length > 1 ? [identifierTerm(group)] : group.flatMap(runTerms)));
    at = end;
  }
  const telling = all.filter((term) => !term.stop);
  const kept = telling.length > 0 ? telling : all;
  const unique = new Map(kept.map(({ phrase, parts }) => [phrase.join(' '), { phrase, parts }]));
  return [...unique.values()].slice(0, MOST_QUERY_TERMS);
}

function* runsOf(text: string): Generator<Run> {
  for (const match of text.matchAll(RUNS)) {
    const raw = match[0];
    const kind = match.groups?.grams === undefined ? 'word' : 'grams';
    yield { kind, raw, text: fold(raw), start: match.index, end: match.index + raw.length };
  }
}

/** Where a text holds the terms of a query: half-open ranges of the text itself, in order, none overlapping. */
export function termSpans(text: string, terms: readonly QueryTerm[]): Span[] {
  const wanted = new Set(terms.flatMap((term) => [...term.phrase, ...term.parts]));
  const spans: Span[] = [];
  for (const run of runsOf(text)) {
    if (run.kind === 'word') {
      const whole = wordTerms(run.text);
      const hit = whole.find((term) => wanted.has(term)) ?? camelParts(run.raw).find((part) => wanted.has(stemOf(fold(part))));
      if (hit !== undefined) spans.push({ start: run.start, end: run.end, term: hit });
    } else gramSpans(run, wanted, spans);
  }
  return spans;
}

/** Grams are looked up in the raw text, whose characters fold one by one; neighbouring hits become one span. */
function gramSpans(run: Run, wanted: ReadonlySet<string>, spans: Span[]): void {
  let at = run.start;
  const chars = Array.from(run.raw, (char) => ({ char: fold(char), from: at, to: (at += char.length) }));
  chars.forEach(({ char, from, to }, index) => {
    const next = chars[index + 1];
    const pair = next === undefined ? undefined : char + next.char;
    const hit =
      pair !== undefined && wanted.has(pair) ? { term: pair, end: next?.to ?? to } : wanted.has(char) ? { term: char, end: to } : undefined;
    if (hit === undefined) return;
    const last = spans.at(-1);
    if (last !== undefined && last.end >= from && last.start >= run.start) {
      spans[spans.length - 1] = { start: last.start, end: Math.max(last.end, hit.end), term: last.term };
    } else spans.push({ start: from, ...hit });
  });
}

/** Index after the last run of the identifier that starts at `at`. Grams never join one: they match without help. */
function identifierEnd(query: string, runs: readonly Run[], at: number): number {
  let end = at + 1;
  for (let last = runs[at]; last?.kind === 'word'; last = runs[end++]) {
    const next = runs[end];
    if (next?.kind !== 'word' || !JOINT.test(query.slice(last.end, next.start))) break;
  }
  return end;
}

function identifierTerm(group: readonly Run[]): QueryTerm & { stop: boolean } {
  const phrase = group.flatMap((run) => wordTerms(run.text));
  return { phrase, parts: phrase.filter((part) => part.length > 1 && !isStopWord(part)), stop: false };
}

function runTerms(run: Run): Array<QueryTerm & { stop: boolean }> {
  if (run.kind === 'grams') return queryGrams(run.text);
  const terms = wordTerms(run.text);
  // Who asks for a name's possessive wants the name; `it's` has nothing but its whole.
  const phrase = /['’]s$/.test(run.text) && !isStopWord(terms[0] ?? '') ? terms.slice(0, 1) : terms;
  return [{ phrase, parts: [], stop: isStopWord(run.text.replace(/['’]/g, '')) || phrase.every(isStopWord) }];
}

/** The terms of one folded word: possessives and elisions (`l'été`, `O'Brien`) split, other apostrophes dropped. */
function wordTerms(word: string): string[] {
  const [head = '', ...tail] = word.slice(0, LONGEST_WORD).split(/['’]/);
  if (tail.length === 0) return [stemOf(head)];
  if (tail.length === 1 && tail[0] === 's') return [stemOf(head), 's'];
  if (head.length <= 2) return [head, ...tail].map(stemOf);
  return [stemOf(head + tail.join(''))];
}

function stemOf(word: string): string {
  return /^[a-z]{3,}$/.test(word) ? stemmer(word) : word;
}

function camelParts(word: string): string[] {
  if (!/\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}|\p{L}\p{N}|\p{N}\p{L}/u.test(word)) return [];
  return (word.match(/\p{Lu}?[\p{Ll}\p{Lo}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? []).filter((part) => part.length > 1);
}

function pushGrams(run: string, out: string[]): void {
  const chars = [...run];
  chars.forEach((char, at) => {
    out.push(char);
    const next = chars[at + 1];
    if (next !== undefined) out.push(char + next);
  });
}

let segmenter: Intl.Segmenter | undefined;

/**
 * Two-grams inside the words of a run, so that the seam between two words is not asked for; a word of one character
 * is joined to its neighbours, since the division into words is a guess that the index does not depend on.
 */
function queryGrams(run: string): Array<QueryTerm & { stop: boolean }> {
  const term = (text: string, stop: boolean) => ({ phrase: [text], parts: [], stop });
  const chars = [...run];
  if (chars.length <= 2) return [term(run, isStopWord(run))];
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' });
  const words = [...segmenter.segment(run)].map((part) => part.segment);
  const stops = words.flatMap((word) => Array.from(word, () => isStopWord(word)));
  const starts = new Set<number>();
  let at = 0;
  for (const word of words) {
    const length = [...word].length;
    if (length > 1) for (let start = at; start < at + length - 1; start++) starts.add(start);
    else if (!isStopWord(word)) for (const start of seams(chars, stops, at)) starts.add(start);
    at += length;
  }
  const covered = new Set([...starts].flatMap((start) => [start, start + 1]));
  const grams = [...starts].sort((a, b) => a - b).map((start) => term(chars.slice(start, start + 2).join(''), stops[start] === true));
  const lonely = chars.flatMap((char, index) => (covered.has(index) ? [] : [term(char, stops[index] === true)]));
  return [...grams, ...lonely];
}

/** Where the two-grams begin that tie a single character to its neighbours; a stop word is a neighbour only in need. */
function seams(chars: readonly string[], stops: readonly boolean[], at: number): number[] {
  const firm = [at - 1, at].filter((start) => stops[start === at ? at + 1 : start] === false);
  if (firm.length > 0) return firm;
  return [at, at - 1].filter((start) => mayBind(chars[start === at ? at + 1 : start] ?? '')).slice(0, 1);
}
