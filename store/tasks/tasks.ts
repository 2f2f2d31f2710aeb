// The task graph: the door of this folder. Every change of a task runs under the lock `tasks` and decides on what is on
// disk then; reads and plain creation take no lock. Repeating a change that has been made is a no-op.
import { throwIfAborted } from '../errors.ts';
import type { Finding } from '../quarantine.ts';
import { archiveSet, plain, snapshotTasks } from './archive.ts';
import { checkTasks } from './check.ts';
import {
  type ClaimedTask,
  type ClaimOptions,
  type Completion,
  claimTask,
  completeTask,
  failTask,
  type Holder,
  landTask,
  type ReleaseOptions,
  releaseTask,
  reviseTask,
  takeBackTasks,
} from './claims.ts';
import { assignTask, createTask, type NewTask, type TaskPatch, type UpdateOptions, updateTask } from './edits.ts';
import type { TaskGraph, TaskView } from './graph.ts';
import { heldError } from './refusals.ts';
import type { Task, TaskOrigin, TaskState } from './schema.ts';
import { openTaskFiles, type TaskFiles, type TaskFilesInput } from './task-files.ts';

export interface TaskFilter {
  /** Completed and archived tasks too. Without it: pending, in progress, failed. */
  readonly all?: boolean | undefined;
  readonly state?: TaskState | undefined;
  readonly assignee?: string | undefined;
  /** Only what can be started now. */
  readonly ready?: boolean | undefined;
}

export interface Archived {
  /** Path of the archive. */
  readonly path: string;
  /** Ids that went into it; empty when they were there already. */
  readonly ids: readonly string[];
}

export interface Cleared {
  readonly removed: number;
  /** Path of the copy; undefined when there was nothing to clear. */
  readonly snapshot: string | undefined;
}

/** Each change may take a signal that ends its wait for the lock (`interrupted`); after 30 s it throws `lock_busy`. */
export interface Tasks {
  /** What can be done next first. */
  list(filter?: TaskFilter): readonly TaskView[];
  /** An active task, else an archived one. */
  get(id: string): TaskView | undefined;
  /** True for the exact id of an active or archived task; looks at that one file only. */
  has(id: string): boolean;
  /** The whole graph without archives; the same object as before when nothing changed. */
  graph(): TaskGraph;
  /** All ids, archived ones too. */
  ids(): string[];
  create(input: NewTask, origin?: TaskOrigin, signal?: AbortSignal): Promise<Task>;
  update(id: string, patch: TaskPatch, options?: UpdateOptions, signal?: AbortSignal): Promise<Task>;
  /** Throws `refused` for a task that is not ready (naming what it waits for), `conflict` for one at work or ended. */
  assign(id: string, who: string, signal?: AbortSignal): Promise<Task>;
  /** One winner over threads and processes; the losers get `conflict`, naming the holder. */
  claim(id: string, by: string, options?: ClaimOptions, signal?: AbortSignal): Promise<ClaimedTask>;
  complete(id: string, token: string, completion: Completion, signal?: AbortSignal): Promise<Task>;
  fail(id: string, token: string, error: string, signal?: AbortSignal): Promise<Task>;
  revise(id: string, by: string, options?: ClaimOptions, signal?: AbortSignal): Promise<ClaimedTask>;
  release(id: string, options: ReleaseOptions, signal?: AbortSignal): Promise<Task>;
  setLanded(id: string, signal?: AbortSignal): Promise<Task>;
  /** For a new team lease, or a dead teammate: returns the tasks that were taken back. */
  takeBack(isGone: (holder: Holder) => boolean, reason: (holder: Holder) => string, signal?: AbortSignal): Promise<readonly Task[]>;
  archive(root: string, signal?: AbortSignal): Promise<Archived>;
  /** Removes all active tasks after keeping a copy; refused while a live agent holds one. Archives stay. */
  clear(options?: UpdateOptions, signal?: AbortSignal): Promise<Cleared>;
  check(): Finding[];
}

/** Opens the graph of a workspace; nothing is read or made before it is needed. */
export function openTasks(input: TaskFilesInput): Tasks {
  const files = openTaskFiles(input);
  return {
    list: (filter = {}) => listTasks(files, filter),
    get: (id) => files.graph().view(id) ?? files.archives.byId().get(id),
    has: files.taken,
    graph: files.graph,
    ids: () => [...new Set([...files.all().keys(), ...files.archives.byId().keys()])],
    async create(task, origin, signal) {
      throwIfAborted(signal);
      // A new name is published by a link, which has one winner without a lock, and no edge can lead to a task before it is
      // there. Only looking for an origin and creating must be one step.
      if (origin === undefined) return files.guarded(() => createTask(files, task, undefined));
      return files.locked(signal, () => createTask(files, task, origin));
    },
    update: (id, patch, options = {}, signal) => files.locked(signal, () => updateTask(files, id, patch, options)),
    assign: (id, who, signal) => files.locked(signal, () => assignTask(files, id, who)),
    claim: (id, by, options = {}, signal) => files.locked(signal, () => claimTask(files, id, by, options)),
    complete: (id, token, completion, signal) => files.locked(signal, () => completeTask(files, id, token, completion)),
    fail: (id, token, error, signal) => files.locked(signal, () => failTask(files, id, token, error)),
    revise: (id, by, options = {}, signal) => files.locked(signal, () => reviseTask(files, id, by, options)),
    release: (id, options, signal) => files.locked(signal, () => releaseTask(files, id, options)),
    setLanded: (id, signal) => files.locked(signal, () => landTask(files, id)),
    takeBack: (isGone, reason, signal) => files.locked(signal, () => takeBackTasks(files, isGone, reason)),
    archive: (root, signal) => files.locked(signal, () => archiveTasks(files, root)),
    clear: (options = {}, signal) => files.locked(signal, () => clearTasks(files, input, options)),
    check: () => checkTasks(files),
  };
}

function listTasks(files: TaskFiles, filter: TaskFilter): readonly TaskView[] {
  const { views } = files.graph();
  const active = new Set(views.map((view) => view.id));
  const archived = filter.all === true ? [...files.archives.byId().values()].filter((view) => !active.has(view.id)) : [];
  return [...views, ...archived].filter(
    (view) =>
      (filter.state === undefined ? filter.all === true || view.state !== 'completed' : view.state === filter.state) &&
      (filter.assignee === undefined || view.assignee === filter.assignee || view.claim?.by === filter.assignee) &&
      (filter.ready !== true || view.ready),
  );
}

function archiveTasks(files: TaskFiles, root: string): Archived {
  if (files.fresh(root) === undefined && files.archives.byId().get(root)?.archived === root)
    return { path: files.archives.pathOf(root), ids: [] };
  const task = files.need(root);
  const set = archiveSet(task, files.graph());
  // Written first, unlinked after, the root last: a crash between leaves at least that, and archiving it again finishes it.
  const path = files.archives.write(task, set);
  for (const { id } of [...set].reverse()) files.remove(id);
  return { path, ids: set.map(({ id }) => id) };
}

function clearTasks(files: TaskFiles, { layout, clock }: TaskFilesInput, options: UpdateOptions): Cleared {
  const all = [...files.all().values()];
  if (all.length === 0) return { removed: 0, snapshot: undefined };
  for (const task of all)
    if (task.state === 'in_progress' && task.claim !== undefined && options.force !== true && options.isLive?.(task.claim) !== false)
      throw heldError(task, task.claim.by);
  const snapshot = snapshotTasks(layout, clock, all.map(plain));
  for (const { id } of all) files.remove(id);
  return { removed: all.length, snapshot };
}
