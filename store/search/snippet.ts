// The part of a text that shows why it was found: one line, cut at the densest place, with the marks a terminal may
// highlight.
import { type QueryTerm, type Span, termSpans } from './terms.ts';

export interface Snippet {
  /** One line; `…` where text was left out. */
  readonly text: string;
  /** Half-open ranges of `text` that hold a term. */
  readonly marks: ReadonlyArray<readonly [start: number, end: number]>;
}

/** Longer texts are searched for their best place only this far, in characters. */
const LOOKED_AT = 20_000;

/** A snippet of about `length` characters. */
export function snippetOf(text: string, terms: readonly QueryTerm[], length = 160): Snippet {
  const head = text.slice(0, LOOKED_AT);
  const spans = termSpans(head, terms);
  const start = startOf(head, spans, length);
  const end = wordEnd(text, start + length);
  const visible = spans.filter((span) => span.start >= start && span.end <= end);
  const out: { text: string; marks: Array<[number, number]> } = { text: start > 0 ? '…' : '', marks: [] };
  let at = start;
  for (const span of visible) {
    append(out, text.slice(at, span.start));
    const from = out.text.length;
    append(out, text.slice(span.start, span.end));
    out.marks.push([from, out.text.length]);
    at = span.end;
  }
  append(out, text.slice(at, end));
  const trimmed = out.text.trimEnd();
  return { text: end < text.trimEnd().length ? `${trimmed}…` : trimmed, marks: out.marks };
}

/** Adds a piece with runs of white space as one space, and control characters as none: a snippet is drawn as it is. */
function append(out: { text: string }, piece: string): void {
  const flat = piece.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '');
  out.text += out.text === '' || out.text.endsWith(' ') ? flat.trimStart() : flat;
}

/** Where a term stands so often, the first places are as good as any. */
const MOST_PLACES = 400;

/** The start of the window that holds the most different terms. */
function startOf(text: string, spans: readonly Span[], length: number): number {
  const places = spans.slice(0, MOST_PLACES);
  const all = new Set(places.map((span) => span.term)).size;
  let best = { start: 0, terms: 0 };
  for (const first of places) {
    const inside = places.filter((span) => span.start >= first.start && span.end <= first.start + length);
    const terms = new Set(inside.map((span) => span.term)).size;
    if (terms > best.terms) best = { start: first.start, terms };
    if (best.terms === all) break;
  }
  if (best.start < length / 2) return 0;
  const from = best.start - Math.floor(length / 5);
  const space = text.slice(from, best.start).search(/\s/);
  return space < 0 ? safeCut(text, from) : from + space + 1;
}

function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const back = text.slice(at - 20, at).search(/\s\S*$/);
  return back < 0 ? safeCut(text, at) : at - 20 + back;
}

/** Never between the two halves of a surrogate pair. */
function safeCut(text: string, at: number): number {
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at;
}
