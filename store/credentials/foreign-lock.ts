// The locks that the official Kimi programs take around a refresh, taken by their own rules. They are a courtesy on top
// of ours: when one cannot be had in time we go on, because the file is re-read before a token is spent.
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Clock, sleep } from '../clock.ts';
import { errnoOf, throwIfAborted } from '../errors.ts';
import { pathExists } from '../files.ts';
import { createFolderExclusive, removeFolder, setModified } from '../folders.ts';

const WAIT_MS = 10_000;
/** Of the npm package proper-lockfile as Kimi Code uses it: a lock folder that old has no owner. */
const STALE_MS = 5_000;

/** Runs `fn` under the lock of the program that owns `file`, if that lock can be taken within 10 s. */
export async function withForeignLock<T>(file: string, clock: Clock, signal: AbortSignal | undefined, fn: () => Promise<T>): Promise<T> {
  const release = await take(file, clock, signal);
  try {
    return await fn();
  } finally {
    await release?.();
  }
}

type Release = () => void | Promise<void>;

async function take(file: string, clock: Clock, signal: AbortSignal | undefined): Promise<Release | undefined> {
  const folder = dirname(file);
  const name = basename(file, '.json');
  const target = join(folder, `${name}.lock-target`);
  if (pathExists(target) || folder.includes('/.kimi-code/')) return takeFolder(`${target}.lock`, clock, signal);
  const lock = join(folder, `${name}.lock`);
  return pathExists(lock) || folder.includes('/.kimi/') ? takeFlock(lock, signal) : undefined;
}

/** proper-lockfile: a folder made by mkdir, its time kept fresh by its owner. */
async function takeFolder(lock: string, clock: Clock, signal: AbortSignal | undefined): Promise<Release | undefined> {
  const deadline = clock.now() + WAIT_MS;
  while (clock.now() < deadline) {
    throwIfAborted(signal);
    try {
      if (createFolderExclusive(lock)) return keepFresh(lock, clock);
    } catch (error) {
      if (['EACCES', 'EPERM', 'EROFS', 'ENOENT'].includes(errnoOf(error) ?? '')) return undefined;
      throw error;
    }
    if (isStale(lock, clock.now())) removeFolder(lock);
    else await sleep(clock, 30 + Math.random() * 60, signal);
  }
  return undefined;
}

function isStale(lock: string, now: number): boolean {
  try {
    return statSync(lock).mtimeMs < now - STALE_MS;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function keepFresh(lock: string, clock: Clock): Release {
  let cancel: () => void;
  const arm = () => {
    cancel = clock.after(STALE_MS / 5, () => {
      // Somebody judged it stale and removed it: then there is nothing to keep fresh.
      if (pathExists(lock)) setModified(lock, clock.now());
      arm();
    });
  };
  arm();
  return () => {
    cancel();
    removeFolder(lock);
  };
}

/** flock(2), which Node lacks, held by the flock program until its stdin ends, so also when we die. */
function takeFlock(lock: string, signal: AbortSignal | undefined): Promise<Release | undefined> {
  return new Promise((resolve) => {
    const child = spawn('flock', ['-x', '-w', String(WAIT_MS / 1000), lock, 'sh', '-c', 'echo; cat >/dev/null'], {
      env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const ended = new Promise<void>((done) => child.once('close', () => done()));
    // Ended itself too: while it waits it does not read.
    const giveUp = () => {
      child.stdin.end();
      child.kill();
    };
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    child.once('error', () => resolve(undefined));
    child.stdin.once('error', () => resolve(undefined));
    child.once('close', () => {
      signal?.removeEventListener('abort', giveUp);
      resolve(undefined);
    });
    child.stdout.once('data', () => {
      signal?.removeEventListener('abort', giveUp);
      resolve(async () => {
        child.stdin.end();
        await ended;
      });
    });
  });
}
