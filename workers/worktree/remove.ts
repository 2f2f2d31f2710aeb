// Taking a worktree away, only after proof that nothing would be lost: no change, no untracked file, no half-done
// operation, no commit without a branch, and the same for every submodule in it.
import { join } from 'node:path';
import type { Clock } from '../../store/clock.ts';
import { pathExists } from '../../store/files.ts';
import type { Layout } from '../../store/layout.ts';
import { firstGitError, type Git, type GitOptions, openGit, splitNul } from './git.ts';
import { clearStaleLocks } from './locks.ts';
import { faultOf, tieOf } from './mend.ts';
import { forgetMissing, isHalfMade, removeHalfMade } from './plan.ts';
import { withdrawProvided } from './provided.ts';
import { stateOf, unlanded } from './state.ts';

export type Removal =
  | {
      readonly kind: 'removed';
      /** True when the branch is gone too, because all of it has landed. */
      readonly branchDeleted: boolean;
      /** Commits of the branch that have not landed. */
      readonly unlanded: number;
    }
  | { readonly kind: 'kept'; readonly why: string; readonly files: readonly string[] };

/** Removes a worktree if that loses nothing, and its branch if all of it has landed. Says why it is kept otherwise. */
export async function removeWorktree(input: {
  readonly layout: Layout;
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  readonly git: GitOptions;
  readonly clock: Clock;
}): Promise<Removal> {
  const main = openGit(input.layout.root, input.git);
  if (pathExists(join(input.path, '.git')) && isHalfMade(main.worktree(input.path))) {
    await removeHalfMade(main, input);
  } else if (pathExists(input.path)) {
    const tie = tieOf(input.layout, input.path, input.git);
    // What is in it cannot be compared with anything: it is the person's to look through.
    if (tie !== 'sound' && tie !== 'gone') return { kind: 'kept', why: `${input.path}: ${faultOf(tie)}`, files: [] };
    const kept = await proofAgainst(main.worktree(input.path), input);
    if (kept !== undefined) return kept;
    const removed = await dropWorktree(main, input.path);
    if (removed !== undefined) return removed;
  } else {
    await forgetMissing(main, input.path);
  }
  return dropBranch(main, input.branch, input.base);
}

async function proofAgainst(
  git: Git,
  input: { readonly base: string; readonly clock: Clock; readonly git: GitOptions },
): Promise<Removal | undefined> {
  const keep = (why: string, files: readonly string[] = []): Removal => ({ kind: 'kept', why, files });
  const locked = await clearStaleLocks(git, input.clock);
  if (locked.length > 0) return keep('git is busy there', locked);
  const state = await stateOf(git.dir, input.base, input.git);
  if (state.operation !== undefined) return keep(`a ${state.operation} is half done`, state.unmerged);
  const dirty = [...state.changed, ...state.untracked, ...state.unmerged];
  const submodules = await initialisedSubmodules(git);
  // What is inside a submodule is named file by file below.
  if (dirty.some((path) => !submodules.includes(path))) return keep('it has uncommitted files', dirty);
  if (state.branch === undefined && !(await hasBranch(git, state.head))) return keep(`commit ${state.head.slice(0, 12)} is on no branch`);
  for (const path of submodules) {
    const held = await submoduleHolds(git.worktree(join(git.dir, path)));
    if (held === undefined) continue;
    return keep(`submodule ${path} ${held.why}`, held.files.length > 0 ? held.files.map((file) => `${path}/${file}`) : [path]);
  }
  return dirty.length > 0 ? keep('it has uncommitted files', dirty) : undefined;
}

async function hasBranch(git: Git, commit: string): Promise<boolean> {
  return (await git.run('for-each-ref', '--count=1', '--format=%(refname)', '--contains', commit, 'refs/heads/')) !== '';
}

/** Paths of submodules that were filled in this worktree. Read from the index, so that none is overlooked. */
async function initialisedSubmodules(git: Git): Promise<string[]> {
  const entries = (await git.run('ls-files', '-s', '-z')).split('\0').filter((entry) => entry.startsWith('160000 '));
  return entries.map((entry) => entry.slice(entry.indexOf('\t') + 1)).filter((path) => pathExists(join(git.dir, path, '.git')));
}

/** What a submodule has that nobody else has; its whole repository goes with the worktree. */
async function submoduleHolds(git: Git): Promise<{ readonly why: string; readonly files: readonly string[] } | undefined> {
  const dirty = splitNul(await git.run('status', '--porcelain', '-z', '-uall', '--no-renames')).map((entry) => entry.slice(3));
  if (dirty.length > 0) return { why: 'has uncommitted files', files: dirty };
  if ((await git.run('log', '-1', '--format=%h', 'HEAD', '--branches', '--not', '--remotes')) !== '')
    return { why: 'has commits that are nowhere else', files: [] };
  if ((await git.run('stash', 'list')) !== '') return { why: 'has a stash', files: [] };
  return undefined;
}

async function dropWorktree(main: Git, path: string): Promise<Removal | undefined> {
  const git = main.worktree(path);
  await withdrawProvided(git);
  const submodules = (await initialisedSubmodules(git)).length > 0;
  // Git refuses any worktree with a filled submodule; --force only after the proof on both levels. Without one, git's
  // own check is a second guard.
  const gone = await main.attempt('worktree', 'remove', ...(submodules ? ['--force'] : []), path);
  return gone.code === 0 ? undefined : { kind: 'kept', why: firstGitError(gone), files: [] };
}

async function dropBranch(main: Git, branch: string, base: string): Promise<Removal> {
  const exists = (await main.attempt('rev-parse', '-q', '--verify', `refs/heads/${branch}`)).code === 0;
  if (!exists) return { kind: 'removed', branchDeleted: true, unlanded: 0 };
  const left = await unlanded(main, branch, base, 'HEAD');
  if (left > 0) return { kind: 'removed', branchDeleted: false, unlanded: left };
  const head = await main.run('rev-parse', `refs/heads/${branch}`);
  // The expected value makes this fail rather than drop a commit made a moment ago; a checked-out branch is left alone.
  const elsewhere = (await main.run('worktree', 'list', '--porcelain')).split('\n').includes(`branch refs/heads/${branch}`);
  const deleted = !elsewhere && (await main.attempt('update-ref', '-d', `refs/heads/${branch}`, head)).code === 0;
  return { kind: 'removed', branchDeleted: deleted, unlanded: 0 };
}
