// Locks between threads and processes. A lock is a tiny SQLite file taken with BEGIN IMMEDIATE: the kernel frees it when
// its process dies, so nothing is ever judged stale by a time or a pid. Released by ROLLBACK, which cannot fail busy.
// Locks never nest, and `withLock` runs a synchronous function so that none is held across an await.
import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, sleep } from './clock.ts';
import { errnoOf, errorMessage, throwIfAborted, XzError } from './errors.ts';
import { ensureFolder, pathExists, readText, removeFile, writeSidecar } from './files.ts';
import { type Database, sqlite } from './sqlite.ts';

/** How long a lock is waited for before the error that names its holder. */
export const LOCK_WAIT_MS = 30_000;

export interface Locks {
  /** Runs `fn` while holding the lock. Throws `lock_busy` after 30 s, `interrupted` when the signal fires first. */
  withLock<T>(name: string, signal: AbortSignal | undefined, fn: () => T): Promise<T>;
  /** Runs `fn` while holding a lease: the kind of lock that may be held across awaits. */
  withLease<T>(name: string, signal: AbortSignal | undefined, fn: () => Promise<T>): Promise<T>;
  /** Takes a lease at once, or says who holds it. */
  tryLease(name: string): Lease | { readonly holder: string };
  /** True when nobody holds the lock or lease. Answers "is it alive" without asking for a pid. */
  isFree(name: string): boolean;
  /** Closes every connection; leases still held are released. */
  close(): void;
}

export interface Lease {
  readonly holder?: undefined;
  release(): void;
}

/**
 * Locks kept in `folder`. `who` is what others are told when they wait in vain, such as `xz once (pid 4242)`; the pid
 * is for the person to read and is never tested.
 */
export function openLocks(folder: string, who: string, clock: Clock): Locks {
  const cached = new Map<string, { readonly db: Database; readonly inode: number | undefined }>();
  /** Connections to files that are no more; somebody of this process may still be waiting at one. */
  const retired: Database[] = [];
  const held = new Set<Database>();

  const connect = (name: string): Database => {
    if (!/^[a-z0-9][a-z0-9._-]*$/.test(name)) throw new XzError('internal', `bad lock name "${name}"`);
    const file = join(folder, `${name}.db`);
    if (!pathExists(folder)) ensureFolder(folder, 0o700);
    const db = open(file);
    try {
      // SQLite opens an unwritable file for reading, and BEGIN IMMEDIATE then excludes nobody.
      accessSync(file, constants.W_OK);
    } catch (error) {
      db.close();
      throw new XzError('unwritable', `the lock file ${file} is not writable`, {
        cause: error,
        hint: 'check the owner and mode of the folder',
      });
    }
    return db;
  };

  /** The connection that locks share. One to a file that was removed would exclude nobody, so it is made anew then. */
  const connected = (name: string): Database => {
    const file = join(folder, `${name}.db`);
    const known = cached.get(name);
    if (known !== undefined && known.inode === inodeOf(file)) return known.db;
    if (known !== undefined) retired.push(known.db);
    const db = connect(name);
    cached.set(name, { db, inode: inodeOf(file) });
    return db;
  };

  const open = (file: string): Database => {
    const Sqlite = sqlite();
    try {
      return new Sqlite(file, { timeout: 0 });
    } catch (error) {
      throw new XzError('unwritable', `the lock file ${file} cannot be opened (${errorMessage(error)})`, {
        cause: error,
        hint: 'check the owner and mode of the file and its folder',
      });
    }
  };

  const take = (db: Database, name: string): boolean => {
    try {
      db.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if (errnoOf(error)?.startsWith('SQLITE_BUSY')) return false;
      if (!['SQLITE_NOTADB', 'SQLITE_CORRUPT'].includes(errnoOf(error) ?? '')) throw error;
      // Not made anew here: of two processes that did so at once each would hold a file of its own.
      throw new XzError('database_broken', `the lock file ${join(folder, `${name}.db`)} holds something else than a lock`, {
        cause: error,
        hint: 'end every xz of this workspace, then remove that file; nothing is kept in it',
      });
    }
    nameHolder(join(folder, `${name}.holder`), who);
    return true;
  };

  const holderOf = (name: string): string => readText(join(folder, `${name}.holder`)) || 'another process';

  /** Waits for the lock and runs `fn` in the same tick: callers of this process share a connection, and none may see it taken. */
  const acquire = async <T>(db: Database, name: string, signal: AbortSignal | undefined, fn: () => T): Promise<T> => {
    // By what was slept, not by the clock on the wall: that may be set back by hours meanwhile, or ahead.
    let waited = 0;
    for (let wait = 1; ; wait = Math.min(wait * 1.5, 40)) {
      throwIfAborted(signal);
      if (take(db, name)) return fn();
      if (waited >= LOCK_WAIT_MS) {
        throw new XzError('lock_busy', `"${name}" has been locked for ${LOCK_WAIT_MS / 1000} s by ${holderOf(name)}`, {
          hint: 'nothing was changed; end or continue that process, then try again',
          data: { lock: name, holder: holderOf(name) },
        });
      }
      // Jitter, so that waiters do not knock together.
      const ms = wait * (0.5 + Math.random());
      await sleep(clock, ms, signal);
      waited += ms;
    }
  };

  const lease = (db: Database): Lease => {
    held.add(db);
    return {
      release() {
        if (!held.delete(db)) return;
        db.exec('ROLLBACK');
        db.close();
      },
    };
  };

  return {
    async withLock(name, signal, fn) {
      const held = connected(name);
      return acquire(held, name, signal, () => {
        try {
          const value = fn();
          if (value instanceof Promise) throw new XzError('internal', `the function under lock "${name}" must be synchronous`);
          return value;
        } finally {
          held.exec('ROLLBACK');
        }
      });
    },
    async withLease(name, signal, fn) {
      const db = connect(name);
      try {
        await acquire(db, name, signal, () => undefined);
      } catch (error) {
        db.close();
        throw error;
      }
      const taken = lease(db);
      try {
        return await fn();
      } finally {
        taken.release();
      }
    },
    tryLease(name) {
      const db = connect(name);
      let taken = false;
      try {
        taken = take(db, name);
      } finally {
        if (!taken) db.close();
      }
      return taken ? lease(db) : { holder: holderOf(name) };
    },
    isFree(name) {
      if (!pathExists(join(folder, `${name}.db`))) return true;
      const db = connect(name);
      try {
        db.exec('BEGIN IMMEDIATE');
        db.exec('ROLLBACK');
        return true;
      } catch (error) {
        if (errnoOf(error)?.startsWith('SQLITE_BUSY')) return false;
        throw error;
      } finally {
        db.close();
      }
    },
    close() {
      for (const db of held) db.close();
      for (const db of retired.splice(0)) db.close();
      for (const { db } of cached.values()) db.close();
      held.clear();
      cached.clear();
    },
  };
}

/**
 * Says who holds a lock, for the message of one who waits in vain. What keeps it from being written (a full disk) is no reason
 * to fail: the lock is held by then, and nobody would give it back.
 */
function nameHolder(path: string, who: string): void {
  try {
    writeSidecar(path, who);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}

/** Removes the files of a lock that will never be taken again (a dead process's own). */
export function removeLockFiles(folder: string, name: string): void {
  for (const suffix of ['.db', '.db-journal', '.holder']) removeFile(join(folder, `${name}${suffix}`));
}
