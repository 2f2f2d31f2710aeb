// Processes that left their group (setsid, daemons): found by the marks in their environment. At the next start those are
// ended whose xz is dead, judged by the lease that it held, never by a pid.
import { type Clock, sleep } from '../../../store/clock.ts';
import type { Locks } from '../../../store/lock.ts';
import { isProcessAlive } from '../../../store/process.ts';
import { environmentOf, listProcesses, signalProcess } from './process-list.ts';

/** From asking a stray to end to ending it. */
const GRACE_MS = 1_000;

/** Kills whatever still carries the mark of one command, wherever it went. */
export function killMarked(shell: string): void {
  for (const { pid, zombie } of listProcesses() ?? [])
    if (!zombie && environmentOf(pid)?.get('XZ_SHELL') === shell) signalProcess(pid, 'SIGKILL');
}

/**
 * Ends what dead xz processes of this workspace left running. Returns how many were ended. Never touches itself or what
 * it runs under, which may be such a left-over shell.
 */
export async function endStrayShells(workspace: string, locks: Locks, clock: Clock): Promise<number> {
  const processes = listProcesses() ?? [];
  const above = ancestors(new Map(processes.map((entry) => [entry.pid, entry.parent])));
  const alive = new Map<string, boolean>();
  const isStray = (pid: number): boolean => {
    const env = environmentOf(pid);
    const owner = env?.get('XZ_PROCESS');
    if (owner === undefined || env?.get('XZ_WORKSPACE') !== workspace || !env.has('XZ_AGENT')) return false;
    const lives = alive.get(owner) ?? isProcessAlive(locks, owner);
    alive.set(owner, lives);
    return !lives;
  };
  const strays = processes.filter(({ pid, zombie }) => !zombie && !above.has(pid) && isStray(pid)).map(({ pid }) => pid);
  for (const pid of strays) signalProcess(pid, 'SIGTERM');
  if (strays.length > 0) await sleep(clock, GRACE_MS);
  // The pid may be another process by now, so its marks are read again.
  for (const pid of strays) if (isStray(pid)) signalProcess(pid, 'SIGKILL');
  return strays.length;
}

function ancestors(parents: ReadonlyMap<number, number>): Set<number> {
  const above = new Set<number>();
  for (let pid: number | undefined = process.pid; pid !== undefined && pid > 0 && !above.has(pid); pid = parents.get(pid)) above.add(pid);
  return above;
}
