// Characters that look alike and are typed for one another: composed and decomposed accents, curly and straight quotes,
// the many blanks. Used to find what was meant; nothing is ever written back in the folded form.

const SAME: ReadonlyArray<readonly [RegExp, string]> = [
  [/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g, ' '],
  [/[\u2018\u2019\u201a\u201b\u2032\uff07]/g, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033\uff02]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
];

/** One character, or a base with its marks, in the form that is compared. Never longer in code units than NFC makes it. */
export function foldText(text: string): string {
  return SAME.reduce((left, [from, to]) => left.replace(from, to), text.normalize('NFC'));
}

/** A file name in the form that is compared. */
export const foldName = foldText;

/** A name with its unusual characters spelled out, so that two that look alike can be told apart. */
export function showName(name: string): string {
  return `"${name.replace(/[^\u0020-\u007e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
}
