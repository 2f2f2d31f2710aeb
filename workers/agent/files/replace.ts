// The replacement of edit_file, as a pure function on text: exact and unique, line endings taken as equal for finding and
// kept for writing, look-alike characters only as an announced second try. `$` means nothing.
import { foldText } from './look-alikes.ts';

export type Replacement =
  | {
      readonly ok: true;
      readonly text: string;
      readonly count: number;
      /** 1-based line of the first place. */
      readonly line: number;
      /** True when look-alike characters were taken as equal. */
      readonly folded: boolean;
    }
  | { readonly ok: false; readonly reason: string };

/** A text in which positions can be led back to the original. */
interface View {
  readonly text: string;
  /** Offset in the original for each unit of `text`, and one for its end. */
  offset(at: number): number;
}

/** Replaces `oldText` in `text`. */
export function replaceText(text: string, oldText: string, newText: string, all: boolean): Replacement {
  if (oldText === '') return fail('old_text is empty; to make a file use write_file');
  if (oldText === newText) return fail('old_text and new_text are the same, so nothing would change');
  // A file or a quotation with carriage returns: all endings are equal for finding, and the file's own are written.
  const returns = hasReturn(text) || hasReturn(oldText);
  const plain = returns ? linesView(text) : plainView(text);
  const wanted = oldText.replace(/\r\n?/g, '\n');
  const exact = placesIn(plain.text, wanted);
  if (exact.length > 0) return apply(text, plain, exact, wanted, newText, { all, folded: false, returns });
  const folded = foldedView(text);
  const foldedWanted = foldText(wanted);
  const alike = placesIn(folded.text, foldedWanted);
  if (alike.length === 0) return fail(notFound(plain.text, wanted));
  if (alike.length > 1)
    return fail(
      `old_text is not in the file; ${alike.length} places look like it (lines ${lineList(folded.text, alike)}); quote one of them exactly`,
    );
  return apply(text, folded, alike, foldedWanted, newText, { all: false, folded: true, returns });
}

function apply(
  text: string,
  view: View,
  places: readonly number[],
  wanted: string,
  newText: string,
  options: { readonly all: boolean; readonly folded: boolean; readonly returns: boolean },
): Replacement {
  const { all, folded, returns } = options;
  if (!all && places.length > 1)
    return fail(
      `old_text is there ${places.length} times (lines ${lineList(view.text, places)}); add lines around it to make it unique, or set replace_all`,
    );
  // Overlapping places count against uniqueness but can be replaced only once: from the left.
  const chosen = all ? apart(places, wanted.length) : places.slice(0, 1);
  let out = '';
  let done = 0;
  for (const at of chosen) {
    const { from, to, insert } = splice(text, view, at, wanted, newText, returns);
    out += text.slice(done, from) + insert;
    done = to;
  }
  out += text.slice(done);
  if (out === text) return fail('the edit would change nothing');
  return { ok: true, text: out, count: chosen.length, line: lineOf(view.text, chosen[0] ?? 0), folded };
}

/** One place: lines that old and new have in common are left alone, so that they keep their own endings. */
function splice(
  text: string,
  view: View,
  at: number,
  wanted: string,
  newText: string,
  returns: boolean,
): { from: number; to: number; insert: string } {
  const fresh = returns ? newText.replace(/\r\n?/g, '\n') : newText;
  const head = commonLines(wanted, fresh);
  const tail = commonTail(wanted.slice(head), fresh.slice(head));
  const from = view.offset(at + head);
  const to = view.offset(at + wanted.length - tail);
  const middle = fresh.slice(head, fresh.length - tail);
  return { from, to, insert: returns ? middle.replaceAll('\n', endingAt(text, from, to)) : middle };
}

/** Length of the whole lines that both texts begin with. */
function commonLines(a: string, b: string): number {
  let at = 0;
  for (let end = a.indexOf('\n'); end >= 0 && a.slice(at, end + 1) === b.slice(at, end + 1); end = a.indexOf('\n', at)) at = end + 1;
  return at;
}

/** Length of the whole lines that both texts end with, their line break before included. */
function commonTail(a: string, b: string): number {
  let length = 0;
  for (;;) {
    const start = a.lastIndexOf('\n', a.length - length - 1);
    const size = a.length - start;
    if (start < 0 || size <= length || size > b.length || a.slice(start) !== b.slice(b.length - size)) return length;
    length = size;
  }
}

/** The line ending of the replaced text, else of its line, else of the file. */
function endingAt(text: string, from: number, to: number): string {
  const ending = /\r\n|\n|\r/g;
  for (const [start, end] of [
    [from, to],
    [to, text.length],
    [0, from],
  ] as const) {
    ending.lastIndex = start;
    const found = ending.exec(text);
    if (found !== null && found.index < Math.max(end, start + 1)) return found[0];
  }
  return '\n';
}

const hasReturn = (text: string): boolean => text.includes('\r');
const fail = (reason: string): Replacement => ({ ok: false, reason });
const plainView = (text: string): View => ({ text, offset: (at) => at });

/** The text with every line ending as `\n`. */
function linesView(text: string): View {
  const removed: number[] = [];
  const view = text.replace(/\r\n?/g, (ending, at: number) => {
    if (ending.length === 2) removed.push(at - removed.length);
    return '\n';
  });
  return {
    text: view,
    // Each entry is the place in the view of a line break that was one unit longer; those before `at` shift it.
    offset: (at) => at + countBelow(removed, at),
  };
}

function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The text with line endings and look-alike characters folded. */
function foldedView(text: string): View {
  const offsets: number[] = [];
  let view = '';
  for (const found of text.matchAll(/\r\n?|\P{M}\p{M}*|\p{M}/gu)) {
    const folded = found[0].startsWith('\r') ? '\n' : foldText(found[0]);
    for (let i = 0; i < folded.length; i++) offsets.push(found.index);
    view += folded;
  }
  offsets.push(text.length);
  return { text: view, offset: (at) => offsets[at] ?? text.length };
}

/** Every place, overlapping ones too. */
function placesIn(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) places.push(at);
  return places;
}

function apart(places: readonly number[], length: number): number[] {
  const chosen: number[] = [];
  for (const at of places) if (chosen.length === 0 || at >= (chosen.at(-1) ?? 0) + length) chosen.push(at);
  return chosen;
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) line++;
  return line;
}

function lineList(text: string, places: readonly number[]): string {
  const lines = places.slice(0, 10).map((at) => lineOf(text, at));
  return lines.join(', ') + (places.length > 10 ? ', …' : '');
}

/** Says what is near: a first line that is there in another indentation is the usual reason. */
function notFound(text: string, wanted: string): string {
  const first = wanted
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim();
  if (first === undefined) return 'old_text is not in the file';
  if (/^\d+\t/.test(first))
    return 'old_text is not in the file; the numbers that read_file puts before lines are not part of it: leave them out';
  const lines = text.split('\n');
  const near = lines.findIndex((line) => line.trim() === first);
  if (near < 0) return 'old_text is not in the file; read it again and quote the text exactly';
  return `old_text is not in the file; its first line is like line ${near + 1} but the blanks or the lines after it differ; read it again and quote the text exactly`;
}
