// Step 4: the main checkout moves to a finished commit, by git itself and only forward. The person's files are git's to
// protect: it refuses before it changes anything when one of them is in the way, ignored ones included.
import { firstGitError, type Git } from '../../workers/worktree/git.ts';
import { gitPlaces, operationOf } from '../../workers/worktree/locks.ts';
import type { MergeIntent } from './intent.ts';

export type Forwarded =
  | { readonly kind: 'landed' }
  /** HEAD, or the branch it is on, is not what it was, or the person is in the middle of something. */
  | { readonly kind: 'moved' }
  | { readonly kind: 'files'; readonly files: readonly string[]; readonly detail: string }
  | { readonly kind: 'busy'; readonly detail: string }
  /** Git ended in the middle: the checkout may be half written. */
  | { readonly kind: 'cut'; readonly detail: string };

/** Fast-forwards the main checkout from `intent.from` to `intent.to`. Not stopped by any signal. */
export async function fastForward(main: Git, intent: MergeIntent): Promise<Forwarded> {
  const git = main.unstoppable();
  if ((await git.run('rev-parse', 'HEAD')) !== intent.from) return { kind: 'moved' };
  // Another branch may stand on the same commit, which git would move just as well.
  if (gitPlaces(git).branch !== intent.mainBranch || operationOf(git) !== undefined) return { kind: 'moved' };
  const options = ['-c', 'merge.autoStash=false', '-c', 'merge.verifySignatures=false'];
  const answer = await git.attempt(...options, 'merge', '-q', '--ff-only', '--no-overwrite-ignore', intent.to);
  const head = await git.run('rev-parse', 'HEAD');
  if (head === intent.to || (await contains(git, head, intent.to))) return { kind: 'landed' };
  if (head !== intent.from) return { kind: 'moved' };
  const detail = firstGitError(answer);
  const files = filesNamed(answer.err);
  if (files.length > 0) return { kind: 'files', files, detail };
  if (/\.lock'?: File exists|Unable to create '.*\.lock'/.test(answer.err)) return { kind: 'busy', detail };
  if (/not uptodate|Cannot merge/.test(answer.err)) return { kind: 'files', files: [], detail };
  return { kind: 'cut', detail };
}

/** True when `commit` is in the history of `head`. */
export async function contains(git: Git, head: string, commit: string): Promise<boolean> {
  return (await git.attempt('merge-base', '--is-ancestor', commit, head)).code === 0;
}

/** The files that git's refusal lists, one a line behind a tab. */
function filesNamed(message: string): string[] {
  return message
    .split('\n')
    .filter((line) => line.startsWith('\t'))
    .map((line) => line.slice(1));
}
