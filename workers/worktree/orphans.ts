// Worktrees below .worktrees/ that belong to no teammate of the roster and hold work: whoever lost the entry would lose
// sight of them too. Reads only.
import { basename, dirname, relative } from 'node:path';
import { listNames } from '../../store/files.ts';
import type { Layout } from '../../store/layout.ts';
import { type GitOptions, openGit } from './git.ts';
import { tieOf } from './mend.ts';
import { listWorktrees } from './plan.ts';
import { statusOf } from './state.ts';

export interface OrphanedWork {
  /** Relative to the workspace. */
  readonly path: string;
  readonly branch: string | undefined;
  /** Commits that the main checkout lacks. */
  readonly commits: number;
  /** Uncommitted files. */
  readonly files: number;
}

/** Worktrees with unlanded work whose folder's name is none of `known`. Throws `git_failed` or `git_missing`. */
export async function orphanedWork(layout: Layout, known: readonly string[], options: GitOptions): Promise<OrphanedWork[]> {
  const folders = listNames(layout.worktrees).filter((name) => !name.startsWith('.') && name !== 'setup.toml' && !known.includes(name));
  if (folders.length === 0) return [];
  const main = openGit(layout.root, options);
  const found: OrphanedWork[] = [];
  for (const { path, branch, head } of await listWorktrees(main)) {
    const name = basename(path);
    if (!folders.includes(name) || basename(dirname(path)) !== basename(layout.worktrees) || head === undefined) continue;
    const own = `${layout.worktrees}/${name}`;
    if (tieOf(layout, own, options) !== 'sound') continue;
    const counted = await main.attempt('rev-list', '--count', head, '^HEAD');
    const { changed, untracked, unmerged } = await statusOf(openGit(own, { ...options, here: true }));
    const [commits, files] = [Number(counted.out.trim()), changed.length + untracked.length + unmerged.length];
    if (commits + files > 0) found.push({ path: relative(layout.root, own), branch, commits, files });
  }
  return found;
}

/** One line for people. */
export function orphanInWords({ path, branch, commits, files }: OrphanedWork): string {
  const what = [
    ...(commits > 0 ? [`${commits} commit(s) that have not landed`] : []),
    ...(files > 0 ? [`${files} uncommitted file(s)`] : []),
  ];
  const where = branch === undefined ? '' : ` on branch ${branch}`;
  return `${path} belongs to no teammate any more and holds ${what.join(' and ')}${where}: merge or keep them with git, then \`git worktree remove ${path}\``;
}
