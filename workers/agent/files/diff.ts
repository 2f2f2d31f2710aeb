// Unified diffs of what a tool changed, for the screen and for the question whether it may. Bounded in time: two large
// texts with nothing in common are not compared line by line.
import { createTwoFilesPatch } from 'diff';

/** More edited lines than this are told as a count. */
const MOST_EDITS = 4_000;

/** A unified diff with `a/` and `b/` names, or one line that says why there is none. An empty string when nothing differs. */
export function unifiedDiff(path: string, before: string | undefined, after: string): string {
  if (before === after) return '';
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const patch = createTwoFilesPatch(from, `b/${path}`, before ?? '', after, undefined, undefined, {
    context: 3,
    maxEditLength: MOST_EDITS,
    timeout: 500,
  });
  if (patch === undefined) return `--- ${from}\n+++ b/${path}\n(too many changed lines to show)\n`;
  return patch.replace(/^=+\n/, '').replace(/^(--- [^\t\n]*|\+\+\+ [^\t\n]*)\t?$/gm, '$1');
}
