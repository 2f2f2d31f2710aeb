// Looking at the real processes of this machine.
import { readFileSync } from 'node:fs';
import { environmentOf, listProcesses } from '../../workers/agent/shell/process-list.ts';

/** Pids of live processes whose command line holds the text. */
export function runningWith(text: string): number[] {
  return (listProcesses() ?? []).flatMap(({ pid, zombie }) => (!zombie && commandOf(pid).includes(text) ? [pid] : []));
}

/** Pids of the sleeps of exactly so many seconds: not of a shell that only has them in its text. */
export function sleeping(seconds: string): number[] {
  return runningWith(`sleep ${seconds}`).filter((pid) => commandOf(pid).startsWith('sleep '));
}

/** The words a process was started with, each followed by a space; empty when it is gone. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** A number of seconds that no other sleep of this machine has: for finding it again. */
export function unusualSeconds(): string {
  return `${900 + Math.floor(Math.random() * 99)}.${Math.floor(Math.random() * 1e6)}`;
}

/** Numbers of the process groups that run commands of this workspace, or wait for one. */
export function groupsIn(workspace: string): number[] {
  const mine = (listProcesses() ?? []).filter(({ pid, zombie }) => !zombie && environmentOf(pid)?.get('XZ_WORKSPACE') === workspace);
  return [...new Set(mine.map(({ group }) => group))];
}
