// Who runs schedules, told by leases alone: each screen, REPL and daemon holds `scheduler-<random>` in its workspace's
// locks while it ticks; a run by hand holds `run-<random>`. Held means alive, free means gone; no pid is looked at.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, XzError } from '../errors.ts';
import { listNames } from '../files.ts';
import { randomId, stableHash } from '../ids.ts';
import type { Layout } from '../layout.ts';
import { type Locks, removeLockFiles } from '../lock.ts';

/** Of a home: there is one daemon. */
export const DAEMON_LEASE = 'daemon';
/** Of a home: the daemon looks after all registered workspaces. */
export const DAEMON_ALL_LEASE = 'daemon-all';
/** Files of leases whose process was killed are removed after this time. */
const LEFT_OVER_MS = 86_400_000;

export interface Presence {
  /** The name of the lease, as execution rows carry it. */
  readonly lease: string;
  /** Gives the lease back. Runs still recorded as running under it are then recorded as interrupted by others. */
  release(): void;
}

/** Takes a lease of this process' own. */
export function takePresence(locks: Locks, layout: Layout, kind: 'scheduler' | 'run'): Presence {
  const name = `${kind}-${randomId(12)}`;
  const lease = locks.tryLease(name);
  if (lease.holder !== undefined) throw new XzError('internal', `the new lease ${name} is held by ${lease.holder}`);
  return {
    lease: name,
    release() {
      lease.release();
      removeLockFiles(layout.locks, name);
    },
  };
}

/** Of a home: the daemon looks after this workspace only. */
export function daemonLeaseOf(root: string): string {
  return `daemon-${stableHash(root).slice(0, 16)}`;
}

/** True when a screen, a REPL or a daemon of this home will run what falls due in the workspace. */
export function someoneRuns(locks: Locks, homeLocks: Locks, layout: Layout): boolean {
  if (!homeLocks.isFree(DAEMON_ALL_LEASE) || !homeLocks.isFree(daemonLeaseOf(layout.root))) return true;
  return schedulerLeases(layout).some((name) => !locks.isFree(name));
}

/** Removes the files of leases that killed processes left behind long ago. A lease is free before it is first taken, so young ones stay. */
export function sweepPresence(locks: Locks, layout: Layout, now: number): void {
  for (const name of leaseNames(layout, /^((?:scheduler|run)-[0-9a-z]{12})\.db$/)) {
    if (now - modifiedAt(join(layout.locks, `${name}.db`), now) > LEFT_OVER_MS && locks.isFree(name)) removeLockFiles(layout.locks, name);
  }
}

function schedulerLeases(layout: Layout): string[] {
  return leaseNames(layout, /^(scheduler-[0-9a-z]{12})\.db$/);
}

function leaseNames(layout: Layout, pattern: RegExp): string[] {
  return listNames(layout.locks).flatMap((file) => pattern.exec(file)?.[1] ?? []);
}

function modifiedAt(path: string, now: number): number {
  try {
    return lstatSync(path).mtimeMs;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return now;
    throw error;
  }
}
