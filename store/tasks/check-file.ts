// The check of a task file by hand: what `TaskFileSchema` says, at a fraction of its cost in a cold command.
import type { Claim, Failure, Task, TaskFile, TaskOrigin } from './schema.ts';
import { PRIORITIES, TASK_STATES } from './states.ts';

type Check = (value: unknown) => boolean;
/** One check for each field: a field that is added to the schema must be added here. */
type Checks<T> = Readonly<Record<keyof T, Check>>;

const isText: Check = (value) => typeof value === 'string';
const isFilled: Check = (value) => typeof value === 'string' && value !== '';
const isNumber: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isCount: Check = (value) => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isFlag: Check = (value) => typeof value === 'boolean';
const orAbsent =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf =
  (words: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && words.includes(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const shaped =
  <T>(checks: Checks<T>): Check =>
  (value) =>
    badField(value, checks) === undefined;

const claimChecks: Checks<Claim> = { by: isText, token: isText, at: isText, session: orAbsent(isText) };
const failureChecks: Checks<Failure> = { at: isText, agent: isText, error: isText, token: orAbsent(isText) };
const originChecks: Checks<TaskOrigin> = { session: isText, row: isNumber, index: isNumber };

/** Also the order of the fields in a file. */
const taskChecks: Checks<Task> = {
  id: isText,
  title: isFilled,
  description: isText,
  state: oneOf(TASK_STATES),
  priority: oneOf(PRIORITIES),
  blockedBy: listOf(isText),
  assignee: isText,
  claim: shaped(claimChecks),
  attempts: isCount,
  failures: listOf(shaped(failureChecks)),
  result: isText,
  landed: isFlag,
  note: isText,
  createdAt: isText,
  updatedAt: isText,
  startedAt: isText,
  completedAt: isText,
  origin: shaped(originChecks),
};

const fieldChecks = Object.entries<Check>(taskChecks);

export const TASK_FIELDS: readonly string[] = Object.keys(taskChecks);

/** True when the value may be a task file. */
export function isTaskFile(value: unknown): value is TaskFile {
  return badTaskField(value) === undefined;
}

/** The first field of a task file that does not fit, or undefined. Only the title must be there. */
export function badTaskField(value: unknown): string | undefined {
  if (!isRecord(value)) return 'the value';
  for (const [name, check] of fieldChecks) {
    const field = value[name];
    if (field === undefined ? name === 'title' : !check(field)) return name;
  }
  return undefined;
}

function badField<T>(value: unknown, checks: Checks<T>): string | undefined {
  return isRecord(value) ? Object.entries<Check>(checks).find(([name, check]) => !check(value[name]))?.[0] : 'the value';
}

/** True for an object that is no list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
