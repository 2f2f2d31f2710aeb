// Values of options that are one of a few words, and ids given by a prefix.
import { XzError } from '../../../store/errors.ts';
import { resolvePrefix } from '../../../store/ids.ts';
import type { TaskView } from '../../../store/tasks/graph.ts';
import { PRIORITIES, TASK_STATES } from '../../../store/tasks/states.ts';
import type { Tasks } from '../../../store/tasks/tasks.ts';
import type { CommandCall } from '../../table/command.ts';

export const TASK_STATE_NAMES = TASK_STATES;
export const PRIORITY_NAMES = PRIORITIES;

/** The known word that was given (`in-progress` is `in_progress`); undefined for any other. */
export function chosen<T extends string>(given: string, known: readonly T[]): T | undefined {
  const word = given.toLowerCase().replaceAll('-', '_');
  return known.find((name) => name === word);
}

/** The id that the person means: exact, or a unique prefix of one. */
export function taskIdOf(tasks: Tasks, given: string | undefined): string {
  const id = given ?? '';
  // An exact id is no reason to read all others.
  return tasks.has(id) ? id : resolvePrefix(id, tasks.ids(), 'task');
}

/** The task that the person means. Throws `not_found`, also when it has gone since its name was resolved. */
export function taskNamed(tasks: Tasks, given: string | undefined): TaskView {
  const id = taskIdOf(tasks, given);
  const task = tasks.get(id);
  if (task === undefined) throw new XzError('not_found', `no task "${id}"`, { data: { kind: 'task', given: id } });
  return task;
}

/** The ids of `--blocked-by a,b`; undefined when it was not given, none for an empty text. */
export function blockersOf(tasks: Tasks, { options }: CommandCall): string[] | undefined {
  const given = options.blockedBy;
  if (typeof given !== 'string') return undefined;
  return given
    .split(/[,，、]/)
    .map((id) => id.trim())
    .filter((id) => id !== '')
    .map((id) => taskIdOf(tasks, id));
}

export function textOption({ options }: CommandCall, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' ? value : undefined;
}

/** Throws `bad_input` (exit 2). */
export function wrongUse(message: string, hint?: string): never {
  throw new XzError('bad_input', message, hint === undefined ? {} : { hint });
}
