// Finds the SKILL.md files of a source. Links are followed, loops end, and whatever looks like a skill and is none is
// reported with the reason.
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../store/errors.ts';
import { isTempName } from '../../../store/temp-files.ts';
import { isInside } from '../files/paths.ts';

export interface FoundSkill {
  /** The folder's own name. */
  readonly name: string;
  /** As found, absolute. */
  readonly folder: string;
  readonly file: string;
  /** Changes whenever the file does. */
  readonly version: string;
  /** Real path of the file. */
  readonly real: string;
}

export interface Misfit {
  readonly name: string;
  readonly path: string;
  readonly reason: string;
}

export interface Scanned {
  readonly skills: readonly FoundSkill[];
  readonly misfits: readonly Misfit[];
}

/** Collections keep skills in sub-folders; deeper ones are a skill's own material. */
const DEEPEST = 4;
const MOST_FOLDERS = 2_000;
const LARGEST = 1_000_000;

/** Looks through one source; a folder that is not there holds nothing. */
export function scanSource(root: string): Scanned {
  const skills: FoundSkill[] = [];
  const misfits: Misfit[] = [];
  const seen = new Set<string>();
  const look = (folder: string, depth: number): boolean => {
    const real = realOf(folder);
    if (real === undefined || seen.has(real) || seen.size >= MOST_FOLDERS) return true;
    seen.add(real);
    const names = namesIn(folder);
    if (names === undefined) {
      misfits.push({ name: nameOf(folder), path: folder, reason: 'its folder may not be read' });
      return true;
    }
    const file = names.find((name) => name === 'SKILL.md') ?? names.find((name) => name.toLowerCase() === 'skill.md');
    if (file !== undefined && depth > 0) {
      take(folder, real, join(folder, file), skills, misfits);
      return true;
    }
    let any = false;
    for (const name of names) {
      const path = join(folder, name);
      const kind = kindOf(path);
      if (typeof kind !== 'string') misfits.push({ name, path, reason: kind.reason });
      else if (depth === 0 && kind === 'file' && /\.md$/i.test(name) && !/^(readme|license|changelog|contributing)\b/i.test(name))
        misfits.push({
          name: name.replace(/\.md$/i, ''),
          path,
          reason: `a skill is a folder: move it to ${name.replace(/\.md$/i, '')}/SKILL.md`,
        });
      if (kind !== 'folder' || name === 'node_modules' || name === '.git' || depth >= DEEPEST) continue;
      const found = look(path, depth + 1);
      any ||= found;
      if (!found && depth === 0) misfits.push({ name, path, reason: 'there is no SKILL.md in it' });
    }
    return any;
  };
  look(root, 0);
  return { skills, misfits };
}

function take(folder: string, realFolder: string, file: string, skills: FoundSkill[], misfits: Misfit[]): void {
  const name = nameOf(folder);
  const real = realOf(file) ?? file;
  const reason = whyUnfit(file, real, realFolder);
  if (reason !== undefined) {
    misfits.push({ name, path: file, reason });
    return;
  }
  const { size, mtimeMs, ino } = statSync(real);
  skills.push({ name, folder, file, real, version: `${size}-${mtimeMs}-${ino}` });
}

function whyUnfit(file: string, real: string, realFolder: string): string | undefined {
  const kind = kindOf(file);
  if (typeof kind !== 'string') return kind.reason;
  if (kind !== 'file') return 'its SKILL.md is not a regular file';
  // A link of the file itself could show the model anything on this machine as a skill's text.
  if (!isInside(real, realFolder)) return 'its SKILL.md is a link that leads out of its folder';
  return statSync(real).size > LARGEST ? 'its SKILL.md is larger than 1 MB' : undefined;
}

const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1);

function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder)
      .filter((name) => !isTempName(name))
      .sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    if (errnoOf(error) === 'EACCES' || errnoOf(error) === 'EPERM') return undefined;
    throw error;
  }
}

function kindOf(path: string): 'file' | 'folder' | 'other' | { readonly reason: string } {
  try {
    const stat = statSync(path);
    return stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'other';
  } catch (error) {
    switch (errnoOf(error)) {
      case 'ELOOP':
        return { reason: 'it is a loop of symbolic links' };
      case 'ENOENT':
        return isLink(path) ? { reason: 'it is a link that leads nowhere' } : 'other';
      case 'EACCES':
      case 'EPERM':
        return { reason: 'it may not be read' };
      default:
        throw error;
    }
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (['ENOENT', 'ELOOP', 'EACCES', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}
