// `.TASK/` as files: reading with a memory, reading afresh for decisions under the lock, writing whole files.
import { type Clock, isoWithOffset } from '../clock.ts';
import { diskError } from '../errors.ts';
import { createFileExclusive, listNames, pathExists, removeFile, writeFileAtomic } from '../files.ts';
import { ensureStore, type Layout } from '../layout.ts';
import type { Locks } from '../lock.ts';
import type { Finding } from '../quarantine.ts';
import { type Archives, openArchives } from './archive.ts';
import { graphOf, type TaskGraph, type Wait, waitsOf } from './graph.ts';
import { openJsonFolder } from './json-folder.ts';
import { archivedError, notFoundError } from './refusals.ts';
import type { Task } from './schema.ts';
import { isTaskId, parseTask, taskText } from './task.ts';

export interface TaskFiles {
  readonly archives: Archives;
  /** All active tasks; the same map as before when nothing changed. */
  all(): ReadonlyMap<string, Task>;
  /** What follows from them; the same graph as before when nothing changed. */
  graph(): TaskGraph;
  /** One active task, read from disk now. */
  fresh(id: string): Task | undefined;
  /** The same; throws `not_found`, or `refused` for an archived one. */
  need(id: string): Task;
  /** What is in the way of a task with these blockers, read from disk now. */
  waits(blockedBy: readonly string[]): Wait[];
  /** True when an active or archived task (or a file that cannot be read) has that id. */
  taken(id: string): boolean;
  /** Replaces a task's file; returns the task. */
  write(task: Task): Task;
  /** Makes a task's file; false when that id is taken. */
  create(task: Task): boolean;
  remove(id: string): void;
  /** Names in the folder, for `check`. */
  names(): string[];
  findings(): readonly Finding[];
  /** The time as stored, ISO 8601 with offset. */
  now(): string;
  /** Runs a change; system errors of writing become `unwritable` or `disk_full`. */
  guarded<T>(fn: () => T): T;
  /** The same under the lock `tasks`. */
  locked<T>(signal: AbortSignal | undefined, fn: () => T): Promise<T>;
}

export interface TaskFilesInput {
  readonly layout: Layout;
  readonly locks: Locks | (() => Locks);
  readonly clock: Clock;
  /** Told once of each bad file; must not throw. */
  readonly notice?: ((finding: Finding) => void) | undefined;
  /** Told of each task this process wrote, before the lock (which plain creation does not take) is given back; must not throw. */
  readonly onChange?: ((task: Task) => void) | undefined;
}

export function openTaskFiles({ layout, locks, clock, notice, onChange }: TaskFilesInput): TaskFiles {
  const folder = openJsonFolder({ folder: layout.tasks, clock, parse: parseTask, notice });
  const archives = openArchives(layout, clock, notice);
  let known:
    | { readonly from: ReadonlyMap<string, Task>; readonly archived: ReadonlyMap<string, unknown> | undefined; readonly graph: TaskGraph }
    | undefined;

  const guarded = <T>(fn: () => T): T => {
    try {
      return fn();
    } catch (error) {
      throw diskError(error, layout.tasks);
    }
  };

  const fresh = (id: string) => (isTaskId(id) ? folder.fresh(id) : undefined);

  return {
    archives,
    all: folder.all,
    graph() {
      const from = folder.all();
      if (known?.from === from && (known.archived === undefined || known.archived === archives.byId())) return known.graph;
      // Archives matter only where a blocker is not among the active tasks; without such a blocker none is read.
      let archived: ReadonlyMap<string, unknown> | undefined;
      const graph = graphOf([...from.values()], (id) => (archived ??= archives.byId()).has(id), known?.graph);
      known = { from, archived, graph };
      return graph;
    },
    fresh,
    need(id) {
      const task = fresh(id);
      if (task !== undefined) return task;
      const root = archives.byId().get(id)?.archived;
      throw root === undefined ? notFoundError(id) : archivedError(id, root);
    },
    waits: (blockedBy) => waitsOf(blockedBy, fresh, (id) => archives.byId().has(id)),
    taken: (id) => isTaskId(id) && (pathExists(folder.pathOf(id)) || archives.byId().has(id)),
    write(task) {
      ensureStore(layout, 'tasks');
      writeFileAtomic(folder.pathOf(task.id), taskText(task));
      onChange?.(task);
      return task;
    },
    create(task) {
      ensureStore(layout, 'tasks');
      const made = createFileExclusive(folder.pathOf(task.id), taskText(task));
      if (made) onChange?.(task);
      return made;
    },
    remove: (id) => void removeFile(folder.pathOf(id)),
    names: () => listNames(layout.tasks),
    findings: () => [...folder.findings(), ...archives.findings()],
    now: () => isoWithOffset(clock.now()),
    guarded,
    locked: (signal, fn) => (typeof locks === 'function' ? locks() : locks).withLock('tasks', signal, () => guarded(fn)),
  };
}
