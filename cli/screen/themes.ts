// Colours by style name. A theme is data; how a colour reaches the terminal (24 bit, 256 or 16) is decided in colours.ts.
import type { StyleName } from './spans.ts';

/** A colour and the nearest entry of the fixed 256-colour table, for terminals without 24 bit. */
export interface Colour {
  readonly rgb: readonly [red: number, green: number, blue: number];
  readonly index: number;
}

export interface Theme {
  readonly name: string;
  /** Undefined leaves the terminal's own colours alone. */
  readonly background: Colour | undefined;
  readonly styles: Readonly<Record<StyleName, Look>>;
}

export interface Look {
  readonly colour?: Colour;
  readonly background?: Colour;
  readonly bold?: true;
  readonly dim?: true;
  readonly inverse?: true;
  readonly underline?: true;
}

const colour = (hex: number, index: number): Colour => ({ rgb: [hex >> 16, (hex >> 8) & 255, hex & 255], index });

/** Amber on near-black charcoal. */
const amber: Theme = {
  name: 'amber',
  background: colour(0x17181a, 234),
  styles: {
    text: { colour: colour(0xd8d4cb, 188) },
    dim: { colour: colour(0x84807a, 244) },
    accent: { colour: colour(0xd9a441, 179) },
    good: { colour: colour(0x86b36b, 107) },
    bad: { colour: colour(0xd9695f, 167) },
    warn: { colour: colour(0xe0b860, 179) },
    border: { colour: colour(0x3a3b3e, 238) },
    code: { colour: colour(0xe3c791, 186) },
    link: { colour: colour(0xa9b8c9, 146), underline: true },
    added: { colour: colour(0x9cc585, 108), background: colour(0x1d2a1d, 235) },
    removed: { colour: colour(0xe08a80, 174), background: colour(0x2e1d1d, 235) },
    hunk: { colour: colour(0x8d8577, 102) },
    keyword: { colour: colour(0xd9a441, 179) },
    string: { colour: colour(0xa7b77e, 144) },
    number: { colour: colour(0xcf9a72, 173) },
    comment: { colour: colour(0x77736c, 243) },
    name: { colour: colour(0xcfc2a4, 187) },
    selected: { colour: colour(0x17181a, 234), background: colour(0xd9a441, 179) },
  },
};

const light: Theme = {
  name: 'light',
  background: colour(0xfbf9f4, 231),
  styles: {
    text: { colour: colour(0x2b2a28, 235) },
    dim: { colour: colour(0x7a756c, 243) },
    accent: { colour: colour(0x9a6a0b, 94) },
    good: { colour: colour(0x3f7a2b, 64) },
    bad: { colour: colour(0xb3372c, 124) },
    warn: { colour: colour(0x8f6410, 94) },
    border: { colour: colour(0xd9d3c6, 252) },
    code: { colour: colour(0x7a4f06, 94) },
    link: { colour: colour(0x2f5a86, 24), underline: true },
    added: { colour: colour(0x2f6a1d, 22), background: colour(0xe6f1df, 194) },
    removed: { colour: colour(0xa22d23, 88), background: colour(0xf8e2df, 224) },
    hunk: { colour: colour(0x857c6c, 101) },
    keyword: { colour: colour(0x9a6a0b, 94) },
    string: { colour: colour(0x4d6b1e, 58) },
    number: { colour: colour(0x9a4f1d, 130) },
    comment: { colour: colour(0x8c867b, 245) },
    name: { colour: colour(0x5a4a22, 58) },
    selected: { colour: colour(0xfbf9f4, 231), background: colour(0x9a6a0b, 94) },
  },
};

/** No colour at all: weight, underline and reversal carry what must be seen. */
const none: Theme = {
  name: 'none',
  background: undefined,
  styles: {
    text: {},
    dim: { dim: true },
    accent: { bold: true },
    good: {},
    bad: { bold: true },
    warn: { bold: true },
    border: { dim: true },
    code: {},
    link: { underline: true },
    added: {},
    removed: {},
    hunk: { dim: true },
    keyword: {},
    string: {},
    number: {},
    comment: { dim: true },
    name: {},
    selected: { inverse: true },
  },
};

/** The theme of that name; without colour, the one that has none. Unknown names give amber. */
export function themeOf(name: string, useColour: boolean): Theme {
  if (!useColour) return none;
  return name === 'light' ? light : name === 'none' ? none : amber;
}
