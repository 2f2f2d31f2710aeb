// What a person or the lead does to the graph: create, update, assign. Each edge is checked before it is written.
import { XzError } from '../errors.ts';
import { closingCycle, cycleText } from './cycles.ts';
import { waitingText } from './graph.ts';
import { heldError, notFoundError, notReadyError, takenError } from './refusals.ts';
import type { Claim, Priority, Task, TaskOrigin, TaskState } from './schema.ts';
import { cleanTitle, freeId } from './task.ts';
import type { TaskFiles } from './task-files.ts';
import { transition } from './transitions.ts';

export interface NewTask {
  readonly title: string;
  readonly description?: string | undefined;
  readonly priority?: Priority | undefined;
  readonly blockedBy?: readonly string[] | undefined;
  readonly assignee?: string | undefined;
}

export interface TaskPatch {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly state?: TaskState | undefined;
  readonly priority?: Priority | undefined;
  readonly blockedBy?: readonly string[] | undefined;
  readonly note?: string | undefined;
}

export interface UpdateOptions {
  /** Takes the task from a live holder, and opens a completed one again. Never starts a task that is not ready. */
  readonly force?: boolean | undefined;
  /** Whether a claim's holder still lives; without it every claim counts as alive. */
  readonly isLive?: ((claim: Claim) => boolean) | undefined;
}

/** Creates a task under a free id; with an origin that is known already, returns the task that is there. */
export function createTask(files: TaskFiles, input: NewTask, origin: TaskOrigin | undefined): Task {
  const known = origin === undefined ? undefined : taskOfOrigin(files, origin);
  if (known !== undefined) return known;
  const title = cleanTitle(input.title);
  const blockedBy = [...new Set(input.blockedBy ?? [])];
  const at = files.now();
  for (;;) {
    const id = freeId(title, files.taken);
    checkEdges(files, id, blockedBy);
    const task: Task = {
      id,
      title,
      description: input.description?.trim() ?? '',
      state: 'pending',
      priority: input.priority ?? 'normal',
      blockedBy,
      ...(input.assignee === undefined ? {} : { assignee: input.assignee }),
      attempts: 0,
      failures: [],
      createdAt: at,
      updatedAt: at,
      ...(origin === undefined ? {} : { origin }),
    };
    // False when a person made a file of that name this moment: then the next id.
    if (files.create(task)) return task;
  }
}

function taskOfOrigin(files: TaskFiles, origin: TaskOrigin): Task | undefined {
  const made = ({ origin: other }: Task) => other?.session === origin.session && other.row === origin.row && other.index === origin.index;
  for (const task of files.all().values()) if (made(task)) return task;
  for (const task of files.archives.byId().values()) if (made(task)) return task;
  return undefined;
}

/** Changes fields and state. Returns the task as it is when nothing would change. */
export function updateTask(files: TaskFiles, id: string, patch: TaskPatch, options: UpdateOptions): Task {
  const task = files.need(id);
  const blockedBy = patch.blockedBy === undefined ? task.blockedBy : [...new Set(patch.blockedBy)];
  const edited: Task = {
    ...task,
    title: patch.title === undefined ? task.title : cleanTitle(patch.title),
    description: patch.description?.trim() ?? task.description,
    priority: patch.priority ?? task.priority,
    blockedBy,
    ...(patch.note === undefined ? {} : { note: patch.note.trim() }),
  };
  const added = blockedBy.filter((blocker) => !task.blockedBy.includes(blocker));
  if (added.length > 0) {
    checkEdges(files, id, blockedBy);
    refuseLateBlockers(files, task, added, options);
  }
  const at = files.now();
  const next = patch.state === undefined || patch.state === task.state ? edited : moveByHand(files, edited, patch.state, options, at);
  return sameTask(task, next) ? task : files.write({ ...next, updatedAt: at });
}

function moveByHand(files: TaskFiles, task: Task, state: TaskState, options: UpdateOptions, at: string): Task {
  const force = options.force === true;
  if (task.state === 'in_progress' && task.claim !== undefined && !force && options.isLive?.(task.claim) !== false)
    throw heldError(task, task.claim.by);
  const moved = transition(task, { type: 'set', state, force }, at);
  if (state === 'in_progress') {
    const waits = files.waits(task.blockedBy);
    if (waits.length > 0) throw notReadyError(task.id, waits);
  }
  return moved;
}

/** A task that has started cannot get a blocker that is still open: it could not have started. */
function refuseLateBlockers(files: TaskFiles, task: Task, added: readonly string[], options: UpdateOptions): void {
  if (task.state !== 'in_progress' || options.force === true) return;
  const waits = files.waits(added);
  if (waits.length > 0)
    throw new XzError('refused', `task "${task.id}" is in progress, so it cannot wait for ${waitingText(waits)}`, {
      hint: 'set it back to pending first',
      data: { task: task.id },
    });
}

/** Gives a ready task to an agent, which claims it when it takes the mail. Repeating it changes nothing. */
export function assignTask(files: TaskFiles, id: string, who: string): Task {
  const task = files.need(id);
  if (task.state === 'in_progress' && (task.claim?.by ?? task.assignee) === who) return task;
  if (task.state !== 'pending') throw takenError(task);
  const waits = files.waits(task.blockedBy);
  if (waits.length > 0) throw notReadyError(id, waits);
  return task.assignee === who ? task : files.write({ ...task, assignee: who, updatedAt: files.now() });
}

/** Refuses blockers that are missing, the task itself, or would close a cycle (which the message prints). */
function checkEdges(files: TaskFiles, id: string, blockedBy: readonly string[]): void {
  for (const blocker of blockedBy)
    if (blocker !== id && files.fresh(blocker) === undefined && !files.archives.byId().has(blocker)) throw notFoundError(blocker);
  const read = new Map<string, readonly string[]>();
  const blockersOf = (at: string): readonly string[] => {
    let blockers = read.get(at);
    if (blockers === undefined) read.set(at, (blockers = files.fresh(at)?.blockedBy ?? []));
    return blockers;
  };
  const cycle = closingCycle(id, blockedBy, blockersOf);
  if (cycle === undefined) return;
  throw new XzError('refused', `task "${id}" would wait for itself: ${cycleText(cycle)}`, {
    hint: 'leave out one of these edges',
    data: { task: id, cycle: cycleText(cycle) },
  });
}

function sameTask(a: Task, b: Task): boolean {
  return JSON.stringify({ ...a, updatedAt: '' }) === JSON.stringify({ ...b, updatedAt: '' });
}
