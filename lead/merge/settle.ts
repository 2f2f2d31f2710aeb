// Step 5: a fast-forward that was cut, by SIGKILL or a lost machine, is settled at the next start. A touched path that
// is as it was before, as it is after, or a beginning of that, is ours and is put back; then the fast-forward is done
// again. Anything else is the person's: nothing is touched, and they are told.
import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../store/clock.ts';
import { errnoOf } from '../../store/errors.ts';
import { readBytes, removeFile } from '../../store/files.ts';
import { gitTopOf } from '../../store/git-layout.ts';
import type { Layout } from '../../store/layout.ts';
import type { Locks } from '../../store/lock.ts';
import { type Git, type GitOptions, openGit, splitNul } from '../../workers/worktree/git.ts';
import { clearStaleLocks, gitPlaces } from '../../workers/worktree/locks.ts';
import { contains, fastForward } from './fast-forward.ts';
import { type MergeIntent, readIntent, removeIntent } from './intent.ts';
import { otherBranch } from './outcome.ts';

export type Settled =
  | { readonly kind: 'none' }
  | { readonly kind: 'merged'; readonly name: string; readonly branch: string; readonly commit: string }
  /** Nothing of it is left in the checkout; the merge is to be tried again. */
  | { readonly kind: 'dropped'; readonly name: string; readonly branch: string; readonly why: string; readonly files: readonly string[] }
  /** The person has to look; the intent stays open. */
  | { readonly kind: 'blocked'; readonly name: string; readonly branch: string; readonly why: string; readonly files: readonly string[] };

/** Settles an open merge intent, if there is one, under the `merge` lease. To be called once at start. */
export function settleMergeIntent(input: {
  readonly layout: Layout;
  readonly git: GitOptions;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}): Promise<Settled> {
  if (readIntent(input.layout, input.clock.now()) === undefined) return Promise.resolve({ kind: 'none' });
  return input.locks.withLease('merge', input.signal, () => settleHeld(input));
}

/** The same for a caller that holds the lease. */
export async function settleHeld(input: { readonly layout: Layout; readonly git: GitOptions; readonly clock: Clock }): Promise<Settled> {
  const { layout, clock } = input;
  const intent = readIntent(layout, clock.now());
  if (intent === undefined) return { kind: 'none' };
  const { name, branch } = intent;
  const git = openGit(gitTopOf(layout.root) ?? layout.root, { env: input.git.env });
  const blocked = (why: string, files: readonly string[]): Settled => ({ kind: 'blocked', name, branch, why, files });
  const drop = (why: string, files: readonly string[] = []): Settled => {
    removeIntent(layout);
    return { kind: 'dropped', name, branch, why, files };
  };
  const busy = await clearStaleLocks(git, clock);
  if (busy.length > 0) return blocked('another git works in the main checkout', busy);

  const head = await git.run('rev-parse', 'HEAD');
  if (await contains(git, head, intent.to)) {
    removeIntent(layout);
    return { kind: 'merged', name, branch, commit: intent.to };
  }
  if (head !== intent.from) {
    const touched = new Set(intent.paths);
    const left = (await dirtyPaths(git)).filter((path) => touched.has(path));
    return left.length > 0 ? blocked('HEAD was moved after the merge was cut, and files it touched differ', left) : drop('HEAD has moved');
  }
  const foreign = await restoreOurs(git, intent);
  if (foreign.length > 0) return blocked('files that the merge touched were changed since', foreign);
  // The same commit under another branch: what was half written is taken back, and nothing lands there.
  const on = gitPlaces(git).branch;
  if (on !== intent.mainBranch) return drop(otherBranch(on, intent.mainBranch));
  const forwarded = await fastForward(git, intent);
  switch (forwarded.kind) {
    case 'landed':
      removeIntent(layout);
      return { kind: 'merged', name, branch, commit: intent.to };
    case 'moved':
      return drop('the main checkout has moved on');
    case 'files':
      return drop(forwarded.detail, forwarded.files);
    case 'busy':
    case 'cut':
      return blocked(forwarded.detail, []);
  }
}

async function dirtyPaths(git: Git): Promise<string[]> {
  return splitNul(await git.run('status', '--porcelain', '-z', '-uall', '--no-renames')).map((entry) => entry.slice(3));
}

/** One path that differs between H and M, with its blobs; a mode of 000000 means that side does not have it. */
interface Touched {
  readonly path: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldBlob: string;
  readonly newBlob: string;
}

