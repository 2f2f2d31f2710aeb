// The commit made at turn end, at interrupt and before release, in worktrees only: everything a teammate has done, so
// that no work exists only as uncommitted files. Repeating it changes nothing.
import { join } from 'node:path';
import type { Clock } from '../../store/clock.ts';
import { XzError } from '../../store/errors.ts';
import { pathExists } from '../../store/files.ts';
import { commitOptions, firstGitError, type Git, type GitOptions, openGit } from './git.ts';
import { clearStaleLocks, gitPlaces, operationOf } from './locks.ts';
import { isHalfMade } from './plan.ts';
import { allProvided } from './provided.ts';
import { statusOf } from './state.ts';

export interface CommitOutcome {
  /** The commit made now, or undefined when there was nothing to commit. */
  readonly commit: string | undefined;
  /** Files that could not be committed and stay as they are: conflicts, repositories inside, unreadable ones. */
  readonly left: readonly string[];
  /** A branch made for work on a detached HEAD. */
  readonly rescued: string | undefined;
  /** Why something was left, in plain English. */
  readonly note: string | undefined;
}

/**
 * Commits all changes of a worktree on the branch it is on (`branch` is the recorded one). A detached HEAD gets its
 * work onto that branch when this only moves it forward, else onto `<branch>-detached-<n>`. Throws `git_failed`.
 */
export async function commitAll(input: {
  readonly path: string;
  readonly branch: string;
  readonly message: string;
  readonly git: GitOptions;
  readonly clock: Clock;
}): Promise<CommitOutcome> {
  // Not stopped by the signal: an interrupt is one of the moments this is for.
  const git = openGit(input.path, { env: input.git.env, here: true });
  // Its missing files are not anybody's deletions.
  if (isHalfMade(git)) return { commit: undefined, left: [], rescued: undefined, note: 'the worktree was never finished' };
  const locked = await clearStaleLocks(git, input.clock);
  if (locked.length > 0) return { commit: undefined, left: [], rescued: undefined, note: `git is busy there: ${locked.join(', ')}` };
  const { changed, untracked, unmerged } = await statusOf(git);
  if (unmerged.length > 0) {
    const rescued = await rescue(git, input.branch);
    return { commit: undefined, left: unmerged, rescued, note: 'there are conflicts to resolve' };
  }
  const nested = untracked.filter((path) => path.endsWith('/') || pathExists(join(input.path, path, '.git')));
  const commit = changed.length + untracked.length > nested.length ? await commitChanges(git, nested, input.message) : undefined;
  const rescued = await rescue(git, input.branch);
  const rest = commit === undefined ? { changed, untracked } : await statusOf(git);
  const left = [...rest.changed, ...rest.untracked];
  const note = nested.length > 0 ? 'a repository inside is not committed' : left.length > 0 ? 'some files could not be added' : undefined;
  return { commit, left, rescued, note };
}

async function commitChanges(git: Git, nested: readonly string[], text: string): Promise<string | undefined> {
  const excluded = [...allProvided(git), ...nested].map((path) => `:(top,exclude,literal)${path.replace(/\/$/, '')}`);
  // --ignore-errors: one unreadable file must not keep all others from being saved.
  await git.attempt(
    '-c',
    'advice.addEmbeddedRepo=false',
    '-c',
    'core.safecrlf=false',
    'add',
    '-A',
    '--ignore-errors',
    '--',
    ':(top)',
    ...excluded,
  );
  const message = ['--allow-empty-message', '-m', text];
  const made = await git.attempt(...(await commitOptions(git)), 'commit', '-q', '--no-verify', '--no-gpg-sign', ...message);
  if (made.code === 0) return git.run('rev-parse', 'HEAD');
  // Nothing could be added: what stays is named by the caller, from the status.
  if ((await git.attempt('diff', '--cached', '--quiet')).code === 0) return undefined;
  throw new XzError('git_failed', firstGitError(made));
}

/** Gives commits on a detached HEAD a branch. Returns its name when it is another than the recorded one. */
async function rescue(git: Git, branch: string): Promise<string | undefined> {
  if (gitPlaces(git).branch !== undefined) return undefined;
  const head = await git.run('rev-parse', 'HEAD');
  const within = async (commit: string, ref: string) => (await git.attempt('merge-base', '--is-ancestor', commit, ref)).code === 0;
  if (await within(head, `refs/heads/${branch}`)) return undefined;
  const forward = await within(`refs/heads/${branch}`, head);
  if (forward && operationOf(git) === undefined) {
    await git.run('checkout', '-q', '-B', branch);
    return undefined;
  }
  for (let n = 1; ; n++) {
    const name = `${branch}-detached-${n}`;
    const at = await git.attempt('rev-parse', '-q', '--verify', `refs/heads/${name}`);
    if (at.code === 0 && at.out.trim() === head) return name;
    if (at.code === 0) continue;
    await git.run('branch', '--no-track', name, head);
    return name;
  }
}
