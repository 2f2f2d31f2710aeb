// What follows from the tasks and is never stored: who waits for whom and why, what can be done next, the critical
// path. Pure: one pass over all tasks, so that ten thousand take a few milliseconds.
import { findCycles } from './cycles.ts';
import type { Priority, Task } from './schema.ts';

/** Why a blocker is still in the way. */
export interface Wait {
  readonly id: string;
  readonly why: 'unfinished' | 'merge' | 'failed' | 'missing' | 'cycle';
  /** For `merge`: whose work has to be merged. */
  readonly who?: string;
}

/** A task with what is derived from the graph. */
export interface TaskView extends Task {
  /** Pending, and nothing is in the way. */
  readonly ready: boolean;
  /** Ids of the blockers that are still in the way; empty once the task has started. */
  readonly waitingFor: readonly string[];
  readonly waits: readonly Wait[];
  /** Root of the archive it is kept in. */
  readonly archived?: string;
}

export interface TaskGraph {
  /** What can be done next first; see `compareViews`. Without archived tasks. */
  readonly views: readonly TaskView[];
  readonly cycles: readonly (readonly string[])[];
  /** The longest chain of unfinished tasks, first to do first; empty when none of them waits for another. */
  readonly criticalPath: readonly string[];
  view(id: string): TaskView | undefined;
  /** Ids of the tasks that name this one as a blocker. */
  dependents(id: string): readonly string[];
}

/** A blocker is out of the way when it is completed and its work, if any, has landed. */
export function isDone(task: Pick<Task, 'state' | 'landed'>): boolean {
  return task.state === 'completed' && task.landed !== false;
}

/** What is in the way of a task. `archived` tells ids that are in an archive: they count as done. */
export function waitsOf(
  blockedBy: readonly string[],
  lookup: (id: string) => Task | undefined,
  archived: (id: string) => boolean,
  inCycle: (id: string) => boolean = () => false,
): Wait[] {
  const waits: Wait[] = [];
  for (const id of new Set(blockedBy)) {
    const blocker = lookup(id);
    if (blocker === undefined) {
      if (!archived(id)) waits.push({ id, why: 'missing' });
    } else if (isDone(blocker)) continue;
    else if (blocker.state === 'completed') {
      const who = blocker.claim?.by ?? blocker.assignee;
      waits.push({ id, why: 'merge', ...(who === undefined ? {} : { who }) });
    } else if (blocker.state === 'failed') waits.push({ id, why: 'failed' });
    else waits.push({ id, why: inCycle(id) ? 'cycle' : 'unfinished' });
  }
  return waits;
}

/** In words for the model and for errors: `lexer, merge of ann (parser), missing task "x"`. */
export function waitingText(waits: readonly Wait[]): string {
  return waits.map(waitText).join(', ');
}

function waitText(wait: Wait): string {
  switch (wait.why) {
    case 'unfinished':
      return wait.id;
    case 'merge':
      return `merge of ${wait.who === undefined ? wait.id : `${wait.who} (${wait.id})`}`;
    case 'failed':
      return `failed task ${wait.id}`;
    case 'missing':
      return `missing task "${wait.id}"`;
    case 'cycle':
      return `${wait.id} (a cycle)`;
  }
}

/** Derives everything from the tasks on disk. */
export function graphOf(tasks: readonly Task[], archived: (id: string) => boolean): TaskGraph {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const dependents = dependentsOf(tasks);
  const unfinished = tasks.filter((task) => task.state !== 'completed');
  const openBlockers = (id: string): readonly string[] => {
    const task = byId.get(id);
    return task === undefined || task.state === 'completed' ? [] : task.blockedBy.filter((blocker) => !isSettled(byId.get(blocker)));
  };
  const { cycles, caught } = findCycles(
    unfinished.map((task) => task.id),
    openBlockers,
  );
  const chains = chainsOf(unfinished, openBlockers, dependents, caught);
  const views = new Map<string, TaskView>();
  for (const task of tasks) {
    const lookup = (id: string) => byId.get(id);
    const waits =
      task.state === 'pending' ? waitsOf(task.blockedBy, lookup, archived, (id) => caught.has(id) && caught.has(task.id)) : NO_WAITS;
    const ready = task.state === 'pending' && waits.length === 0;
    views.set(task.id, { ...task, ready, waitingFor: waits.length === 0 ? NO_IDS : waits.map((wait) => wait.id), waits });
  }
  return {
    views: [...views.values()].sort((a, b) => compareViews(a, b, chains)),
    cycles,
    criticalPath: criticalPath(unfinished, openBlockers, chains),
    view: (id) => views.get(id),
    dependents: (id) => dependents.get(id) ?? NO_IDS,
  };
}

