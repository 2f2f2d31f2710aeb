// What may happen to a task, as one table, and what each event does to its fields. Pure: data and the time go in, the
// next task comes out. Whether the caller may cause the event (claims, blockers) is decided in tasks.ts.
import { XzError } from '../errors.ts';
import type { Task, TaskState } from './schema.ts';
import { MAX_ATTEMPTS } from './states.ts';
import { without } from './task.ts';

export type TaskEvent =
  | { readonly type: 'claim'; readonly by: string; readonly token: string; readonly session?: string | undefined }
  | { readonly type: 'complete'; readonly result: string; readonly landed?: boolean | undefined }
  | { readonly type: 'fail'; readonly agent: string; readonly error: string; readonly token?: string | undefined }
  | { readonly type: 'revise'; readonly by: string; readonly token: string; readonly session?: string | undefined }
  | { readonly type: 'release'; readonly note?: string | undefined }
  /** By a person or the lead. `force` also opens what is completed. */
  | { readonly type: 'set'; readonly state: TaskState; readonly force: boolean };

/** From which state each event may lead to which. Setting the state that is there is always allowed and does nothing. */
export const TRANSITIONS: Readonly<Record<TaskEvent['type'] | 'forced', Readonly<Record<TaskState, readonly TaskState[]>>>> = {
  claim: { pending: ['in_progress'], in_progress: [], completed: [], failed: [] },
  complete: { pending: [], in_progress: ['completed'], completed: [], failed: [] },
  fail: { pending: [], in_progress: ['pending', 'failed'], completed: [], failed: [] },
  revise: { pending: [], in_progress: [], completed: ['in_progress'], failed: [] },
  release: { pending: [], in_progress: ['pending'], completed: [], failed: [] },
  set: {
    pending: ['in_progress', 'completed', 'failed'],
    in_progress: ['pending', 'completed', 'failed'],
    completed: [],
    failed: ['pending', 'completed'],
  },
  forced: {
    pending: ['in_progress', 'completed', 'failed'],
    in_progress: ['pending', 'completed', 'failed'],
    completed: ['pending', 'in_progress', 'failed'],
    failed: ['pending', 'in_progress', 'completed'],
  },
};

/** The task after the event, at the time `at` (ISO). Throws `conflict` when the table does not allow it. */
export function transition(task: Task, event: TaskEvent, at: string): Task {
  const to = targetOf(task, event);
  const row = event.type === 'set' && event.force ? 'forced' : event.type;
  if (!TRANSITIONS[row][task.state].includes(to)) throw illegal(task, event, to);
  const moved: Task = { ...task, state: to, updatedAt: at };
  switch (event.type) {
    case 'claim':
    case 'revise': {
      const claim = { by: event.by, token: event.token, at, ...(event.session === undefined ? {} : { session: event.session }) };
      return { ...open(moved), assignee: event.by, claim, startedAt: event.type === 'revise' ? (task.startedAt ?? at) : at };
    }
    case 'complete': {
      const done = { ...moved, result: event.result, completedAt: at };
      return event.landed === undefined ? without(done, 'landed') : { ...done, landed: event.landed };
    }
    case 'fail': {
      const failure = { at, agent: event.agent, error: event.error, ...(event.token === undefined ? {} : { token: event.token }) };
      return { ...free(moved), attempts: task.attempts + 1, failures: [...task.failures, failure] };
    }
    case 'release':
      return event.note === undefined ? free(moved) : { ...free(moved), note: event.note };
    case 'set':
      return setByHand(moved, task.state, at);
  }
}

function targetOf(task: Task, event: TaskEvent): TaskState {
  switch (event.type) {
    case 'claim':
    case 'revise':
      return 'in_progress';
    case 'complete':
      return 'completed';
    case 'fail':
      return task.attempts + 1 >= MAX_ATTEMPTS ? 'failed' : 'pending';
    case 'release':
      return 'pending';
    case 'set':
      return event.state;
  }
}

function setByHand(moved: Task, from: TaskState, at: string): Task {
  // Whoever tries a failed task again means all its attempts.
  const attempts = from === 'failed' ? 0 : moved.attempts;
  switch (moved.state) {
    case 'pending':
      return { ...free(moved), attempts };
    case 'in_progress':
      return { ...without(open(moved), 'claim'), attempts, startedAt: at };
    case 'completed':
      // Whoever held it lost it: a late result is refused by its token.
      return { ...without(moved, 'claim', 'landed'), completedAt: at };
    case 'failed':
      return without(open(moved), 'claim');
  }
}

/** Without what an ended task has. */
const open = (task: Task): Task => without(task, 'result', 'landed', 'completedAt');
/** Nobody's again. */
const free = (task: Task): Task => without(open(task), 'claim', 'assignee', 'startedAt');

function illegal(task: Task, event: TaskEvent, to: TaskState): XzError {
  const verb = event.type === 'set' ? `set to ${to}` : PAST[event.type];
  const hint =
    event.type === 'set'
      ? `from ${task.state} it can go to ${TRANSITIONS.set[task.state].join(', ') || 'no other state without --force'}`
      : 'look at the task again: somebody changed it meanwhile';
  return new XzError('conflict', `task "${task.id}" is ${task.state}, so it cannot be ${verb}`, {
    hint,
    data: { task: task.id, state: task.state, to },
  });
}

const PAST = { claim: 'claimed', complete: 'completed', fail: 'failed', revise: 'revised', release: 'released' } as const;
