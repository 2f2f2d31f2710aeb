// What is in a worktree: compared with the commit it started from, untracked files included.
import { type Git, type GitOptions, openGit, splitNul } from './git.ts';
import { gitPlaces, operationOf } from './locks.ts';
import { unchangedProvided } from './provided.ts';

export interface WorktreeState {
  /** Nothing changed, nothing untracked (but what was provided), no operation half-way. */
  readonly clean: boolean;
  /** Changed or staged files. */
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  /** Files with conflicts. */
  readonly unmerged: readonly string[];
  readonly head: string;
  /** undefined: HEAD is detached. */
  readonly branch: string | undefined;
  /** `merge`, `rebase`, … when git is in the middle of one. */
  readonly operation: string | undefined;
  /** Files that differ between base and HEAD. */
  readonly files: readonly string[];
  /** Such as `3 files changed, 12 insertions(+), 1 deletion(-)`; empty when nothing differs. */
  readonly diffstat: string;
}

/** Looks at a worktree. `base` is the commit recorded when it was made. Throws `git_failed`. */
export async function stateOf(path: string, base: string, options: GitOptions): Promise<WorktreeState> {
  const git = openGit(path, { ...options, here: true });
  const status = await statusOf(git);
  const operation = operationOf(git);
  return {
    ...status,
    clean: status.changed.length + status.untracked.length + status.unmerged.length === 0 && operation === undefined,
    head: await git.run('rev-parse', 'HEAD'),
    branch: gitPlaces(git).branch,
    operation,
    files: splitNul(await git.run('diff', '--name-only', '-z', '--no-renames', base, 'HEAD')),
    diffstat: (await git.run('diff', '--shortstat', base, 'HEAD')).trim(),
  };
}

/** Changed, untracked and conflicted files; a folder with a repository of its own ends in `/`. */
export async function statusOf(git: Git): Promise<Pick<WorktreeState, 'changed' | 'untracked' | 'unmerged'>> {
  const provided = new Set(unchangedProvided(git));
  const changed: string[] = [];
  const untracked: string[] = [];
  const unmerged: string[] = [];
  for (const entry of splitNul(await git.run('status', '--porcelain', '-z', '-uall', '--no-renames', '--ignore-submodules=none'))) {
    const [code, path] = [entry.slice(0, 2), entry.slice(3)];
    if (code === '??') {
      if (!provided.has(path)) untracked.push(path);
    } else if (/U|AA|DD/.test(code)) unmerged.push(path);
    else changed.push(path);
  }
  return { changed, untracked, unmerged };
}

/**
 * Commits of a branch (or any commit) that the main checkout's HEAD does not have, not counting the base. 0 means all
 * its work has landed. Throws `git_failed` when there is no such branch.
 */
export async function unlanded(git: Git, branch: string, base: string, mainHead: string): Promise<number> {
  return Number(await git.run('rev-list', '--count', branch, `^${base}`, `^${mainHead}`));
}
