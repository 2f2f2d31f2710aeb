// The size limit of a tool result: head and tail stay, the middle goes to `outputs/`, and the true size is told. Cuts
// fall between graphemes, at a line's end when one is near.

export interface Capped {
  readonly head: string;
  readonly tail: string;
  /** UTF-8 bytes of the whole. */
  readonly bytes: number;
}

/** Head and tail of a text that is larger than `capBytes` of UTF-8, or undefined when it fits. */
export function capText(text: string, capBytes: number): Capped | undefined {
  // Each UTF-16 unit is at most three bytes of UTF-8, so most texts need no counting.
  if (text.length * 3 <= capBytes) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes <= capBytes) return undefined;
  const room = Math.max(0, capBytes - 300);
  return { head: headOf(text, Math.floor(room * 0.6)), tail: tailOf(text, Math.floor(room * 0.4)), bytes };
}

/** The two ends with the notice between them. */
export function joinCapped(capped: Capped, where: string | undefined): string {
  const left = capped.bytes - Buffer.byteLength(capped.head) - Buffer.byteLength(capped.tail);
  const told = where === undefined ? 'it was not kept' : `the whole text is in ${where} (read_file with start_line and end_line)`;
  const size = `${capped.bytes.toLocaleString('en-US')} bytes in all`;
  return `${capped.head}\n[… ${left.toLocaleString('en-US')} bytes left out here, ${size}; ${told} …]\n${capped.tail}`;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The longest beginning of at most `bytes` that ends between graphemes. */
export function headOf(text: string, bytes: number): string {
  const end = unitsWithin(text, bytes);
  const cut = boundaryBefore(text, end);
  const line = text.lastIndexOf('\n', cut);
  return text.slice(0, line > cut - 400 && line > 0 ? line : cut);
}

/** The longest end of at most `bytes` that starts between graphemes. */
export function tailOf(text: string, bytes: number): string {
  let units = Math.min(text.length, bytes);
  while (units > 0 && Buffer.byteLength(text.slice(text.length - units)) > bytes) units -= Math.max(1, units >> 4);
  let cut = text.length - units;
  const next = boundaryBefore(text, cut);
  if (next < cut) cut = nextBoundary(text, cut);
  const line = text.indexOf('\n', cut);
  return text.slice(line >= 0 && line < cut + 400 ? line + 1 : cut);
}

function unitsWithin(text: string, bytes: number): number {
  let units = Math.min(text.length, bytes);
  while (units > 0 && Buffer.byteLength(text.slice(0, units)) > bytes) units -= Math.max(1, units >> 4);
  return units;
}

/** A grapheme of ordinary text is shorter than this; a longer one is cut, since it was made to be long. */
const WINDOW = 64;

function boundaryBefore(text: string, at: number): number {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  const from = wholeAt(text, Math.max(0, at - WINDOW));
  let last = from;
  for (const { index } of graphemes.segment(text.slice(from, at + WINDOW))) {
    if (from + index > at) break;
    last = from + index;
  }
  return last > from || from === at ? last : wholeAt(text, at);
}

function nextBoundary(text: string, at: number): number {
  const from = wholeAt(text, Math.max(0, at - WINDOW));
  for (const { index } of graphemes.segment(text.slice(from, at + WINDOW))) if (from + index >= at) return from + index;
  return wholeAt(text, Math.min(text.length, at + WINDOW));
}

/** `at`, or one less when it would split a surrogate pair. */
function wholeAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
