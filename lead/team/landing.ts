// What of the teammates' work is not in the main checkout: commits of their branches, and files nobody has committed yet.
import { openGit } from '../../workers/worktree/git.ts';
import { tieOf } from '../../workers/worktree/mend.ts';
import { statusOf } from '../../workers/worktree/state.ts';
import { type Crew, ownEntries } from './crew.ts';
import { countUnlanded } from './release.ts';

export interface Unlanded {
  readonly name: string;
  readonly branch: string;
  readonly task: string | undefined;
  /** False for a teammate that an earlier session left. */
  readonly own: boolean;
}

/** Every teammate whose work has not landed, of earlier sessions too. */
export async function unlandedWork(crew: Crew): Promise<Unlanded[]> {
  const own = new Set(ownEntries(crew).map((entry) => entry.name));
  const open: Unlanded[] = [];
  for (const { name, branch, base, task, worktree } of crew.roster.list()) {
    if (branch === undefined || base === undefined) continue;
    if ((await countUnlanded(crew, branch, base)) > 0 || (await isDirty(crew, worktree)))
      open.push({ name, branch, task, own: own.has(name) });
  }
  return open;
}

async function isDirty(crew: Crew, worktree: string | undefined): Promise<boolean> {
  if (worktree === undefined) return false;
  const { layout, env } = crew.parts;
  const tie = tieOf(layout, worktree, { env });
  // Nobody can tell what in a broken one is new: as long as the folder is there, it counts.
  if (tie !== 'sound') return tie !== 'gone';
  const { changed, untracked, unmerged } = await statusOf(openGit(worktree, { env, here: true }));
  return changed.length + untracked.length + unmerged.length > 0;
}
