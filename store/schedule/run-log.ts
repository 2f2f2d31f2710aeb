// ~/.xz/tasks.log: one line a run, for a person to read and for scripts to cut. Fields are separated by tabs.
import { lstatSync } from 'node:fs';
import { isoWithOffset } from '../clock.ts';
import { errnoOf } from '../errors.ts';
import { appendText, ensureFolder, moveFile } from '../files.ts';
import type { Home } from '../layout.ts';
import type { Execution } from './task.ts';
import { isoInZone } from './zone.ts';

/** At this size the log becomes `tasks.log.1`, which becomes `.2`, and so on up to the last one kept. */
export const LARGEST_LOG_BYTES = 1_000_000;
const KEPT = 3;
const LONGEST_FIRST_LINE = 200;

/** `time, workspace, id, slot, status, seconds, session, first line of output`; what a run lacks is `-`. */
export function runLine(workspace: string, execution: Execution, timeZone: string, now: number): string {
  const { startedAt, completedAt, session, output, error } = execution;
  const seconds = ((completedAt ?? now) - startedAt) / 1000;
  return [
    isoWithOffset(now),
    workspace,
    execution.task,
    isoInZone(execution.slot, timeZone),
    execution.status,
    `${Math.max(0, seconds).toFixed(1)}s`,
    session ?? '-',
    firstLine(output) || firstLine(error ?? '') || '-',
  ]
    .map((field) => field.replaceAll(/[\t\r\n]+/g, ' '))
    .join('\t');
}

/** Adds one line, turning the log over when it is large. Lines of several processes never mix: each is one append. */
export function appendRunLine(home: Home, line: string): void {
  ensureFolder(home.root, 0o700);
  rotate(home.tasksLog);
  appendText(home.tasksLog, `${line}\n`, 0o600);
}

function rotate(log: string): void {
  if (sizeOf(log) < LARGEST_LOG_BYTES) return;
  for (let age = KEPT - 1; age >= 1; age--) moveFile(`${log}.${age}`, `${log}.${age + 1}`);
  moveFile(log, `${log}.1`);
}

function sizeOf(path: string): number {
  try {
    return lstatSync(path).size;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

function firstLine(text: string): string {
  const line = text
    .split('\n')
    .map((part) => part.trim())
    .find((part) => part !== '');
  return (line ?? '').slice(0, LONGEST_FIRST_LINE);
}
