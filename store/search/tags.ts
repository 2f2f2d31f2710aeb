// Tags of a log entry: `[deploy]` where the entry begins (after its bullet, box and time) or where its first line ends.
import { fold } from './fold.ts';

const LEAD =
  /^[\s>]*(?:#{1,6}\s+)?(?:(?:[-*+]|\d+[.)])\s+)?(?:\[[ xX]\]\s+)?(?:[*_`([]{0,3}(?:\d{4}-\d\d-\d\d[ T])?\d{1,2}:\d\d(?::\d\d)?[*_`)\]]{0,3}\s*[-–—:·|]?\s*)?/;
const TAGS = /^(?:[*_`]*\[[^[\]\n]{1,60}\][*_`]*(?![(:[])\s*)+/;
const CLOSING_TAGS = /(?:\s\[[^[\]\n]{1,60}\])+\s*$/;
/** A letter first: `[x]` of a box, `[1]` of a footnote and a time are no tags. */
const TAG = /^\p{L}[\p{L}\p{N}\p{M}_./ -]*$/u;

/** The folded tags of an entry's first line, in order; `[a, b]` holds two. */
export function tagsOf(line: string): string[] {
  const rest = line.slice(LEAD.exec(line)?.[0].length ?? 0);
  const found = [TAGS.exec(rest)?.[0] ?? '', CLOSING_TAGS.exec(rest)?.[0] ?? ''].flatMap((run) => run.match(/\[[^[\]]+\]/g) ?? []);
  const names = found.flatMap((tag) => tag.slice(1, -1).split(/[,，、]/)).map((name) => name.trim());
  return [...new Set(names.filter((name) => TAG.test(name) && !/^x$/i.test(name)).map(tagKey))];
}

/** The form in which tags are compared. */
export function tagKey(tag: string): string {
  return fold(tag.trim());
}
