// What a worktree gets from the main folder: copies and links. A list of them is kept in the worktree's private git
// folder, because they are not the teammate's work: never committed, and no reason to keep the worktree while unchanged.
import { lstatSync, readdirSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Type } from 'typebox';
import { errnoOf } from '../../store/errors.ts';
import {
  copyFileAtomic,
  ensureFolder,
  linkSymbolic,
  pathExists,
  readBytes,
  readText,
  removeFile,
  writeFileAtomic,
} from '../../store/files.ts';
import { gitTopOf } from '../../store/git-layout.ts';
import { stableHash } from '../../store/ids.ts';
import { parserOf } from '../../store/schema.ts';
import type { Git } from './git.ts';
import { gitPlaces } from './locks.ts';
import type { WorktreeSetup } from './setup.ts';

const ProvidedSchema = Type.Object({
  /** Path below the worktree, and the hash of what was copied there. */
  copies: Type.Array(Type.Object({ path: Type.String(), hash: Type.String() })),
  /** Path below the worktree, and where the link points. */
  links: Type.Array(Type.Object({ path: Type.String(), target: Type.String() })),
});
const provided = parserOf(ProvidedSchema, 'xz-provided.json');
type Provided = ReturnType<typeof provided.parse>;

const NOTHING: Provided = { copies: [], links: [] };

/**
 * Copies and links what the set-up names from the main checkout into the worktree `git` stands in. Its paths are meant
 * from the workspace, which may be a folder inside the repository. What is there already (because git tracks it) stays.
 * Returns what the main folder does not have.
 */
export function provide(git: Git, workspace: string, setup: WorktreeSetup): string[] {
  if (setup.copy.length + setup.link.length === 0) return [];
  const main = gitTopOf(workspace) ?? workspace;
  const fromTop = (path: string): string => join(relative(main, workspace), path);
  const list: Provided = { copies: [], links: [] };
  const missing: string[] = [];
  for (const path of setup.copy.map(fromTop)) {
    for (const { kind, path: file, real } of filesBelow(main, path)) {
      const to = join(git.dir, file);
      if (kind === 'nowhere') missing.push(file);
      // What is elsewhere is no more the worktree's than it is the main folder's.
      else if (kind === 'outside' && linkOne(real, to)) list.links.push({ path: file, target: real });
      else if (kind === 'inside' && copyOne(main, git.dir, file)) list.copies.push({ path: file, hash: hashOf(to) });
    }
  }
  for (const path of setup.link.map(fromTop)) {
    const target = join(main, path);
    if (!pathExists(target)) missing.push(path);
    else if (linkOne(target, join(git.dir, path))) list.links.push({ path, target });
  }
  writeFileAtomic(listFile(git), `${JSON.stringify(list, null, 2)}\n`);
  return missing;
}

/** Paths below the worktree that were provided and are as they were; a copy that was changed since is somebody's work. */
export function unchangedProvided(git: Git): string[] {
  const { copies, links } = readList(git);
  return [
    ...copies.filter(({ path, hash }) => isFile(join(git.dir, path)) && hashOf(join(git.dir, path)) === hash).map(({ path }) => path),
    ...links.filter(({ path, target }) => linkTarget(join(git.dir, path)) === target).map(({ path }) => path),
  ];
}

/** All paths that were provided, changed or not: none of them is ever committed. */
export function allProvided(git: Git): string[] {
  const { copies, links } = readList(git);
  return [...copies, ...links].map(({ path }) => path);
}

/** After the workspace was moved or copied: links lead to the main checkout of this one, not to where it was before. */
export function relink(git: Git, workspace: string): void {
  const main = gitTopOf(workspace) ?? workspace;
  const list = readList(git);
  const links = list.links.map(({ path, target }) => {
    const here = join(main, path);
    const link = join(git.dir, path);
    if (target === here || linkTarget(link) !== target) return { path, target };
    removeFile(link);
    linkSymbolic(here, link);
    return { path, target: here };
  });
  if (links.some(({ target }, at) => target !== list.links[at]?.target))
    writeFileAtomic(listFile(git), `${JSON.stringify({ ...list, links }, null, 2)}\n`);
}

/** Removes what was provided and is unchanged. Call only when the worktree is to go. */
export async function withdrawProvided(git: Git): Promise<void> {
  const tracked = new Set((await git.run('ls-files', '-z')).split('\0'));
  for (const path of unchangedProvided(git)) if (!tracked.has(path)) removeFile(join(git.dir, path));
}

function listFile(git: Git): string {
  return join(gitPlaces(git).gitDir, 'xz-provided.json');
}

function readList(git: Git): Provided {
  const text = readText(listFile(git));
  return text === undefined ? NOTHING : provided.parseJson(text);
}

interface Found {
  /** Below the main folder. */
  readonly path: string;
  readonly real: string;
  /** A link may lead to something outside the main folder, or nowhere. */
  readonly kind: 'inside' | 'outside' | 'nowhere';
}

/** The files that a path names, or all below it; a link counts as what it leads to, but for the folders it stands in. */
function filesBelow(main: string, path: string, within: readonly string[] = []): Found[] {
  const real = realOf(join(main, path));
  if (real === undefined) return [{ path, real: path, kind: 'nowhere' }];
  if (!`${real}/`.startsWith(`${realpathSync(main)}/`)) return [{ path, real, kind: 'outside' }];
  const stat = statSync(real);
  if (stat.isFile()) return [{ path, real, kind: 'inside' }];
  if (!stat.isDirectory() || within.some((folder) => `${folder}/`.startsWith(`${real}/`))) return [];
  return readdirSync(real).flatMap((name) => filesBelow(main, join(path, name), [...within, real]));
}

/** Where a path leads, or undefined when that is nowhere. */
function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

function copyOne(main: string, worktree: string, path: string): boolean {
  const to = join(worktree, path);
  // A copy of ours from before (the gate's worktree is kept) is brought up to date; anything else that is there stays.
  if (pathExists(to)) return isFile(to) && hashOf(to) === hashOf(join(main, path));
  copyFileAtomic(join(main, path), to);
  return true;
}

function linkOne(target: string, path: string): boolean {
  if (pathExists(path)) return linkTarget(path) === target;
  ensureFolder(dirname(path));
  linkSymbolic(target, path);
  return true;
}

function isFile(path: string): boolean {
  return pathExists(path) && lstatSync(path).isFile();
}

function linkTarget(path: string): string | undefined {
  return pathExists(path) && lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
}

function hashOf(path: string): string {
  return stableHash((readBytes(path) ?? Buffer.alloc(0)).toString('latin1'));
}
