// Lock files that a killed git leaves behind. They are removed only when no git lives that could still hold them: any
// git process started by us in that place, and any whose current folder lies inside it, counts as alive.
import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { type Clock, sleep } from '../../store/clock.ts';
import { errnoOf, XzError } from '../../store/errors.ts';
import { pathExists, readText, removeFile } from '../../store/files.ts';
import { gitDirOf, gitTopOf } from '../../store/git-layout.ts';
import { GIT_MARK, type Git } from './git.ts';

/** Where processes cannot be listed, a lock this old (ms) is taken for stale. */
const OLD_LOCK_MS = 10 * 60_000;

/** How long a git that may still be running is waited for (ms). */
const WAIT_FOR_GIT_MS = 10_000;

/** True when a git runs in `folder` or below, or one of ours was started there; undefined where processes cannot be seen. */
function gitLivesIn(folder: string): boolean | undefined {
  let pids: string[];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const real = realpathSync(folder);
  return pids.some((pid) => isGit(pid) && (cwdOf(pid)?.startsWith(real) === true || markOf(pid) === folder));

  function cwdOf(pid: string): string | undefined {
    const cwd = look(() => readlinkSync(`/proc/${pid}/cwd`));
    return cwd === real || cwd?.startsWith(real + sep) === true ? cwd : undefined;
  }
}

function isGit(pid: string): boolean {
  return look(() => readFileSync(`/proc/${pid}/comm`, 'utf8'))?.startsWith('git') === true;
}

function markOf(pid: string): string | undefined {
  const variables = look(() => readFileSync(`/proc/${pid}/environ`, 'utf8'))?.split('\0');
  return variables?.find((entry) => entry.startsWith(`${GIT_MARK}=`))?.slice(GIT_MARK.length + 1);
}

/** A process may end, or belong to somebody else, while it is looked at. */
function look(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ESRCH', 'EPERM', 'EINVAL'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** The lock files that a working tree's own git operations take: index, HEAD, and the ref of the branch it is on. */
function lockFilesOf(git: Git): string[] {
  const { gitDir, commonDir, branch } = gitPlaces(git);
  const own = ['index.lock', 'HEAD.lock', 'ORIG_HEAD.lock'].map((name) => join(gitDir, name));
  return branch === undefined ? own : [...own, join(commonDir, 'refs', 'heads', `${branch}.lock`)];
}

/**
 * Removes the stale lock files of the working tree `git` stands in, after waiting up to 10 s for a git that may still
 * run. Returns those left because a git lives (or, where that cannot be seen, because they are young).
 */
export async function clearStaleLocks(git: Git, clock: Clock): Promise<string[]> {
  const present = lockFilesOf(git).filter(pathExists);
  if (present.length === 0) return [];
  for (let waited = 0; gitLivesIn(git.dir) === true && waited < WAIT_FOR_GIT_MS; waited += 100) await sleep(clock, 100, git.options.signal);
  const lives = gitLivesIn(git.dir);
  return present.filter((path) => {
    const age = ageOf(path, clock.now());
    if (age === undefined) return false;
    if (lives === true || (lives === undefined && age < OLD_LOCK_MS)) return true;
    removeFile(path);
    return false;
  });
}

function ageOf(path: string, now: number): number | undefined {
  try {
    return now - statSync(path).mtimeMs;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export interface GitPlaces {
  /** The working tree's private git folder, absolute. */
  readonly gitDir: string;
  /** The folder with the refs that all its working trees share. */
  readonly commonDir: string;
  /** Short name of the branch HEAD is on; undefined when it is detached. */
  readonly branch: string | undefined;
}

/** What the `.git` files tell of the repository, without starting git. Throws `git_failed` where there is none. */
export function gitPlaces({ dir, options }: Git): GitPlaces {
  const gitDir = gitDirOf(options.here === true ? dir : (gitTopOf(dir) ?? dir));
  if (gitDir === undefined) throw new XzError('git_failed', `${dir} is not in a git repository`);
  const common = readText(join(gitDir, 'commondir'))?.trim();
  const head = readText(join(gitDir, 'HEAD')) ?? '';
  return {
    gitDir,
    commonDir: common === undefined ? gitDir : resolve(gitDir, common),
    branch: /^ref: refs\/heads\/(.+?)\n?$/.exec(head)?.[1],
  };
}

/** What git is in the middle of there, or undefined. */
export function operationOf(git: Git): string | undefined {
  const { gitDir } = gitPlaces(git);
  const signs: ReadonlyArray<readonly [file: string, what: string]> = [
    ['rebase-merge', 'rebase'],
    ['rebase-apply', 'rebase'],
    ['MERGE_HEAD', 'merge'],
    ['CHERRY_PICK_HEAD', 'cherry-pick'],
    ['REVERT_HEAD', 'revert'],
    ['BISECT_LOG', 'bisect'],
  ];
  return signs.find(([file]) => pathExists(join(gitDir, file)))?.[1];
}
