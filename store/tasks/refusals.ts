// The errors of the task store: what was refused, who or what is in the way, and what to do.
import { XzError } from '../errors.ts';
import { type Wait, waitingText } from './graph.ts';
import type { Claim, Task } from './schema.ts';

export function notFoundError(id: string): XzError {
  return new XzError('not_found', `there is no task "${id}"`, {
    hint: 'list the tasks to see their ids',
    data: { kind: 'task', given: id, task: id },
  });
}

export function archivedError(id: string, root: string): XzError {
  return new XzError('refused', `task "${id}" is archived with "${root}"`, { hint: 'create a new task instead', data: { task: id, root } });
}

export function notReadyError(id: string, waits: readonly Wait[]): XzError {
  return new XzError('refused', `task "${id}" is not ready: it waits for ${waitingText(waits)}`, {
    hint: 'do those first, or change what it is blocked by',
    data: { task: id, waitingFor: waits.map((wait) => wait.id).join(', ') },
  });
}

export function heldError(task: Task, holder: string): XzError {
  return new XzError('refused', `task "${task.id}" is held by ${holder}`, {
    hint: `wait for ${holder} or release it; --force takes the task away`,
    data: { task: task.id, holder },
  });
}

/** For a claim or an assignment that somebody else was faster with. */
export function takenError(task: Task): XzError {
  const holder = task.claim?.by ?? task.assignee;
  const what =
    task.state === 'pending'
      ? `assigned to ${holder}`
      : holder === undefined || task.state !== 'in_progress'
        ? task.state
        : `claimed by ${holder}`;
  return new XzError('conflict', `task "${task.id}" is ${what.replace('in_progress', 'in progress')}`, {
    hint: 'take another task',
    data: { task: task.id, state: task.state, holder },
  });
}

/** For a worker whose claim is no longer the one that counts. */
export function lostClaimError(task: Task, claim: Claim | undefined): XzError {
  const now = claim === undefined ? `it is ${task.state} now` : `it is ${task.state} by ${claim.by} now`;
  return new XzError('conflict', `this claim on task "${task.id}" no longer counts: ${now}`, {
    hint: 'the result was not recorded; look at the task again',
    data: { task: task.id, state: task.state, holder: claim?.by },
  });
}