const NO_WAITS: readonly Wait[] = [];
const NO_IDS: readonly string[] = [];

/** Out of every chain: completed, or not there at all. */
function isSettled(task: Task | undefined): boolean {
  return task === undefined || task.state === 'completed';
}

function dependentsOf(tasks: readonly Task[]): Map<string, string[]> {
  const dependents = new Map<string, string[]>();
  for (const task of tasks)
    for (const blocker of new Set(task.blockedBy)) {
      const known = dependents.get(blocker);
      if (known === undefined) dependents.set(blocker, [task.id]);
      else known.push(task.id);
    }
  return dependents;
}

/** For each unfinished task: how many must be done before it in a row, and how many wait behind it in a row. */
interface Chains {
  readonly before: ReadonlyMap<string, number>;
  readonly behind: ReadonlyMap<string, number>;
}

function chainsOf(
  unfinished: readonly Task[],
  openBlockers: (id: string) => readonly string[],
  dependents: ReadonlyMap<string, readonly string[]>,
  caught: ReadonlySet<string>,
): Chains {
  // Kahn's order; what is caught in a cycle, or waits behind one, never becomes free and keeps no place in a chain.
  const left = new Map(unfinished.map((task) => [task.id, new Set(openBlockers(task.id)).size]));
  const order = unfinished.filter((task) => left.get(task.id) === 0 && !caught.has(task.id)).map((task) => task.id);
  const before = new Map<string, number>(order.map((id) => [id, 0]));
  for (const id of order) {
    for (const next of dependents.get(id) ?? []) {
      const count = left.get(next);
      if (count === undefined) continue;
      before.set(next, Math.max(before.get(next) ?? 0, (before.get(id) ?? 0) + 1));
      left.set(next, count - 1);
      if (count === 1) order.push(next);
    }
  }
  const behind = new Map<string, number>();
  for (const id of order.reverse())
    for (const blocker of openBlockers(id)) behind.set(blocker, Math.max(behind.get(blocker) ?? 0, (behind.get(id) ?? 0) + 1));
  return { before, behind };
}

function criticalPath(unfinished: readonly Task[], openBlockers: (id: string) => readonly string[], chains: Chains): string[] {
  const depth = (id: string) => chains.before.get(id) ?? 0;
  let last: string | undefined;
  for (const task of unfinished) {
    // A task behind a cycle has no chain that could ever be worked off.
    const whole = openBlockers(task.id).every((blocker) => chains.before.has(blocker));
    if (whole && depth(task.id) > (last === undefined ? 0 : depth(last))) last = task.id;
  }
  const path: string[] = [];
  for (let at = last; at !== undefined; at = openBlockers(at).find((blocker) => depth(blocker) === depth(at ?? '') - 1)) path.push(at);
  return path.reverse();
}

const PRIORITY_RANK: Readonly<Record<Priority, number>> = { high: 0, normal: 1, low: 2 };

function stateRank(view: TaskView): number {
  switch (view.state) {
    case 'pending':
      return view.ready ? 0 : 2;
    case 'in_progress':
      return 1;
    case 'failed':
      return 3;
    case 'completed':
      return view.archived === undefined ? 4 : 5;
  }
}

/**
 * Ready tasks first, then those at work, those that wait (the soonest free first), failed, completed. Within each: by
 * priority, then by how much waits behind it, then oldest first.
 */
function compareViews(a: TaskView, b: TaskView, chains: Chains): number {
  return (
    stateRank(a) - stateRank(b) ||
    (a.state === 'pending' ? (chains.before.get(a.id) ?? 0) - (chains.before.get(b.id) ?? 0) : 0) ||
    PRIORITY_RANK[a.priority] - PRIORITY_RANK[b.priority] ||
    (chains.behind.get(b.id) ?? 0) - (chains.behind.get(a.id) ?? 0) ||
    compareText(a.createdAt, b.createdAt) ||
    compareText(a.id, b.id)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
