// Archives and snapshots: tasks kept in one file after they left the graph. Choosing what goes is pure.
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { isoWithOffset } from '../clock.ts';
import { XzError } from '../errors.ts';
import { ensureFolder, listNames, removeFile, writeFileAtomic } from '../files.ts';
import type { Layout } from '../layout.ts';
import type { Finding } from '../quarantine.ts';
import { isRecord } from './check-file.ts';
import { isDone, type TaskGraph, type TaskView } from './graph.ts';
import { type JsonFolder, openJsonFolder } from './json-folder.ts';
import type { Task } from './schema.ts';
import { parseJson, taskOfValue } from './task.ts';

/** More copies than this are not kept: the oldest go. */
const SNAPSHOTS_KEPT = 10;

/** One archive: the root and the blockers that went with it. */
export interface Archive {
  readonly root: string;
  readonly archivedAt: string;
  readonly tasks: readonly Task[];
}

export interface Archives {
  /** Every archived task by id; the same map as before when nothing changed. */
  byId(): ReadonlyMap<string, TaskView>;
  pathOf(root: string): string;
  /** Writes an archive, joined with what an archive of the same root already keeps. Returns its path. */
  write(root: Task, tasks: readonly Task[]): string;
  findings(): readonly Finding[];
}

/** Opens `.TASK/done/`; it is read at the first question. */
export function openArchives(layout: Layout, clock: Clock, notice?: (finding: Finding) => void): Archives {
  const folder: JsonFolder<Archive> = openJsonFolder({ folder: layout.tasksDone, clock, parse: parseArchive, notice });
  let known: { readonly from: ReadonlyMap<string, Archive>; readonly views: ReadonlyMap<string, TaskView> } | undefined;
  return {
    byId() {
      const from = folder.all();
      if (known?.from !== from) known = { from, views: viewsOf(from) };
      return known.views;
    },
    pathOf: folder.pathOf,
    write(root, tasks) {
      const stem = archiveName(root, (name) => folder.fresh(name));
      const kept = folder.fresh(stem)?.tasks.filter((old) => !tasks.some((task) => task.id === old.id)) ?? [];
      const archive: Archive = { root: root.id, archivedAt: isoWithOffset(clock.now()), tasks: [...tasks, ...kept] };
      ensureFolder(layout.tasksDone);
      writeFileAtomic(folder.pathOf(stem), `${JSON.stringify(archive, null, 2)}\n`);
      return folder.pathOf(stem);
    },
    findings: folder.findings,
  };
}

/** An archive of the same task is continued (a crash may have cut it short); one of another task of that name stays. */
function archiveName(root: Task, fresh: (stem: string) => Archive | undefined): string {
  for (let n = 1; ; n++) {
    const stem = n === 1 ? root.id : `${root.id}-${n}`;
    const there = fresh(stem);
    if (there === undefined || there.tasks.some((task) => task.id === root.id && task.createdAt === root.createdAt)) return stem;
  }
}

function parseArchive(text: string, _stem: string, mtimeMs: number): Archive {
  const file = parseJson(text, 'task archive');
  const bad = (what: string) => new XzError('bad_file', `task archive: ${what} does not fit`);
  if (!isRecord(file) || typeof file.root !== 'string') throw bad('root');
  if (typeof file.archivedAt !== 'string') throw bad('archivedAt');
  if (!Array.isArray(file.tasks)) throw bad('tasks');
  const tasks = file.tasks.map((entry: unknown) => {
    if (!isRecord(entry) || typeof entry.id !== 'string' || entry.id === '') throw bad('the id of a task');
    return taskOfValue(entry, entry.id, mtimeMs);
  });
  return { root: file.root, archivedAt: file.archivedAt, tasks };
}

function viewsOf(archives: ReadonlyMap<string, Archive>): Map<string, TaskView> {
  const views = new Map<string, TaskView>();
  for (const archive of archives.values())
    for (const task of archive.tasks) views.set(task.id, { ...task, ready: false, waitingFor: [], waits: [], archived: archive.root });
  return views;
}

/**
 * What goes into the archive of `root`: itself and, through all levels, its completed blockers, except those that an
 * unfinished task still names. Throws `refused` when the root is not done, or is itself still needed.
 */
export function archiveSet(root: Task, graph: TaskGraph): Task[] {
  if (root.state !== 'completed')
    throw new XzError('refused', `task "${root.id}" is ${root.state}, so it cannot be archived`, { hint: 'complete it first' });
  if (!isDone(root))
    throw new XzError('refused', `the work of task "${root.id}" has not landed, so it cannot be archived`, { hint: 'merge it first' });
  const needing = (id: string) => graph.dependents(id).filter((dependent) => graph.view(dependent)?.state !== 'completed');
  const [needed] = needing(root.id);
  if (needed !== undefined)
    throw new XzError('refused', `task "${root.id}" is still needed by "${needed}"`, { hint: `archive "${needed}" when it is completed` });
  const seen = new Set([root.id]);
  const set: Task[] = [];
  for (const id of seen) {
    const task = id === root.id ? root : graph.view(id);
    if (task === undefined || !isDone(task)) continue;
    if (needing(id).length === 0) set.push(plain(task));
    for (const blocker of task.blockedBy) seen.add(blocker);
  }
  return set;
}

/** A view as what is stored: without the derived fields. */
export function plain(task: Task | TaskView): Task {
  if (!('waits' in task)) return task;
  const { ready, waitingFor, waits, archived, ...stored } = task;
  return stored;
}

/** Keeps a copy of all tasks in `.TASK/.snapshots/` before they are destroyed; returns its path. */
export function snapshotTasks(layout: Layout, clock: Clock, tasks: readonly Task[]): string {
  const folder = join(layout.tasks, '.snapshots');
  ensureFolder(folder);
  const at = isoWithOffset(clock.now());
  const path = join(folder, `${new Date(clock.now()).toISOString().replace(/[:.]/g, '-')}.json`);
  writeFileAtomic(path, `${JSON.stringify({ takenAt: at, tasks }, null, 2)}\n`);
  for (const name of listNames(folder).slice(0, -SNAPSHOTS_KEPT)) removeFile(join(folder, name));
  return path;
}
