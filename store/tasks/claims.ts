// Who works on a task. A claim has one winner, and its token fences every later word about the task: a worker that lost
// its claim can change nothing. Each step repeated with the same token is a no-op, so that a resumed run may repeat it.
import { XzError } from '../errors.ts';
import { randomId } from '../ids.ts';
import { lostClaimError, notReadyError, takenError } from './refusals.ts';
import type { Task } from './schema.ts';
import { without } from './task.ts';
import type { TaskFiles } from './task-files.ts';
import { transition } from './transitions.ts';

export interface ClaimOptions {
  /** A token derived by the caller, so that claiming again after a crash is the same claim. */
  readonly token?: string | undefined;
  /** The session that works on it. */
  readonly session?: string | undefined;
}

export interface ClaimedTask {
  readonly token: string;
  readonly task: Task;
}

export interface Completion {
  readonly result: string;
  /** False while the work sits on an unmerged branch; absent when there is nothing to land. */
  readonly landed?: boolean | undefined;
}

export interface ReleaseOptions {
  readonly useAttempt: boolean;
  /** Why, or where the work so far is: the branch. */
  readonly note?: string | undefined;
  /** Releases only this claim; another's is left alone. */
  readonly token?: string | undefined;
}

/** Who holds a task: by claim, or (without a token) by assignment only. */
export interface Holder {
  readonly by: string;
  readonly token?: string;
  readonly session?: string;
  readonly task: string;
}

/** Claims a ready task. The same token again succeeds and changes nothing, also after the task was completed with it. */
export function claimTask(files: TaskFiles, id: string, by: string, options: ClaimOptions): ClaimedTask {
  const task = files.need(id);
  if (task.claim !== undefined && task.claim.token === options.token && task.claim.by === by) return { token: task.claim.token, task };
  if (task.state !== 'pending' || (task.assignee !== undefined && task.assignee !== by)) throw takenError(task);
  const waits = files.waits(task.blockedBy);
  if (waits.length > 0) throw notReadyError(id, waits);
  const token = options.token ?? randomId(20);
  return { token, task: files.write(transition(task, { type: 'claim', by, token, session: options.session }, files.now())) };
}

/** Ends a task as completed. Refused when the claim is no longer the one that counts. */
export function completeTask(files: TaskFiles, id: string, token: string, completion: Completion): Task {
  const task = files.need(id);
  if (task.claim?.token !== token) throw lostClaimError(task, task.claim);
  if (task.state === 'completed') return task;
  return files.write(transition(task, { type: 'complete', ...completion }, files.now()));
}

/** Ends an attempt: back to pending, or failed at the third. */
export function failTask(files: TaskFiles, id: string, token: string, error: string): Task {
  const task = files.need(id);
  if (task.failures.some((failure) => failure.token === token)) return task;
  if (task.state !== 'in_progress' || task.claim?.token !== token) throw lostClaimError(task, task.claim);
  return files.write(transition(task, { type: 'fail', agent: task.claim.by, error, token }, files.now()));
}

/** Sends a completed task back to work: a new token, no attempt used. */
export function reviseTask(files: TaskFiles, id: string, by: string, options: ClaimOptions): ClaimedTask {
  const task = files.need(id);
  if (task.claim !== undefined && task.claim.token === options.token) return { token: task.claim.token, task };
  const token = options.token ?? randomId(20);
  return { token, task: files.write(transition(task, { type: 'revise', by, token, session: options.session }, files.now())) };
}

/** Gives a task back to nobody. One that is not at work keeps its state and only loses its assignee. */
export function releaseTask(files: TaskFiles, id: string, options: ReleaseOptions): Task {
  const task = files.need(id);
  if (options.token !== undefined && task.claim?.token !== options.token) return task;
  const { note, useAttempt } = options;
  if (task.state === 'pending' && task.assignee !== undefined)
    return files.write({ ...without(task, 'assignee'), ...(note === undefined ? {} : { note }), updatedAt: files.now() });
  if (task.state !== 'in_progress') return task;
  if (!useAttempt) return files.write(transition(task, { type: 'release', note }, files.now()));
  const agent = task.claim?.by ?? task.assignee ?? 'nobody';
  return files.write(transition(task, { type: 'fail', agent, error: note ?? 'released', token: task.claim?.token }, files.now()));
}

/** The work of a completed task is merged now; what waited for it is free. */
export function landTask(files: TaskFiles, id: string): Task {
  const task = files.need(id);
  if (task.state !== 'completed')
    throw new XzError('conflict', `task "${id}" is ${task.state}, so it has nothing that could land`, { data: { task: id } });
  return task.landed === false ? files.write({ ...task, landed: true, updatedAt: files.now() }) : task;
}

/** Takes every claim whose holder is gone, with one attempt used, and every assignment to one that is gone. */
export function takeBackTasks(files: TaskFiles, isGone: (holder: Holder) => boolean, reason: (holder: Holder) => string): Task[] {
  const taken: Task[] = [];
  for (const { id, state, ...held } of files.all().values()) {
    // Of ten thousand tasks few are anybody's: only those are read again. A claim is a rename, which no listing misses.
    if (state === 'in_progress' ? held.claim === undefined : state !== 'pending' || held.assignee === undefined) continue;
    const task = files.fresh(id);
    if (task === undefined) continue;
    const { claim, assignee } = task;
    const holder = claim === undefined ? undefined : { ...claim, task: id };
    if (task.state === 'in_progress' && holder !== undefined && isGone(holder))
      taken.push(
        files.write(transition(task, { type: 'fail', agent: holder.by, error: reason(holder), token: holder.token }, files.now())),
      );
    else if (task.state === 'pending' && assignee !== undefined && isGone({ by: assignee, task: id }))
      taken.push(files.write({ ...without(task, 'assignee'), updatedAt: files.now() }));
  }
  return taken;
}
