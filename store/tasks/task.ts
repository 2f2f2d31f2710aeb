// What a task is: the shape of `.TASK/<id>.json`, and the fields that are derived from it and never stored.
// A person may write such a file with nothing but a title; everything absent gets its default when it is read.
import { type Static, Type } from 'typebox';
import { isoWithOffset } from '../clock.ts';
import { XzError } from '../errors.ts';
import { slug } from '../ids.ts';
import { parserOf } from '../schema.ts';

export const TASK_STATES = ['pending', 'in_progress', 'completed', 'failed'] as const;
export const PRIORITIES = ['high', 'normal', 'low'] as const;
/** The attempt that fails for good. */
export const MAX_ATTEMPTS = 3;
/** Bytes of UTF-8 in an id, so that `<id>.json`, its temp name and `<id>.json.bad-<time>` stay legal file names. */
export const MAX_ID_BYTES = 200;
const MAX_TITLE_CHARACTERS = 1_000;

export const TaskStateSchema = Type.Enum(TASK_STATES, { type: 'string' });
export const PrioritySchema = Type.Enum(PRIORITIES, { type: 'string' });

export const ClaimSchema = Type.Object({
  by: Type.String(),
  /** Fencing: only who presents it may end the task. */
  token: Type.String(),
  at: Type.String(),
  /** The session that works on it, for telling whether the claim is still alive. */
  session: Type.Optional(Type.String()),
});

export const FailureSchema = Type.Object({
  at: Type.String(),
  agent: Type.String(),
  error: Type.String(),
  /** Token of the claim that failed: reporting the same failure again changes nothing. */
  token: Type.Optional(Type.String()),
});

/** The tool call that created a task; creating with the same origin again returns the task that is there. */
export const OriginSchema = Type.Object({ session: Type.String(), row: Type.Number(), index: Type.Number() });

export const TaskSchema = Type.Object({
  id: Type.String(),
  title: Type.String({ minLength: 1 }),
  description: Type.String(),
  state: TaskStateSchema,
  priority: PrioritySchema,
  /** Ids of tasks that must be completed and landed first. */
  blockedBy: Type.Array(Type.String()),
  assignee: Type.Optional(Type.String()),
  claim: Type.Optional(ClaimSchema),
  /** Attempts that failed since the task was last put back by hand. */
  attempts: Type.Integer({ minimum: 0 }),
  failures: Type.Array(FailureSchema),
  result: Type.Optional(Type.String()),
  /** False while the work sits on an unmerged branch; absent when there is nothing to land. */
  landed: Type.Optional(Type.Boolean()),
  note: Type.Optional(Type.String()),
  /** Times are ISO 8601 with offset. */
  createdAt: Type.String(),
  updatedAt: Type.String(),
  startedAt: Type.Optional(Type.String()),
  completedAt: Type.Optional(Type.String()),
  origin: Type.Optional(OriginSchema),
});

/** What a file must hold: a title; and what else it holds must be of the right kind. */
const TaskFileSchema = Type.Intersect([Type.Partial(TaskSchema), Type.Object({ title: Type.String({ minLength: 1 }) })]);

export type Task = Static<typeof TaskSchema>;
export type TaskState = Task['state'];
export type Priority = Task['priority'];
export type Claim = Static<typeof ClaimSchema>;
export type Failure = Static<typeof FailureSchema>;
export type TaskOrigin = Static<typeof OriginSchema>;

const fileParser = parserOf(TaskFileSchema, 'task file');

/**
 * The task in a file's text. The file's name is its identity, so `id` comes from there; `mtimeMs` stands in for times
 * the file does not tell. Throws `bad_file`.
 */
export function parseTask(text: string, id: string, mtimeMs: number): Task {
  return completeTask(fileParser.parseJson(text), id, mtimeMs);
}

/** The same for a value that is parsed already (an entry of an archive). */
export function taskOfValue(value: unknown, id: string, mtimeMs: number): Task {
  return completeTask(fileParser.parse(value), id, mtimeMs);
}

function completeTask(file: Static<typeof TaskFileSchema>, id: string, mtimeMs: number): Task {
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

const KEY_ORDER = Object.keys(TaskSchema.properties);

/** The text of a task's file: indented for people, known fields first in a fixed order, fields added by hand kept. */
export function taskText(task: Task): string {
  const rank = (key: string) => (KEY_ORDER.indexOf(key) + KEY_ORDER.length + 1) % (KEY_ORDER.length + 1);
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
