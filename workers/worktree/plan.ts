// Where a teammate's worktree will be, decided by looking only. The caller writes the answer into the roster before
// anything is made, so that a half-done creation is found and continued.
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorMessage, isAbort, XzError } from '../../store/errors.ts';
import { pathExists, readText } from '../../store/files.ts';
import type { Layout } from '../../store/layout.ts';
import { firstGitError, type Git, type GitOptions, isGitMissing, openGit, splitNul } from './git.ts';
import { gitPlaces } from './locks.ts';
import type { WorktreeSetup } from './setup.ts';

export interface WorktreePlan {
  readonly name: string;
  /** Folder of the worktree, absolute. */
  readonly path: string;
  /** The teammate's own root: the folder inside the worktree that matches the workspace (they differ when the workspace is a subfolder). */
  readonly root: string;
  readonly branch: string;
  /** Commit the branch starts from. */
  readonly base: string;
  /** Branch the main checkout is on; undefined when its HEAD is detached. */
  readonly mainBranch: string | undefined;
  /** Files of the person that the worktree will not have: changed, staged or untracked in the main checkout. */
  readonly uncommitted: readonly string[];
}

/** Why there is no worktree; the caller then works in the main folder and says so. */
export interface NoWorktree {
  readonly kind: 'none';
  readonly why: 'not_a_repository' | 'no_commit_yet' | 'git_missing' | 'git_failed';
  /** Git's first error, or what was found. */
  readonly detail: string;
}

export type Planned = { readonly kind: 'plan'; readonly plan: WorktreePlan } | NoWorktree;

/** Plans a worktree for a teammate from the lead's HEAD. Never changes anything. */
export async function planWorktree(input: {
  readonly layout: Layout;
  readonly name: string;
  readonly setup: WorktreeSetup;
  readonly git: GitOptions;
}): Promise<Planned> {
  const { layout, name, setup } = input;
  const git = openGit(layout.root, input.git);
  try {
    // A teammate waits for this: what does not need an answer before is asked at once.
    const [inside, head] = await Promise.all([
      git.attempt('rev-parse', '--is-inside-work-tree', '--show-prefix'),
      git.attempt('rev-parse', '--verify', 'HEAD^{commit}'),
    ]);
    if (inside.code !== 0) {
      const detail = firstGitError(inside);
      return none(/not a git repository/.test(detail) ? 'not_a_repository' : 'git_failed', detail);
    }
    if (head.code !== 0) return none('no_commit_yet', firstGitError(head));
    const [isInside, prefix = ''] = inside.out.split('\n');
    const [path, branch, uncommitted] = await Promise.all([
      freePath(git, layout, name),
      freeBranch(git, `${setup.branchPrefix}xz/${name}`),
      isInside === 'true' ? uncommittedFiles(git) : [],
    ]);
    return {
      kind: 'plan',
      plan: {
        name,
        path,
        root: prefix === '' ? path : join(path, prefix.replace(/\/$/, '')),
        branch,
        base: head.out.trim(),
        mainBranch: gitPlaces(git).branch,
        uncommitted,
      },
    };
  } catch (error) {
    if (isAbort(error)) throw error;
    if (isGitMissing(error)) return none('git_missing', errorMessage(error));
    if (error instanceof XzError && error.code === 'git_failed') return none('git_failed', error.message);
    throw error;
  }
}

function none(why: NoWorktree['why'], detail: string): NoWorktree {
  return { kind: 'none', why, detail };
}

/** A folder that neither exists nor is registered; a stranger's folder of that name is never touched. */
async function freePath(git: Git, layout: Layout, name: string): Promise<string> {
  const registered = new Set((await listWorktrees(git)).map(({ path }) => path));
  const parent = pathExists(layout.worktrees) ? realpathSync(layout.worktrees) : join(realpathSync(layout.root), '.worktrees');
  for (let n = 1; ; n++) {
    const folder = n === 1 ? name : `${name}-${n}`;
    const stale = registered.has(join(parent, folder)) && !pathExists(join(parent, folder));
    if (!pathExists(join(layout.worktrees, folder)) && (!registered.has(join(parent, folder)) || stale))
      return join(layout.worktrees, folder);
  }
}

