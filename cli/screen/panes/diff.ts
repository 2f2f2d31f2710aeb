// A unified diff, coloured, with the counts of its lines.
import { type Line, type StyleName, span, wrapText } from '../spans.ts';

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

/**
 * At most `most` rows of the diff of one file, wrapped to the width; where lines are left out, the last row says how many.
 * The two lines that name the file are left out: it is named beside the diff, and there without escapes.
 */
export function diffLines(diff: string, width: number, most: number, more: (lines: number) => string): Line[] {
  const lines = diff
    .replace(/^--- .*\n\+\+\+ .*\n/, '')
    .replace(/\n$/, '')
    .split('\n')
    .filter((line) => !/^(?:index |diff --git|new file|deleted file|similarity|rename )/.test(line));
  const out: Line[] = [];
  let cut = 0;
  for (const [index, line] of lines.entries()) {
    out.push(...wrapText(line === '' ? ' ' : line, width, styleOf(line)));
    // The row that tells of the rest needs a place of its own, if there is a rest.
    if (out.length < most) cut = index + 1;
    if (out.length > most) return [...out.slice(0, Math.max(0, most - 1)), [span(more(lines.length - cut), 'dim')]];
  }
  return out;
}

function styleOf(line: string): StyleName {
  if (line.startsWith('+++') || line.startsWith('---')) return 'dim';
  if (line.startsWith('@@')) return 'hunk';
  return line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'text';
}
