// What a task is in code: read from a file, written to one, and its id made from its title. A person may write such a file
// with nothing but a title; everything absent gets its default when it is read.
import { isoWithOffset } from '../clock.ts';
import { errorMessage, XzError } from '../errors.ts';
import { slug } from '../ids.ts';
import { badTaskField, isTaskFile, TASK_FIELDS } from './check-file.ts';
import type { Task, TaskFile } from './schema.ts';
import { MAX_ID_BYTES } from './states.ts';

const MAX_TITLE_CHARACTERS = 1_000;

/**
 * The task in a file's text. The file's name is its identity, so `id` comes from there; `mtimeMs` stands in for times
 * the file does not tell. Throws `bad_file`.
 */
export function parseTask(text: string, id: string, mtimeMs: number): Task {
  return taskOfValue(parseJson(text, 'task file'), id, mtimeMs);
}

/** The same for a value that is parsed already (an entry of an archive). */
export function taskOfValue(value: unknown, id: string, mtimeMs: number): Task {
  if (isTaskFile(value)) return completeTask(value, id, mtimeMs);
  throw new XzError('bad_file', `task file: ${badTaskField(value)} does not fit`);
}

/** The value in a JSON text; throws `bad_file`. */
export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new XzError('bad_file', `${what}: not JSON (${errorMessage(error)})`, { cause: error });
  }
}

function completeTask(file: TaskFile, id: string, mtimeMs: number): Task {
  const seen = file.createdAt === undefined || file.updatedAt === undefined ? isoWithOffset(mtimeMs) : '';
  return {
    ...file,
    id,
    description: file.description ?? '',
    state: file.state ?? 'pending',
    priority: file.priority ?? 'normal',
    blockedBy: file.blockedBy ?? [],
    attempts: file.attempts ?? 0,
    failures: file.failures ?? [],
    createdAt: file.createdAt ?? seen,
    updatedAt: file.updatedAt ?? seen,
  };
}

/** The text of a task's file: indented for people, known fields first in a fixed order, fields added by hand kept. */
export function taskText(task: Task): string {
  const rank = (key: string) => (TASK_FIELDS.indexOf(key) + TASK_FIELDS.length + 1) % (TASK_FIELDS.length + 1);
  const entries = Object.entries(task).sort(([a], [b]) => rank(a) - rank(b));
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

/** A copy without the given optional fields. */
export function without<K extends OptionalKey>(task: Task, ...keys: readonly K[]): Task {
  const copy = { ...task };
  for (const key of keys) delete copy[key];
  return copy;
}

type OptionalKey = 'assignee' | 'claim' | 'result' | 'landed' | 'note' | 'startedAt' | 'completedAt' | 'origin';

/** A title in one line without control characters. Throws `bad_input` when nothing is left, or it is far too long. */
export function cleanTitle(title: string): string {
  const clean = title
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (clean === '') throw new XzError('bad_input', 'a task needs a title', { hint: 'say in a few words what is to be done' });
  if (clean.length > MAX_TITLE_CHARACTERS)
    throw new XzError('bad_input', `a title of ${clean.length} characters is too long`, { hint: 'put the details into the description' });
  return clean;
}

/** The title for free text that becomes a task: its first line, cut at 100 characters. */
export function titleFromText(text: string): string {
  const line = cleanTitle(text.trim().split('\n')[0] ?? '');
  const characters = [...line];
  return characters.length <= 100 ? line : `${characters.slice(0, 99).join('')}…`;
}

const WINDOWS_DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** The first free id for a title: its slug, then `slug-2`, `slug-3`, …, always within the byte limit. */
export function freeId(title: string, taken: (id: string) => boolean): string {
  const plain = slug(title, MAX_ID_BYTES, 'task');
  const first = WINDOWS_DEVICE.test(plain) ? `task-${plain}` : plain;
  if (!taken(first)) return first;
  for (let n = 2; ; n++) {
    const tail = `-${n}`;
    const id = slug(first, MAX_ID_BYTES - tail.length, 'task') + tail;
    if (!taken(id)) return id;
  }
}

/** True for what may be a task's id: it can be a file name, and no path. */
export function isTaskId(id: string): boolean {
  return id !== '' && !id.startsWith('.') && !/[/\\\0]/.test(id) && Buffer.byteLength(id) <= MAX_ID_BYTES + 50;
}
