// Looking at the real processes of this machine.
import { readFileSync } from 'node:fs';
import { listProcesses } from '../../workers/agent/shell/process-list.ts';

/** Pids of live processes whose command line holds the text. */
export function runningWith(text: string): number[] {
  return (listProcesses() ?? []).flatMap(({ pid, zombie }) => (!zombie && commandLine(pid).includes(text) ? [pid] : []));
}

/** Pids of the sleeps of exactly so many seconds: not of a shell that only has them in its text. */
export function sleeping(seconds: string): number[] {
  return runningWith(`sleep ${seconds}`).filter((pid) => commandLine(pid).startsWith('sleep '));
}

function commandLine(pid: number): string {
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
