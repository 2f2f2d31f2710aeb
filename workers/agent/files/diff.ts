// Unified diffs of what a tool changed, for the screen and for the question whether it may. Bounded in work and not in
// time, so that one change always looks the same: two texts with little in common are shown as one block.
import { createTwoFilesPatch } from 'diff';

/** With more edited lines than this, one after another, the lines are not compared: the work grows with its square. */
const MOST_EDITS = 1_000;
/** A longer block is told as a count. */
const MOST_BLOCK_LINES = 10_000;
const CONTEXT = 3;

/** A unified diff with `a/` and `b/` names, or one line that says why there is none. An empty string when nothing differs. */
export function unifiedDiff(path: string, before: string | undefined, after: string): string {
  if (before === after) return '';
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const to = `b/${path}`;
  const patch = createTwoFilesPatch(from, to, before ?? '', after, undefined, undefined, { context: CONTEXT, maxEditLength: MOST_EDITS });
  if (patch === undefined) return `--- ${from}\n+++ ${to}\n${blockOf(linesOf(before ?? ''), linesOf(after))}`;
  return patch.replace(/^=+\n/, '').replace(/^(--- [^\t\n]*|\+\+\+ [^\t\n]*)\t?$/gm, '$1');
}

/** Each line with its end; the last may lack one. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** One hunk: the lines from the first that differs to the last, old before new. */
function blockOf(before: readonly string[], after: readonly string[]): string {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const gone = before.slice(head, before.length - tail);
  const come = after.slice(head, after.length - tail);
  if (gone.length + come.length > MOST_BLOCK_LINES) return `(${gone.length} lines became ${come.length}: too many to show)\n`;
  const lead = before.slice(Math.max(0, head - CONTEXT), head);
  const trail = before.slice(before.length - tail, before.length - tail + CONTEXT);
  const around = lead.length + trail.length;
  const first = head - lead.length + 1;
  // A side without lines is named by the line before it.
  const side = (lines: number) => `${lines === 0 ? first - 1 : first},${lines}`;
  const marked = (mark: string, lines: readonly string[]) =>
    lines.map((line) => `${mark}${line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`}`);
  const hunk = `@@ -${side(gone.length + around)} +${side(come.length + around)} @@\n`;
  return [hunk, ...marked(' ', lead), ...marked('-', gone), ...marked('+', come), ...marked(' ', trail)].join('');
}
