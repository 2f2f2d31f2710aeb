// A unified diff, coloured, with the counts of its lines.
import { type Line, span, wrapText } from '../spans.ts';

/** Lines added and removed. */
export function diffCounts(diff: string): { readonly added: number; readonly removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of diff.split('\n')) {
    if (line.startsWith('+') && !line.startsWith('+++')) added++;
    if (line.startsWith('-') && !line.startsWith('---')) removed++;
  }
  return { added, removed };
}

/** At most `most` rows of the diff, wrapped to the width; the last row says how many lines are left out. */
export function diffLines(diff: string, width: number, most: number, more: (lines: number) => string): Line[] {
  const lines = diff.replace(/\n$/, '').split('\n');
  const out: Line[] = [];
  for (const [index, line] of lines.entries()) {
    if (out.length >= most) {
      out.push([span(more(lines.length - index), 'dim')]);
      break;
    }
    if (/^(?:index |diff --git|new file|deleted file|similarity|rename )/.test(line)) continue;
    if (line.startsWith('+++') || line.startsWith('---')) out.push(...wrapText(line, width, 'dim'));
    else if (line.startsWith('@@')) out.push(...wrapText(line, width, 'hunk'));
    else if (line.startsWith('+')) out.push(...wrapText(line, width, 'added'));
    else if (line.startsWith('-')) out.push(...wrapText(line, width, 'removed'));
    else out.push(...wrapText(line === '' ? ' ' : line, width, 'text'));
  }
  return out;
}
