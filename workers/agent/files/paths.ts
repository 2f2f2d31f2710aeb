// Which file a path of a tool call means, and whether the agent may touch it. Containment is judged on the real path,
// after every link of the deepest existing parent, so a link cannot lead out, a dangling one included.
import { lstatSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errnoOf, XzError } from '../../../store/errors.ts';
import { isTempName } from '../../../store/temp-files.ts';
import { foldName, showName } from './look-alikes.ts';

export interface PathRules {
  /** The agent's own root; nothing outside is reached. */
  readonly root: string;
  /** Full texts of capped results: readable by every agent, wherever its root is. */
  readonly outputs: string;
  /** What the model calls the outputs folder, with a final slash. */
  readonly outputsPrefix: string;
  /** Absolute folders and files that no tool opens although they may be below the root: xz's home, credentials. */
  readonly closed: readonly string[];
  /** Absolute folders outside the root that may be read, such as those of the person's own skills. */
  readonly readable: readonly string[];
}

export interface Place {
  /** Absolute path with all links resolved: what is opened. */
  readonly real: string;
  /** Relative to the root, `/`-separated: what the model is told. */
  readonly shown: string;
  readonly exists: boolean;
}

/**
 * The place a path means. Throws `bad_input` for a path that cannot be meant, `refused` for one outside the root or in
 * xz's own data.
 */
export function placeOf(rules: PathRules, given: string, purpose: 'read' | 'write'): Place {
  checkText(given, purpose);
  const realRoot = realpathSync(rules.root);
  if (purpose === 'read') {
    const stored = outputsPlace(rules, realRoot, given);
    if (stored !== undefined) return stored;
    const elsewhere = readablePlace(rules, realRoot, given);
    if (elsewhere !== undefined) return elsewhere;
  }
  // The root may itself be reached through a link: an absolute path may name it either way.
  const absolute = isAbsolute(given) ? resolve(given) : resolve(realRoot, given);
  const lexical = isInside(absolute, rules.root) ? join(realRoot, relative(rules.root, absolute)) : absolute;
  const found = isInside(lexical, realRoot) ? walk(realRoot, relative(realRoot, lexical)) : lexical;
  const real = realTarget(found);
  if (!isInside(real, realRoot))
    throw new XzError('refused', `${given} is outside ${rules.root}`, { hint: 'this agent reads and writes only below its own root' });
  const shown = relative(realRoot, real).split(sep).join('/') || '.';
  refuseOwnData(shown, purpose);
  if (isClosed(real, rules.closed))
    throw new XzError('refused', `${given} holds settings or secrets of xz`, { hint: 'the person changes them with `xz config`' });
  return { real, shown, exists: exists(real) };
}