/** Puts every touched path that is ours back to H, in the index and on disk. Returns those that are the person's, changing nothing then. */
async function restoreOurs(git: Git, intent: MergeIntent): Promise<string[]> {
  const dirty = new Set(await dirtyPaths(git));
  const index = await indexOf(git);
  // What git calls clean is at H already. Files new in M are looked at in any case: an ignored one is not listed.
  const suspects = (await touchedPaths(git, intent)).filter((entry) => dirty.has(entry.path) || entry.oldMode === ABSENT);
  const foreign: string[] = [];
  for (const entry of suspects)
    if (!indexIsOurs(index.get(entry.path), entry) || !(await fileIsOurs(git, intent, entry))) foreign.push(entry.path);
  if (foreign.length > 0) return foreign;
  for (const { path } of suspects.filter(({ oldMode }) => oldMode === ABSENT)) removeNew(git.dir, path);
  await inChunks(
    suspects.filter(({ path, oldMode }) => oldMode === ABSENT && index.has(path)),
    (paths) => git.run('update-index', '--force-remove', '--', ...paths),
  );
  await inChunks(
    suspects.filter(({ oldMode }) => oldMode !== ABSENT),
    (paths) => git.run('--literal-pathspecs', 'restore', `--source=${intent.from}`, '--staged', '--worktree', '--', ...paths),
  );
  return [];
}

const ABSENT = '000000';
const LINK = '120000';
const SUBMODULE = '160000';

async function touchedPaths(git: Git, { from, to }: MergeIntent): Promise<Touched[]> {
  const parts = splitNul(await git.run('diff-tree', '-r', '-z', '--no-renames', '--raw', '--full-index', from, to));
  const touched: Touched[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = (parts[at] ?? '').slice(1).split(' ');
    touched.push({ path: parts[at + 1] ?? '', oldMode, newMode, oldBlob, newBlob });
  }
  return touched;
}

/** `mode blob stage` of each path in the index. */
async function indexOf(git: Git): Promise<Map<string, string>> {
  const entries = splitNul(await git.run('ls-files', '-s', '-z'));
  return new Map(entries.map((entry) => [entry.slice(entry.indexOf('\t') + 1), entry.slice(0, entry.indexOf('\t'))]));
}

function indexIsOurs(staged: string | undefined, entry: Touched): boolean {
  const before = entry.oldMode === ABSENT ? undefined : `${entry.oldMode} ${entry.oldBlob} 0`;
  const after = entry.newMode === ABSENT ? undefined : `${entry.newMode} ${entry.newBlob} 0`;
  return staged === before || staged === after;
}

async function fileIsOurs(git: Git, { from, to }: MergeIntent, entry: Touched): Promise<boolean> {
  const { oldMode, newMode } = entry;
  if (oldMode === SUBMODULE || newMode === SUBMODULE) return true;
  const found = lookAt(join(git.dir, entry.path));
  // Nothing there: not written yet, or taken away to be written anew. A folder: one side has files below this name.
  if (found === undefined || found === 'folder') return true;
  const blobOf = async (mode: string, commit: string) => (mode === ABSENT ? undefined : await git.blob(`${commit}:${entry.path}`));
  const before = await blobOf(oldMode, from);
  const after = await blobOf(newMode, to);
  if (found.link)
    return [oldMode === LINK ? before : undefined, newMode === LINK ? after : undefined].some((bytes) => bytes?.equals(found.bytes));
  return before?.equals(found.bytes) === true || after?.subarray(0, found.bytes.length).equals(found.bytes) === true;
}

function lookAt(path: string): { readonly link: boolean; readonly bytes: Buffer } | 'folder' | undefined {
  try {
    const stat = lstatSync(path);
    if (stat.isDirectory()) return 'folder';
    if (stat.isSymbolicLink()) return { link: true, bytes: Buffer.from(readlinkSync(path)) };
    return { link: false, bytes: readBytes(path) ?? Buffer.alloc(0) };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Removes a file that only M has. */
function removeNew(top: string, path: string): void {
  const found = lookAt(join(top, path));
  if (found === undefined || found === 'folder') return;
  removeFile(join(top, path));
}

/** Runs git with some hundred paths at a time: an argument list has its limits. */
async function inChunks(entries: readonly Touched[], run: (paths: string[]) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < entries.length; at += 200) await run(entries.slice(at, at + 200).map(({ path }) => path));
}