/**
 * `<stem>/<n>` with the first n above every branch that is there: numbers are not used twice. Git has no branch `xz/ann/1`
 * beside one named `xz` or `xz/ann`: the name then moves aside.
 */
async function freeBranch(git: Git, stem: string): Promise<string> {
  const taken = (await git.run('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads/')).split('\n');
  const there = new Set(taken);
  let folder = '';
  for (const part of stem.split('/')) {
    let free = `${folder}${part}`;
    for (let n = 2; there.has(free); n++) free = `${folder}${part}-${n}`;
    folder = `${free}/`;
  }
  const numbers = taken.flatMap((branch) => (branch.startsWith(folder) ? Number(/^\d+/.exec(branch.slice(folder.length))?.[0] ?? 0) : []));
  return `${folder}${Math.max(0, ...numbers) + 1}`;
}

async function uncommittedFiles(git: Git): Promise<string[]> {
  const entries = splitNul((await git.attempt('status', '--porcelain', '-z', '-unormal', '--no-renames')).out);
  return entries.map((entry) => entry.slice(3));
}

export interface RegisteredWorktree {
  /** Real path. */
  readonly path: string;
  readonly head: string | undefined;
  /** Short branch name; undefined when detached. */
  readonly branch: string | undefined;
  readonly locked: string | undefined;
}

/** Every worktree git has registered, the main one first. Parsed after the literal prefix, so that any path survives. */
export async function listWorktrees(git: Git): Promise<RegisteredWorktree[]> {
  // `-z` needs git 2.36; without it a path with a line break is quoted, which ours never have.
  const text = await git.run('worktree', 'list', '--porcelain');
  return text.split('\n\n').flatMap((block) => {
    const value = (key: string): string | undefined => {
      const line = block.split('\n').find((candidate) => candidate === key || candidate.startsWith(`${key} `));
      return line?.slice(key.length + 1);
    };
    const path = value('worktree');
    if (path === undefined) return [];
    return [{ path, head: value('HEAD'), branch: value('branch')?.replace('refs/heads/', ''), locked: value('locked') }];
  });
}

/**
 * Takes away a worktree whose making was cut: git locks one while it makes it, and takes the lock off at the very end, so
 * nobody has worked in it yet. Throws `git_failed` when its branch has commits after all.
 */
export async function removeHalfMade(main: Git, plan: Pick<WorktreePlan, 'path' | 'branch' | 'base'>): Promise<void> {
  const head = (await main.attempt('rev-parse', '-q', '--verify', `refs/heads/${plan.branch}`)).out.trim();
  if (head !== '' && head !== plan.base) throw new XzError('git_failed', `${plan.path} is left over from a run before and holds work`);
  await main.run('worktree', 'unlock', plan.path);
  await main.run('worktree', 'remove', '--force', plan.path);
}

/** True while git makes the worktree `git` stands in, and after a kill in the middle of that. */
export function isHalfMade(git: Git): boolean {
  return readText(join(gitPlaces(git).gitDir, 'locked'))?.trim() === 'initializing';
}

/** What git has registered for a folder, or undefined. */
export async function registeredAt(main: Git, path: string): Promise<RegisteredWorktree | undefined> {
  const real = join(realParent(path), basename(path));
  return (await listWorktrees(main)).find((other) => other.path === real);
}

/** Drops the registration of a worktree whose folder is gone; others that are missing for now (a disk not mounted) stay. */
export async function forgetMissing(main: Git, path: string): Promise<void> {
  if (pathExists(path)) return;
  const known = await registeredAt(main, path);
  if (known === undefined) return;
  if (known.locked !== undefined) await main.attempt('worktree', 'unlock', known.path);
  await main.run('worktree', 'remove', '--force', known.path);
}

function realParent(path: string): string {
  return pathExists(dirname(path)) ? realpathSync(dirname(path)) : dirname(path);
}
