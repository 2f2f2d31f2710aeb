// Scrolling by lines through entries whose height is only known once they are drawn: the view is anchored to a line of
// an entry, so that what grows at the end does not move what is being read. Cost is that of the visible part.
import type { Entry } from './entries.ts';
import type { Line } from './spans.ts';
import type { ScrollAnchor } from './state.ts';

/** Lines of one entry at the width in use; at least one, and the same for the same entry. */
export type LinesOf = (entry: Entry) => readonly Line[];

export interface ShownLine {
  readonly line: Line;
  readonly entry: number;
}

interface Place {
  /** Index into the entries. */
  readonly index: number;
  readonly line: number;
}

/** The lines of a view of `height` rows. Following the end, the last line stands at the bottom. */
export function visibleLines(
  entries: readonly Entry[],
  anchor: ScrollAnchor | undefined,
  height: number,
  linesOf: LinesOf,
): readonly ShownLine[] {
  const top = topOf(entries, anchor, height, linesOf);
  const out: ShownLine[] = [];
  for (let index = top.index, line = top.line; index < entries.length && out.length < height; index++, line = 0) {
    const entry = entries[index];
    if (entry === undefined) break;
    const lines = linesOf(entry);
    for (; line < lines.length && out.length < height; line++) {
      const shown = lines[line];
      if (shown !== undefined) out.push({ line: shown, entry: entry.id });
    }
  }
  return out;
}

/** The anchor after scrolling by `by` lines (negative is up); undefined when the end is reached. */
export function scrolled(
  entries: readonly Entry[],
  anchor: ScrollAnchor | undefined,
  height: number,
  by: number,
  linesOf: LinesOf,
): ScrollAnchor | undefined {
  const end = backFrom({ index: entries.length, line: 0 }, height, entries, linesOf);
  const now = anchor === undefined ? end : placeOf(entries, anchor, linesOf);
  const next = by < 0 ? backFrom(now, -by, entries, linesOf) : forwardFrom(now, by, entries, linesOf);
  if (next.index > end.index || (next.index === end.index && next.line >= end.line)) return undefined;
  const entry = entries[next.index];
  return entry === undefined ? undefined : { entry: entry.id, line: next.line };
}

/** The anchor that shows the entry, or the one in use when it is in sight already. */
export function revealed(
  entries: readonly Entry[],
  anchor: ScrollAnchor | undefined,
  height: number,
  id: number,
  linesOf: LinesOf,
): ScrollAnchor | undefined {
  if (visibleLines(entries, anchor, height, linesOf).some((line) => line.entry === id)) return anchor;
  return scrolled(entries, { entry: id, line: 0 }, height, 0, linesOf);
}

function topOf(entries: readonly Entry[], anchor: ScrollAnchor | undefined, height: number, linesOf: LinesOf): Place {
  const end = backFrom({ index: entries.length, line: 0 }, height, entries, linesOf);
  if (anchor === undefined) return end;
  const place = placeOf(entries, anchor, linesOf);
  // After a resize or a fold the rest may be shorter than the view: then the end is shown.
  return place.index > end.index || (place.index === end.index && place.line > end.line) ? end : place;
}

function placeOf(entries: readonly Entry[], anchor: ScrollAnchor, linesOf: LinesOf): Place {
  const first = entries[0];
  if (first === undefined) return { index: 0, line: 0 };
  // Ids grow by one, so the place is known at once unless old entries were dropped.
  const guess = anchor.entry - first.id;
  const index = entries[guess]?.id === anchor.entry ? guess : entries.findIndex((entry) => entry.id >= anchor.entry);
  const entry = entries[index];
  if (entry === undefined) return { index: 0, line: 0 };
  return { index, line: Math.min(anchor.line, linesOf(entry).length - 1) };
}

function backFrom(from: Place, lines: number, entries: readonly Entry[], linesOf: LinesOf): Place {
  let { index, line } = from;
  let left = lines;
  while (left > line) {
    const before = entries[index - 1];
    if (before === undefined) return { index: 0, line: 0 };
    left -= line;
    index--;
    line = linesOf(before).length;
  }
  return { index, line: line - left };
}

function forwardFrom(from: Place, lines: number, entries: readonly Entry[], linesOf: LinesOf): Place {
  let { index, line } = from;
  let left = lines;
  for (;;) {
    const entry = entries[index];
    if (entry === undefined) return { index: entries.length, line: 0 };
    const rest = linesOf(entry).length - line;
    if (left < rest) return { index, line: line + left };
    left -= rest;
    index++;
    line = 0;
  }
}
