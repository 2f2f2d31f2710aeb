// How much bytes look like text in one of the East Asian encodings. A statistical detector needs a page of text to tell
// them apart; the common characters of each have their own places, which shows in a few of them. Pure.

/** Two-byte characters as [first, second]; undefined when the bytes are not built that way. */
function pairsOf(bytes: Uint8Array, isLead: (byte: number) => boolean, isTrail: (byte: number) => boolean): number[][] | undefined {
  const pairs: number[][] = [];
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    const trail = bytes[at + 1] ?? 0;
    if (!isLead(lead) || !isTrail(trail)) return undefined;
    pairs.push([lead, trail]);
    at++;
  }
  return pairs;
}

const share = (pairs: readonly number[][], test: (lead: number, trail: number) => boolean): number =>
  pairs.filter(([lead = 0, trail = 0]) => test(lead, trail)).length / Math.max(1, pairs.length);

const between = (from: number, to: number) => (byte: number) => byte >= from && byte <= to;
const high = between(0xa1, 0xfe);

/**
 * The encoding that a text of mostly common characters must have, or undefined. GB18030 comes first: it is what files in
 * Chinese that are not UTF-8 have almost always. `sure` is false for a single character.
 */
export function commonText(bytes: Uint8Array): { readonly encoding: string; readonly sure: boolean } | undefined {
  const euc = pairsOf(bytes, high, high);
  // Kana have the same rows in EUC-JP and GB2312, and only Japanese is full of them.
  if (euc !== undefined && share(euc, isKanaRow) >= 0.1) return { encoding: 'euc-jp', sure: euc.length >= 4 };
  if (euc !== undefined && isHangul(euc)) return { encoding: 'euc-kr', sure: true };
  const gb = gbPairs(bytes);
  if (gb !== undefined && gb.length > 0 && share(gb, isCommonInGb) >= 0.75) return { encoding: 'gb18030', sure: gb.length >= 2 };
  const shiftJis = pairsOf(bytes, (byte) => between(0x81, 0x9f)(byte) || between(0xe0, 0xef)(byte), between(0x40, 0xfc));
  if (shiftJis !== undefined && share(shiftJis, (lead) => lead === 0x82 || lead === 0x83) >= 0.2)
    return { encoding: 'shift_jis', sure: shiftJis.length >= 4 };
  const big5 = pairsOf(bytes, between(0xa1, 0xf9), (byte) => between(0x40, 0x7e)(byte) || high(byte));
  if (big5 !== undefined && big5.length >= 2 && share(big5, between(0xa1, 0xc6)) >= 0.8)
    return { encoding: 'big5', sure: big5.length >= 8 };
  return undefined;
}

const isKanaRow = (lead: number): boolean => lead === 0xa4 || lead === 0xa5;

/** The first level of GB2312, 3,755 characters that make up nearly all of any text, and punctuation. */
const isCommonInGb = (lead: number, trail: number): boolean =>
  trail >= 0xa1 && ((lead >= 0xb0 && lead <= 0xd7) || (lead >= 0xa1 && lead <= 0xa3));

/** Hangul fill the rows that in GB2312 are the first half of the common characters: chance soon rules that out. */
function isHangul(pairs: readonly number[][]): boolean {
  const letters = pairs.filter(([lead = 0]) => lead > 0xa3);
  return letters.length >= 12 && share(letters, between(0xb0, 0xc8)) >= 0.98;
}

/** As `pairsOf`, for GB18030 with its characters of four bytes, which count as [0, 0]. */
function gbPairs(bytes: Uint8Array): number[][] | undefined {
  const pairs: number[][] = [];
  for (let at = 0; at < bytes.length; at++) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) continue;
    const trail = bytes[at + 1] ?? 0;
    const four = between(0x30, 0x39)(trail) && between(0x81, 0xfe)(bytes[at + 2] ?? 0) && between(0x30, 0x39)(bytes[at + 3] ?? 0);
    if (lead === 0x80 || lead === 0xff || !(four || (trail >= 0x40 && trail !== 0x7f && trail !== 0xff))) return undefined;
    pairs.push(four ? [0, 0] : [lead, trail]);
    at += four ? 3 : 1;
  }
  return pairs;
}
