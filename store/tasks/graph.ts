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
  /** The task it was derived from. */
  task(id: string): Task | undefined;
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

/**
 * Derives everything from the tasks on disk. Views of `before`, the graph derived last, are taken over where neither the
 * task nor what it waits for has changed: after one change among thousands that is nearly all of them.
 */
export function graphOf(tasks: readonly Task[], archived: (id: string) => boolean, before?: TaskGraph): TaskGraph {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const lookup = (id: string) => byId.get(id);
  const dependents = dependentsOf(tasks);
  const open = openBlockersOf(tasks, lookup);
  const chains = chainsOf(open, dependents);
  const { cycles, caught } = findCycles(chains.stuck, (id) => open.get(id) ?? NO_IDS);
  const views = new Map<string, TaskView>();
  for (const task of tasks) {
    const waits =
      task.state === 'pending' && task.blockedBy.length > 0
        ? waitsOf(task.blockedBy, lookup, archived, (id) => caught.has(id) && caught.has(task.id))
        : NO_WAITS;
    views.set(task.id, viewOf(task, waits, before?.task(task.id) === task ? before.view(task.id) : undefined));
  }
  return {
    views: sortedViews([...views.values()], chains),
    cycles,
    criticalPath: criticalPath(open, chains),
    view: (id) => views.get(id),
    task: lookup,
    dependents: (id) => dependents.get(id) ?? NO_IDS,
  };
}

const NO_WAITS: readonly Wait[] = [];
const NO_IDS: readonly string[] = [];

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

function viewOf(task: Task, waits: readonly Wait[], old: TaskView | undefined): TaskView {
  const ready = task.state === 'pending' && waits.length === 0;
  if (old !== undefined && old.ready === ready && sameWaits(old.waits, waits)) return old;
  return { ...task, ready, waitingFor: waits.length === 0 ? NO_IDS : waits.map((wait) => wait.id), waits };
}

function sameWaits(a: readonly Wait[], b: readonly Wait[]): boolean {
  return a.length === b.length && a.every(({ id, why, who }, at) => id === b[at]?.id && why === b[at]?.why && who === b[at]?.who);
}

/** The unfinished tasks, each with its blockers that are unfinished too. */
type OpenBlockers = ReadonlyMap<string, readonly string[]>;

function openBlockersOf(tasks: readonly Task[], lookup: (id: string) => Task | undefined): OpenBlockers {
  const isOpen = (id: string) => {
    const blocker = lookup(id);
    return blocker !== undefined && blocker.state !== 'completed';
  };
  const open = new Map<string, readonly string[]>();
  for (const task of tasks) {
    if (task.state === 'completed') continue;
    const blockers = task.blockedBy.filter(isOpen);
    open.set(task.id, blockers.length < 2 ? blockers : [...new Set(blockers)]);
  }
  return open;
}

interface Chains {
  /** For each unfinished task that can become free: how many must be done before it in a row. */
  readonly before: ReadonlyMap<string, number>;
  /** And how many wait behind it in a row. */
  readonly behind: ReadonlyMap<string, number>;
  /** The others: caught in a cycle, or waiting behind one. */
  readonly stuck: readonly string[];
}

/** Kahn's order, forwards for `before` and backwards for `behind`. */
function chainsOf(open: OpenBlockers, dependents: ReadonlyMap<string, readonly string[]>): Chains {
  const left = new Map<string, number>();
  const before = new Map<string, number>();
  const order: string[] = [];
  for (const [id, blockers] of open) {
    left.set(id, blockers.length);
    if (blockers.length === 0) order.push(id);
  }
  for (const id of order) {
    let depth = 0;
    for (const blocker of open.get(id) ?? NO_IDS) depth = Math.max(depth, (before.get(blocker) ?? 0) + 1);
    before.set(id, depth);
    for (const next of dependents.get(id) ?? NO_IDS) {
      const count = left.get(next);
      if (count === undefined) continue;
      left.set(next, count - 1);
      if (count === 1) order.push(next);
    }
  }
  const behind = new Map<string, number>();
  for (const id of order.reverse()) {
    const depth = (behind.get(id) ?? 0) + 1;
    for (const blocker of open.get(id) ?? NO_IDS) if ((behind.get(blocker) ?? 0) < depth) behind.set(blocker, depth);
  }
  const stuck = order.length === open.size ? NO_IDS : [...open.keys()].filter((id) => !before.has(id));
  return { before, behind, stuck };
}

function criticalPath(open: OpenBlockers, { before }: Chains): string[] {
  let last: string | undefined;
  let most = 0;
  for (const [id, depth] of before) if (depth > most) [last, most] = [id, depth];
  const path: string[] = [];
  for (let depth = most; last !== undefined; depth--) {
    path.push(last);
    last = (open.get(last) ?? NO_IDS).find((blocker) => before.get(blocker) === depth - 1);
  }
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

/** Chains longer than this are not told apart in the order; a sort key of four parts must fit into 53 bits. */
const LONGEST_CHAIN = 2 ** 20 - 1;

/**
 * Ready tasks first, then those at work, those that wait (the soonest free first), failed, completed. Within each: by
 * priority, then by how much waits behind it, then oldest first.
 */
function sortedViews(views: readonly TaskView[], { before, behind }: Chains): TaskView[] {
  const keyed = views.map((view) => {
    const depth = view.state === 'pending' ? Math.min(before.get(view.id) ?? LONGEST_CHAIN, LONGEST_CHAIN) : 0;
    const weight = Math.min(behind.get(view.id) ?? 0, LONGEST_CHAIN);
    const parts = (stateRank(view) * (LONGEST_CHAIN + 1) + depth) * 3 + PRIORITY_RANK[view.priority];
    return { view, key: parts * (LONGEST_CHAIN + 1) + LONGEST_CHAIN - weight };
  });
  keyed.sort((a, b) => a.key - b.key || compareText(a.view.createdAt, b.view.createdAt) || compareText(a.view.id, b.view.id));
  return keyed.map(({ view }) => view);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
