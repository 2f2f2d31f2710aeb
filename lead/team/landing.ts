// What of the teammates' work is not in the main checkout, and which worktrees stay. Landed is about commits; files that
// nobody has committed count while their teammate may still commit them, and keep the worktree of one that has gone.
import { relative } from 'node:path';
import type { RosterEntry } from '../../mailbox/roster.ts';
import { XzError } from '../../store/errors.ts';
import { pathExists } from '../../store/files.ts';
import type { Layout } from '../../store/layout.ts';
import { openGit } from '../../workers/worktree/git.ts';
import { tieOf } from '../../workers/worktree/mend.ts';
import { statusOf, unlanded } from '../../workers/worktree/state.ts';
import { type Crew, ownEntries } from './crew.ts';

/** The workspace and the environment its git runs in. */
export interface Ground {
  readonly layout: Layout;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Unlanded {
  readonly name: string;
  readonly branch: string;
  readonly task: string | undefined;
  /** False for a teammate that an earlier session left. */
  readonly own: boolean;
}

/** A worktree that stayed when its teammate went, because something in it would have been lost. */
export interface KeptWorktree {
  /** Relative to the workspace. */
  readonly worktree: string;
  readonly why: string;
  /** Relative to the worktree. */
  readonly files: readonly string[];
}

/** Every teammate whose work has not landed, of earlier sessions too. */
export async function unlandedWork(crew: Crew): Promise<Unlanded[]> {
  const own = new Set(ownEntries(crew).map((entry) => entry.name));
  const open: Unlanded[] = [];
  for (const entry of crew.roster.list()) {
    const { name, branch, task } = entry;
    if (branch !== undefined && (await isUnfinished(crew.parts, entry))) open.push({ name, branch, task, own: own.has(name) });
  }
  return open;
}

/** True while work of a teammate is missing in the main checkout, or its next commit would have something to take. */
export async function isUnfinished(ground: Ground, entry: RosterEntry): Promise<boolean> {
  if (await hasUnlanded(ground, entry)) return true;
  return entry.branch !== undefined && entry.state !== 'ended' && (await isDirty(ground, entry.worktree));
}

/** True for a teammate whose branch has commits that the main checkout lacks. */
async function hasUnlanded(ground: Ground, { branch, base }: RosterEntry): Promise<boolean> {
  return branch !== undefined && base !== undefined && (await countUnlanded(ground, branch, base)) > 0;
}

/** Commits of a branch that the main checkout lacks; a branch that is gone has none. */
export async function countUnlanded({ layout, env }: Ground, branch: string, base: string): Promise<number> {
  try {
    return await unlanded(openGit(layout.root, { env }), branch, base, 'HEAD');
  } catch (error) {
    if (error instanceof XzError && error.code === 'git_failed') return 0;
    throw error;
  }
}

/** True while there is a branch of that name; false where git cannot be asked. */
export async function hasBranch({ layout, env }: Ground, branch: string): Promise<boolean> {
  try {
    return (await openGit(layout.root, { env }).attempt('rev-parse', '-q', '--verify', `refs/heads/${branch}^{commit}`)).code === 0;
  } catch (error) {
    if (error instanceof XzError && error.code === 'git_failed') return false;
    throw error;
  }
}

async function isDirty({ layout, env }: Ground, worktree: string | undefined): Promise<boolean> {
  if (worktree === undefined) return false;
  const tie = tieOf(layout, worktree, { env });
  // Nobody can tell what in a broken one is new: as long as the folder is there, it counts.
  if (tie !== 'sound') return tie !== 'gone';
  try {
    const { changed, untracked, unmerged } = await statusOf(openGit(worktree, { env, here: true }));
    return changed.length + untracked.length + unmerged.length > 0;
  } catch (error) {
    // What cannot be looked at is not called landed either.
    if (error instanceof XzError && error.code === 'git_failed') return true;
    throw error;
  }
}

/** The worktree that a teammate which has gone left behind, or undefined. */
export function keptWorktree(layout: Layout, { state, worktree, kept }: RosterEntry): KeptWorktree | undefined {
  if (state !== 'ended' || worktree === undefined || !pathExists(worktree)) return undefined;
  return { worktree: relative(layout.root, worktree), why: kept?.why ?? 'it could not be removed', files: kept?.files ?? [] };
}

/** Files named of a kept worktree; the others are counted. */
const MOST_NAMED = 5;

/** Why a worktree stays, with the files that are the reason. */
export function reasonOf({ why, files }: KeptWorktree): string {
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : '';
  return files.length === 0 ? why : `${why} (${files.slice(0, MOST_NAMED).join(', ')}${more})`;
}

/** Where it is, why it stays, and what helps; a sentence without its end. */
export function keptInWords(name: string, kept: KeptWorktree): string {
  return `its worktree ${kept.worktree} is kept: ${reasonOf(kept)}; look into that folder, then release ${name} again (xz team release ${name})`;
}
