// Who this process is, for temp files: a random name that is also a lease held for life. When that lease is free the
// process is dead, and the folders it noted are swept of its temp files.
import { join } from 'node:path';
import { appendText, ensureFolder, listNames, pathExists, readText, removeFile, setTempOwner, sweepTemps } from './files.ts';
import { randomId } from './ids.ts';
import { type Locks, removeLockFiles } from './lock.ts';

const PREFIX = 'process-';

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
  const noted = new Set<string>();
  let lease: { release(): void } | undefined;
  const hold = () => {
    if (given !== undefined || lease !== undefined) return;
    if (!pathExists(folder)) ensureFolder(folder, 0o700);
    const taken = locks.tryLease(PREFIX + name);
    if (taken.holder === undefined) lease = taken;
  };
  setTempOwner({
    name,
    noteFolder(place) {
      if (noted.has(place)) return;
      noted.add(place);
      if (!pathExists(folder)) ensureFolder(folder, 0o700);
      hold();
      appendText(join(folder, `${PREFIX}${name}.folders`), `${place}\n`);
    },
  });
  return {
    name,
    hold,
    release() {
      const held = lease !== undefined;
      lease?.release();
      if (given === undefined && (held || noted.size > 0)) forget(folder, name);
    },
  };
}

/** True while the process of that name lives, as far as it holds its lease (`hold`). */
export function isProcessAlive(locks: Locks, name: string): boolean {
  return /^p[0-9a-z]+$/.test(name) && !locks.isFree(PREFIX + name);
}

/** At start: removes the temp files that dead processes left behind. Returns how many processes were swept. */
export function sweepDeadProcesses(locks: Locks, folder: string): number {
  let swept = 0;
  for (const file of listNames(folder)) {
    const name = /^process-(p[0-9a-z]+)\.folders$/.exec(file)?.[1];
    if (name === undefined || !locks.isFree(PREFIX + name)) continue;
    for (const place of (readText(join(folder, file)) ?? '').split('\n')) if (place) sweepTemps(place, name);
    forget(folder, name);
    swept++;
  }
  return swept;
}

function forget(folder: string, name: string): void {
  removeLockFiles(folder, PREFIX + name);
  removeFile(join(folder, `${PREFIX}${name}.folders`));
}
