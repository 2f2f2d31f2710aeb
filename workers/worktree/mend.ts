// Worktrees that have lost their tie to the repository: moved or copied along with the workspace, taken away by hand, or
// without their `.git` file. Nothing outside this workspace is read as ours or written.
//
// `git worktree repair` is not used: it goes through every registration, and in a copy of a workspace those still name the
// folders of the original, whose `.git` files it would turn to the copy.
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf, XzError } from '../../store/errors.ts';
import { ensureFolder, listNames, pathExists, readText, writeFileAtomic } from '../../store/files.ts';
import { gitDirOf, pathBelowTop } from '../../store/git-layout.ts';
import type { Layout } from '../../store/layout.ts';
import { type Git, type GitOptions, openGit } from './git.ts';
import { gitPlaces } from './locks.ts';
import { forgetMissing } from './plan.ts';
import { provide, relink } from './provided.ts';
import { readSetup } from './setup.ts';

/** `gone`: no folder. `untied`: no `.git` file in it, or one that says nothing. `broken`: what is there does not lead to this repository. */
export type Tie = 'sound' | 'gone' | 'untied' | 'broken';

/** Whether a folder of `.worktrees` is a worktree that this repository knows. Starts no git. */
export function tieOf(layout: Layout, path: string, options: GitOptions): Tie {
  if (!pathExists(path)) return 'gone';
  const gitDir = gitDirOf(path);
  if (gitDir === undefined) return 'untied';
  const common = commonOf(layout, options);
  return common !== undefined && pathExists(join(gitDir, 'HEAD')) && isSame(dirname(gitDir), join(common, 'worktrees'))
    ? 'sound'
    : 'broken';
}

/** What is wrong with a worktree that is not sound, in plain English. */
export function faultOf(tie: Exclude<Tie, 'sound'>): string {
  if (tie === 'gone') return 'its folder is gone';
  return tie === 'untied' ? 'its .git file is gone or damaged' : 'git does not know it as a worktree of this repository';
}

/**
 * After the workspace was moved or copied: ties its worktrees to the repository they lie in. Repeated it changes nothing.
 * Returns the names of the folders that were tied anew.
 */
export function tieMoved(layout: Layout, options: GitOptions): string[] {
  if (!pathExists(layout.worktrees)) return [];
  const common = commonOf(layout, options);
  if (common === undefined || !pathExists(join(common, 'worktrees'))) return [];
  const parent = realpathSync(layout.worktrees);
  return listNames(parent).filter((name) => {
    const folder = join(parent, name);
    const pointed = isFile(join(folder, '.git')) ? gitDirOf(folder) : undefined;
    if (pointed === undefined) return false;
    const admin = join(common, 'worktrees', basename(pointed));
    if (!isOurs(admin, folder)) return false;
    if (isSame(pointed, admin) && isTiedTo(admin, folder)) return false;
    tieFolder(folder, admin);
    relink(openGit(folder, { ...options, here: true }), layout.root);
    // Last, since it says that all was done.
    tieAdmin(folder, admin);
    return true;
  });
}

/**
 * Makes a worktree one that can be worked in: a folder that is gone is made again from its branch, a lost `.git` file is
 * written anew. Resolves to what was mended, in English, or undefined. Throws `git_failed` when it stays broken.
 */
export async function mendWorktree(input: {
  readonly layout: Layout;
  readonly path: string;
  readonly branch: string;
  readonly git: GitOptions;
}): Promise<string | undefined> {
  const { layout, path, branch } = input;
  const tie = tieOf(layout, path, input.git);
  if (tie === 'sound') return undefined;
  const main = openGit(layout.root, { env: input.git.env });
  const admin = adminOf(layout, path, branch, input.git);
  if (tie === 'gone') {
    if (admin !== undefined) tieAdmin(realOf(path), admin);
    await forgetMissing(main, path);
    await main.run('worktree', 'add', '-q', path, branch);
    // Git makes no folder in which it tracks nothing.
    ensureFolder(join(path, pathBelowTop(layout.root)));
    provide(main.worktree(path), layout.root, readSetup(layout));
    return `the folder ${path} was gone: it was made again from branch ${branch}, without what had not been committed`;
  }
  if (tie === 'untied' && admin !== undefined) {
    tieFolder(realOf(path), admin);
    tieAdmin(realOf(path), admin);
    await restoreMissing(main.worktree(path));
    return `the .git file of ${path} was lost: it was written again, and files that were missing have come back as they were last added`;
  }
  throw new XzError('git_failed', `the worktree ${path} is broken: ${faultOf(tie)}`, { hint: 'its files are kept there' });
}

/** Where its own `.git` was lost files may have been too: nobody's deletions, so none of them may be committed. */
async function restoreMissing(git: Git): Promise<void> {
  // Without -f it leaves what is there, and answers with an error for each.
  await git.attempt('checkout-index', '-a', '-q');
}

/** The folder in which git keeps what belongs to one worktree, found by the branch or else by being the only one. */
function adminOf(layout: Layout, path: string, branch: string, options: GitOptions): string | undefined {
  const common = commonOf(layout, options);
  if (common === undefined) return undefined;
  const folder = realOf(path);
  const all = listNames(join(common, 'worktrees')).map((id) => join(common, 'worktrees', id));
  const ours = all.filter((admin) => isOurs(admin, folder));
  const onBranch = ours.filter((admin) => readText(join(admin, 'HEAD'))?.trim() === `ref: refs/heads/${branch}`);
  return onBranch[0] ?? (ours.length === 1 ? ours[0] : undefined);
}

/** True for the registration of this worktree, here or where the workspace was before; false while that one still uses it. */
function isOurs(admin: string, folder: string): boolean {
  const back = backOf(admin);
  if (back === undefined) return false;
  const was = dirname(back);
  if (basename(was) !== basename(folder) || basename(dirname(was)) !== basename(dirname(folder))) return false;
  if (isSame(was, folder)) return true;
  const used = gitDirOf(was);
  return used === undefined || !isSame(used, admin);
}

/** The `.git` file that a registration names. */
function backOf(admin: string): string | undefined {
  const text = readText(join(admin, 'gitdir'))?.trim();
  return text === undefined || text === '' ? undefined : resolve(admin, text);
}

function isTiedTo(admin: string, folder: string): boolean {
  const back = backOf(admin);
  return back !== undefined && isSame(dirname(back), folder);
}

function tieFolder(folder: string, admin: string): void {
  const at = gitDirOf(folder);
  if (at === undefined || !isSame(at, admin)) writeFileAtomic(join(folder, '.git'), `gitdir: ${admin}\n`);
}

function tieAdmin(folder: string, admin: string): void {
  if (!isTiedTo(admin, folder)) writeFileAtomic(join(admin, 'gitdir'), `${join(folder, '.git')}\n`);
}

function commonOf(layout: Layout, options: GitOptions): string | undefined {
  try {
    return realOf(gitPlaces(openGit(layout.root, options)).commonDir);
  } catch (error) {
    if (error instanceof XzError && error.code === 'git_failed') return undefined;
    throw error;
  }
}

/** The same place, also when one of the two has no folder. */
function isSame(a: string, b: string): boolean {
  return realOf(a) === realOf(b);
}

/** The real path; of something that is not there, below the real path of what is. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'ENOTDIR') throw error;
    return dirname(path) === path ? path : join(realOf(dirname(path)), basename(path));
  }
}

function isFile(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}
