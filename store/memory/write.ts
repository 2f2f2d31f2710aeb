// How a category file is changed: read anew under the lock, changed in memory, compared with the disk once more, renamed
// into place. A person's editor takes no lock, so a file that is being saved just now is waited for first.
import { lstatSync } from 'node:fs';
import { type Clock, sleep } from '../clock.ts';
import { errnoOf, isAbsence, XzError } from '../errors.ts';
import { pathExists, readBytes, writeFileAtomic } from '../files.ts';
import { isFile, isFolder } from '../links.ts';
import type { Locks } from '../lock.ts';

export const MEMORY_LOCK = 'memory';

/** An editor may still be writing a file that changed less than this ago. */
const SETTLING_MS = 150;
const MOST_WAITS = 20;

export interface FileWriter {
  /**
   * Runs `work` under the lock when none of the files is being saved by somebody else. `work` reads with `read` and writes
   * with `write`, which throws `conflict` when the disk no longer holds what was read; the whole is then done once more.
   */
  change<T>(paths: readonly string[], signal: AbortSignal | undefined, work: (files: OpenFiles) => T): Promise<T>;
}

export interface OpenFiles {
  /** The bytes of a file, empty when there is none. Throws `bad_file` for what is no file that can be read as text. */
  read(path: string): Buffer;
  write(path: string, bytes: Buffer): void;
}

export function openWriter(locks: () => Locks, clock: Clock): FileWriter {
  /** Signatures of what this process wrote itself: nobody is still writing that. */
  const own = new Map<string, string>();

  const settle = async (paths: readonly string[], signal: AbortSignal | undefined): Promise<void> => {
    for (let tries = 0; tries < MOST_WAITS; tries++) {
      const young = paths.some((path) => {
        const stats = statsOf(path);
        const age = stats === undefined ? Number.POSITIVE_INFINITY : Date.now() - stats.mtimeMs;
        return age >= 0 && age < SETTLING_MS && own.get(path) !== stats?.signature;
      });
      if (!young || !(await sleep(clock, SETTLING_MS / 2, signal))) return;
    }
  };

  return {
    async change(paths, signal, work) {
      for (let tries = 0; ; tries++) {
        await settle(paths, signal);
        try {
          return await locks().withLock(MEMORY_LOCK, signal, () => work(filesOf(own)));
        } catch (error) {
          if (!(error instanceof XzError) || error.data.moved !== true) throw error;
          if (tries >= MOST_WAITS)
            throw new XzError('conflict', 'the memory files are being changed all the time', { hint: 'try again later' });
        }
      }
    },
  };
}

function filesOf(own: Map<string, string>): OpenFiles {
  const seen = new Map<string, Buffer>();
  return {
    read(path) {
      const bytes = readMemoryBytes(path);
      seen.set(path, bytes);
      return bytes;
    },
    write(path, bytes) {
      const before = seen.get(path);
      const still = () => before !== undefined && readMemoryBytes(path).equals(before);
      const moved = () => new XzError('conflict', `${path} has just been changed`, { data: { moved: true } });
      if (!still()) throw moved();
      if (before?.equals(bytes)) return;
      // A person saves without a lock: what they wrote while the temp file was written must not be lost either.
      if (!writeFileAtomic(path, bytes, { still })) throw moved();
      seen.set(path, bytes);
      own.set(path, statsOf(path)?.signature ?? '');
    },
  };
}

/** Bytes of a memory file; empty when there is none. Throws `bad_file` when it is no file, cannot be read, or is binary. */
export function readMemoryBytes(path: string): Buffer {
  let bytes: Buffer | undefined;
  try {
    // Asked first: a pipe would be waited for.
    if (pathExists(path) && !isFile(path)) throw new XzError('bad_file', `${path} is ${isFolder(path) ? 'a folder' : 'no file'}`);
    bytes = readBytes(path);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EACCES' || errno === 'EPERM') throw new XzError('bad_file', `${path} cannot be read (${errno})`, { cause: error });
    throw error;
  }
  if (bytes?.includes(0)) throw new XzError('bad_file', `${path} is not text`);
  return bytes ?? Buffer.alloc(0);
}

function statsOf(path: string): { readonly mtimeMs: number; readonly signature: string } | undefined {
  try {
    const stats = lstatSync(path);
    return { mtimeMs: stats.mtimeMs, signature: `${stats.ino}:${stats.size}:${stats.mtimeMs}` };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}
