// Who this process is, for temp files: a random name that is also a lease held for life. When that lease is free the
// process is dead, and the folders it noted are swept of its temp files.
import { isAbsolute, join, relative, resolve } from 'node:path';
import { errnoOf, XzError } from './errors.ts';
import { appendText, ensureFolder, listNames, pathExists, readText, removeFile } from './files.ts';
import { randomId } from './ids.ts';
import { type Lease, type Locks, removeLockFiles } from './lock.ts';
import { setTempOwner, sweepTemps } from './temp-files.ts';

const PREFIX = 'process-';
/** The workspace as its locks see it: `.agents/data/locks`. */
const WORKSPACE = '../../..';
/** A sweep holds a name for microseconds; more tries than this mean that something else is wrong. */
const MOST_TRIES = 100;

export interface ProcessName {
  readonly name: string;
  /** Takes the lease now, for who marks something else than a temp file with the name (a shell's environment). */
  hold(): void;
  /** Gives the lease back and removes its files. */
  release(): void;
}

/**
 * Names this process in `locks` (kept in `folder`). The lease is taken at the first temp file, not before, so that a
 * command that writes nothing leaves nothing. `given` is a name whose lease another thread of this process holds.
 */
export function nameProcess(locks: Locks, folder: string, given?: string): ProcessName {
  const name = given ?? `p${randomId(10)}`;
  const known = new Set<string>();
  let lease: Lease | undefined;
  const hold = () => {
    if (given !== undefined || lease !== undefined) return;
    if (!pathExists(folder)) ensureFolder(folder, 0o700);
    lease = holdName(locks, folder, name);
  };
  setTempOwner({
    name,
    noteFolder(place) {
      if (known.has(place)) return;
      known.add(place);
      if (!pathExists(folder)) ensureFolder(folder, 0o700);
      hold();
      appendText(join(folder, `${PREFIX}${name}.folders`), `${noted(folder, place)}\n`);
    },
  });
  return {
    name,
    hold,
    release() {
      const held = lease !== undefined;
      lease?.release();
      try {
        if (given === undefined && (held || known.size > 0)) forget(folder, name);
      } catch (error) {
        // Free it is, and that is what counts: a later start sweeps what is left.
        if (errnoOf(error) === undefined) throw error;
      }
    },
  };
}

/** How a folder is noted: seen from the locks while it lies in their workspace, which may be moved or copied before the sweep. */
function noted(folder: string, place: string): string {
  const inside = relative(resolve(folder, WORKSPACE), place);
  return inside.startsWith('..') || isAbsolute(inside) ? place : relative(folder, place) || '.';
}

/** A sweep may meet the lock's file between its making and its locking, and take it for a dead process's: then once more. */
function holdName(locks: Locks, folder: string, name: string): Lease | undefined {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const taken = locks.tryLease(PREFIX + name);
    if (taken.holder !== undefined) continue;
    if (pathExists(join(folder, `${PREFIX}${name}.db`))) return taken;
    taken.release();
  }
  return undefined;
}

/** True while the process of that name lives, as far as it holds its lease (`hold`). */
export function isProcessAlive(locks: Locks, name: string): boolean {
  return /^p[0-9a-z]+$/.test(name) && !locks.isFree(PREFIX + name);
}

/**
 * At start: removes the temp files that dead processes left behind. Returns how many processes were swept. What cannot be
 * swept (another user's, a folder that nobody may read any more) keeps nobody from starting; it is tried at every start.
 */
export function sweepDeadProcesses(locks: Locks, folder: string): number {
  let swept = 0;
  // A process killed in its first moment has a lock and no list of folders yet, one killed in its last only a part of both.
  for (const name of new Set(listNames(folder).flatMap((file) => /^process-(p[0-9a-z]+)\./.exec(file)?.[1] ?? []))) {
    try {
      if (sweepProcess(locks, folder, name)) swept++;
    } catch (error) {
      if (!(error instanceof XzError) && errnoOf(error) === undefined) throw error;
    }
  }
  return swept;
}

function sweepProcess(locks: Locks, folder: string, name: string): boolean {
  // Held while its files go, so that a process that is just starting cannot take it in between.
  const lease = locks.tryLease(PREFIX + name);
  if (lease.holder !== undefined) return false;
  try {
    const places = readText(join(folder, `${PREFIX}${name}.folders`)) ?? '';
    for (const place of places.split('\n')) if (place) sweepTemps(resolve(folder, place), name);
    forget(folder, name);
    return true;
  } finally {
    lease.release();
  }
}

function forget(folder: string, name: string): void {
  removeLockFiles(folder, PREFIX + name);
  removeFile(join(folder, `${PREFIX}${name}.folders`));
}
