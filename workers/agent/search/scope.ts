// Where a search looks: the folder or file that was named, its ignore rules, and what is never searched. Stale copies in
// worktrees, git's own files, installed packages and xz's data would drown what was asked for.
import { type Dirent, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import createIgnore, { type Ignore } from 'ignore';
import { errnoOf } from '../../../store/errors.ts';
import { gitTopOf } from '../../../store/git-layout.ts';
import { isTempName } from '../../../store/temp-files.ts';

/** Folder names that are skipped wherever they are, unless the search starts inside one. */
export const SKIPPED_FOLDERS: readonly string[] = ['.git', 'node_modules', '.worktrees'];

export interface FoundFile {
  /** Absolute. */
  readonly path: string;
  /** Relative to the folder where the search started, `/`-separated. */
  readonly name: string;
}

export interface FoundEntry extends FoundFile {
  readonly isLink: boolean;
}

interface Rules {
  readonly folder: string;
  readonly rules: Ignore;
}

/**
 * The regular files below `start` that are not ignored, sorted by name within each folder, files before folders. Links
 * are not followed, so a loop of them ends. A generator, so that the caller decides when to pause and stop.
 */
export function* walkFiles(start: string): Generator<FoundFile, void, void> {
  yield* walk(start, '', rulesFor(start), (entry) => entry.isFile());
}

/** The same and, among them, the links that are not ignored, whatever they lead to. */
export function* walkFilesAndLinks(start: string): Generator<FoundEntry, void, void> {
  yield* walk(start, '', rulesFor(start), (entry) => entry.isFile() || entry.isSymbolicLink());
}

/** True when the folder is ignored itself: who names it wants what is in it, so the rules above it do not count. */
export function isIgnoredFolder(folder: string): boolean {
  return isIgnored(folder, true, rulesAbove(folder));
}

/** Entries looked at before it is taken that something is left out. */
const MOST_LOOKED_AT = 5_000;

/** True when a search from here leaves files out: ignored ones, installed packages, worktrees. */
export function leavesOut(start: string): boolean {
  let looked = 0;
  const look = (folder: string, above: readonly Rules[]): boolean => {
    const own = rulesIn(folder);
    const rules = own === undefined ? above : [...above, own];
    return entriesOf(folder).some((entry) => {
      if (entry.name === '.git' || isTempName(entry.name)) return false;
      const path = `${folder}/${entry.name}`;
      if (++looked > MOST_LOOKED_AT || isIgnored(path, entry.isDirectory(), rules)) return true;
      return entry.isDirectory() && (isSkipped(folder, entry.name) || look(path, rules));
    });
  };
  return look(start, rulesFor(start));
}

const rulesFor = (start: string): readonly Rules[] => (isIgnoredFolder(start) ? [] : rulesAbove(start));

type Wanted = (entry: Dirent) => boolean;

function* walk(folder: string, prefix: string, above: readonly Rules[], wanted: Wanted): Generator<FoundEntry, void, void> {
  const own = rulesIn(folder);
  const rules = own === undefined ? above : [...above, own];
  const entries = entriesOf(folder).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (wanted(entry) && !isTempName(entry.name) && !isIgnored(path, false, rules))
      yield { path, name: prefix + entry.name, isLink: entry.isSymbolicLink() };
  }
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && !isSkipped(folder, entry.name) && !isIgnored(path, true, rules))
      yield* walk(path, `${prefix}${entry.name}/`, rules, wanted);
  }
}

function isSkipped(parent: string, name: string): boolean {
  return SKIPPED_FOLDERS.includes(name) || (name === 'data' && parent.endsWith('/.agents'));
}

/** The last rule that says anything about the path decides, so a deeper file can take back what a higher one ignores. */
function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  for (let at = rules.length - 1; at >= 0; at--) {
    const item = rules[at];
    if (item === undefined) continue;
    const { folder, rules: set } = item;
    const name = relative(folder, path);
    if (name === '') continue;
    const result = set.test(name + (isFolder ? '/' : ''));
    if (result.ignored) return true;
    if (result.unignored) return false;
  }
  return false;
}

/** Rules of the folders above the start, up to the top of the repository, and of `.git/info/exclude`. */
function rulesAbove(start: string): Rules[] {
  const top = gitTopOf(start);
  if (top === undefined) return [];
  const exclude = readRules(top, join(top, '.git', 'info', 'exclude'));
  const above: Rules[] = exclude === undefined ? [] : [exclude];
  const folders: string[] = [];
  for (let at = start; at !== top; ) folders.unshift((at = dirname(at)));
  return [...above, ...folders.flatMap((folder) => rulesIn(folder) ?? [])];
}

function rulesIn(folder: string): Rules | undefined {
  return readRules(folder, join(folder, '.gitignore'));
}

function readRules(folder: string, file: string): Rules | undefined {
  try {
    return { folder, rules: createIgnore().add(readFileSync(file, 'utf8')) };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}
