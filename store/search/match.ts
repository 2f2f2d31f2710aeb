// FTS5 expressions from query terms. Every term is quoted, so query text is data and never syntax.
import type { QueryTerm } from './terms.ts';

/** All terms must be there. */
export function matchAll(terms: readonly QueryTerm[]): string {
  return terms.map((term) => quote(term.phrase)).join(' AND ');
}

/** Any term will do, or a word of an identifier. */
export function matchAny(terms: readonly QueryTerm[]): string {
  const single = new Set(terms.flatMap((term) => [quote(term.phrase), ...term.parts.map((part) => quote([part]))]));
  return [...single].join(' OR ');
}

function quote(phrase: readonly string[]): string {
  return `"${phrase.join(' ').replaceAll('"', '""')}"`;
}
