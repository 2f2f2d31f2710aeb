// What the `.git` files alone tell about a repository, read without starting git: a cold command has no time for that.
// Format: gitrepository-layout(5) and git-worktree(1).
import { lstatSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { errnoOf } from './errors.ts';
import { readText } from './files.ts';

/** The top folder of the working tree around `cwd` (the nearest ancestor with a `.git` entry), or undefined. */
export function gitTopOf(cwd: string): string | undefined {
  for (let at = cwd; ; at = dirname(at)) {
    if (kindOf(join(at, '.git')) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Where a folder lies below the top of its working tree, such as `pkg/a`; empty at the top, and outside of every repository. */
export function pathBelowTop(folder: string): string {
  return relative(gitTopOf(folder) ?? folder, folder);
}

/** Paths below the top of the working tree, as git names them, named from a folder in it instead: `../b/x` for what is beside it. */
export function namedFrom(folder: string, paths: readonly string[]): string[] {
  const inside = pathBelowTop(folder);
  return paths.map((path) => (inside === '' ? path : relative(inside, path)));
}

/** The main working tree of the repository whose (possibly linked) working tree is `top`; `top` itself for bare layouts and submodules. */
export function mainWorkTree(top: string): string {
  const dotGit = join(top, '.git');
  if (kindOf(dotGit) !== 'file') return top;
  const gitDir = gitDirOf(top);
  if (gitDir === undefined) return top;
  const common = readText(join(gitDir, 'commondir'))?.trim();
  if (common === undefined) return top;
  const commonDir = resolve(gitDir, common);
  if (basename(commonDir) !== '.git' || /^\s*bare\s*=\s*true\s*$/im.test(readText(join(commonDir, 'config')) ?? '')) return top;
  return dirname(commonDir);
}

/** The private git folder of a working tree: `.git` itself, or what its `gitdir:` line points to. */
export function gitDirOf(top: string): string | undefined {
  const dotGit = join(top, '.git');
  const kind = kindOf(dotGit);
  if (kind === 'folder') return dotGit;
  if (kind === undefined) return undefined;
  // Everything after the literal prefix is the path, blanks included.
  const text = readText(dotGit);
  return text?.startsWith('gitdir: ') ? resolve(top, text.slice('gitdir: '.length).replace(/\r?\n[\s\S]*$/, '')) : undefined;
}

function kindOf(path: string): 'file' | 'folder' | undefined {
  try {
    return lstatSync(path).isFile() ? 'file' : 'folder';
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR' || errnoOf(error) === 'EACCES') return undefined;
    throw error;
  }
}
