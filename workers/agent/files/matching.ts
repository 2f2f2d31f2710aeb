// Which paths a shell could make of a pattern, looked up before the shell does: rather too many than too few.
import { readdirSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { errnoOf } from '../../../store/errors.ts';
import { shellTest } from '../permissions/rule.ts';

const MOST_MATCHES = 1_000;
const MOST_FOLDERS = 200;
const MOST_NAMES = 20_000;

/**
 * Paths as the pattern writes them (relative to `folder`, or absolute); `folder` is absolute. Links are gone through as a
 * shell would. Undefined when there are too many to look at, or when something on the way cannot be read.
 */
export function matchingPaths(folder: string, pattern: string): readonly string[] | undefined {
  let found: readonly string[] = [isAbsolute(pattern) ? '/' : ''];
  const left = { folders: MOST_FOLDERS, names: MOST_NAMES };
  const segments = pattern.replace(/^\/+/, '').split(/\/+/);
  for (const [at, segment] of segments.entries()) {
    const tail = at < segments.length - 1 ? '/' : '';
    const next: string[] = [];
    for (const before of found) {
      const names = namesFor(segment, before.startsWith('/') ? before : `${folder}/${before}`, left);
      if (names === undefined) return undefined;
      for (const name of names) next.push(`${before}${name}${tail}`);
      if (next.length > MOST_MATCHES) return undefined;
    }
    found = next;
  }
  return found;
}

/** The names in a folder that one segment could stand for. The folder's path is not normalised: `link/..` is not here. */
function namesFor(segment: string, folder: string, left: { folders: number; names: number }): readonly string[] | undefined {
  if (!/[*?[]/.test(segment)) return [segment];
  if (--left.folders < 0) return undefined;
  try {
    const names = readdirSync(folder);
    left.names -= names.length;
    // A name that is no text is another one here than on the disk.
    if (left.names < 0 || names.some((name) => name.includes('\uFFFD'))) return undefined;
    // Some shells let `.*` stand for the folder and the one above it.
    return [...names, ...(segment.startsWith('.') ? ['.', '..'] : [])].filter(shellTest(segment));
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '') ? [] : undefined;
  }
}
