// Folding: the one form in which texts and queries are compared. Case, accents, full-width letters and ligatures are
// folded away; what SQLite cannot store as text (NUL, half a surrogate pair) is removed.

/** Latin, Greek and Cyrillic marks only: the marks of Thai or of kana are letters of their own to a reader. */
const ACCENTS = /[\u0300-\u036f]/g;
const UNSTORABLE = /\p{Surrogate}|\u0000/gu;

/** The text without NUL and without lone surrogates. */
function storable(text: string): string {
  return text.replace(UNSTORABLE, '');
}

/** The folded form of a text. Not the same length: never use positions of one in the other. */
export function fold(text: string): string {
  // Plain ASCII, the common case in code and English, has nothing to decompose.
  if (/^[\x01-\x7f]*$/.test(text)) return text.toLowerCase();
  return storable(text).normalize('NFKD').replace(ACCENTS, '').normalize('NFKC').toLowerCase();
}