function checkText(given: string, purpose: 'read' | 'write'): void {
  if (given.trim() === '') throw new XzError('bad_input', 'the path is empty');
  if (given.includes('\0')) throw new XzError('bad_input', 'the path holds a NUL character');
  if (given === '~' || given.startsWith('~/'))
    throw new XzError('refused', `${given} is in the home folder`, { hint: 'give a path relative to the root' });
  if (purpose === 'write' && /^(~|\$\{?[A-Za-z_])/.test(given))
    throw new XzError('bad_input', `${given}: no shell expands this path`, { hint: 'give the path itself' });
}

/** Where a path leads after all links: relative to the root and `/`-separated, absolute when it is outside or a loop. */
export function realName(root: string, given: string): string {
  if (given.includes('\0')) return given;
  const realRoot = realpathSync(root);
  const absolute = isAbsolute(given) ? resolve(given) : resolve(realRoot, given);
  try {
    const real = realTarget(isInside(absolute, root) ? join(realRoot, relative(root, absolute)) : absolute);
    return isInside(real, realRoot) ? relative(realRoot, real).split(sep).join('/') || '.' : real;
  } catch (error) {
    if (error instanceof XzError) return absolute;
    throw error;
  }
}

/** True when `path` is `folder` or below it; both absolute. A sibling with the same beginning is not inside. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** True for a real path in one of the closed places. */
export function isClosed(real: string, closed: readonly string[]): boolean {
  return closed.some((place) => isInside(real, realTarget(place)));
}

function outputsPlace(rules: PathRules, realRoot: string, given: string): Place | undefined {
  const plain = given.replace(/^\.\//, '');
  const wanted = plain.startsWith(rules.outputsPrefix)
    ? join(rules.outputs, plain.slice(rules.outputsPrefix.length))
    : resolve(realRoot, given);
  if (!isInside(wanted, rules.outputs) || !exists(rules.outputs)) return undefined;
  const real = realTarget(wanted);
  if (!isInside(real, realpathSync(rules.outputs))) return undefined;
  return { real, shown: rules.outputsPrefix + relative(realpathSync(rules.outputs), real), exists: exists(real) };
}

/** A path outside the root in one of the further folders; a link in there does not lead on to other places. */
function readablePlace(rules: PathRules, realRoot: string, given: string): Place | undefined {
  const wanted = resolve(realRoot, given);
  const folder = rules.readable.find((other) => isInside(wanted, other) || isInside(wanted, realTarget(other)));
  if (folder === undefined) return undefined;
  const real = realTarget(wanted);
  if (isInside(real, realRoot) || !isInside(real, realTarget(folder)) || isClosed(real, rules.closed)) return undefined;
  return { real, shown: wanted.split(sep).join('/'), exists: exists(real) };
}

/** xz's databases and locks are opened through SQLite only: a plain read in this process would drop its locks. */
function refuseOwnData(shown: string, purpose: 'read' | 'write'): void {
  const inside = /(?:^|\/)\.agents\/data(?:\/(.*))?$/i.exec(shown);
  if (inside === null) return;
  const rest = inside[1] ?? '';
  if (purpose === 'write' || /^[^/]*\.db[^/]*$/i.test(rest) || /^locks(\/|$)/i.test(rest))
    throw new XzError('refused', `${shown} belongs to xz itself`, { hint: 'use `xz history` and `xz memory` to look into its data' });
}

/** Goes down segment by segment; a name that is not there exactly may be there in a look-alike form. */
function walk(root: string, below: string): string {
  let at = root;
  for (const name of below.split(sep)) {
    if (name === '') continue;
    const next = join(at, name);
    // After a link leads elsewhere the rest is resolved by the system and judged by the real path.
    at = exists(next) && !hasTwin(name) ? next : join(at, lookAlike(at, name));
  }
  return at;
}

const hasTwin = (name: string): boolean => /[^\u0000-\u007f]/.test(name);

/** The one name in the folder that looks like `name`; `name` itself when nothing does. Throws `ambiguous` for two. */
function lookAlike(folder: string, name: string): string {
  const names = namesIn(folder);
  const same = names.filter((other) => other.normalize('NFC') === name.normalize('NFC'));
  const close = same.length > 0 ? same : names.filter((other) => foldName(other) === foldName(name));
  if (close.length > 1)
    throw new XzError('ambiguous', `"${name}" could be any of ${close.length} names that look alike: ${close.map(showName).join(', ')}`, {
      hint: 'rename one of them with bash',
    });
  return close[0] ?? name;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => !isTempName(name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}

/** The real path of what is there or would be made: links resolved, also a dangling one. Throws `refused` for a loop. */
export function realTarget(path: string, hops = 40): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ELOOP' || hops === 0) throw new XzError('refused', `${path} is a loop of symbolic links`);
    if (code === 'EACCES') throw new XzError('refused', `${path} may not be looked into`);
    if (code === 'ENAMETOOLONG') throw new XzError('bad_input', 'the path is too long');
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
  }
  if (dirname(path) === path) return path;
  const parent = realTarget(dirname(path), hops);
  const here = join(parent, basename(path));
  const link = linkOf(here);
  return link === undefined ? here : realTarget(resolve(parent, link), hops - 1);
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (['EINVAL', 'ENOENT', 'ENOTDIR', 'UNKNOWN'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}
