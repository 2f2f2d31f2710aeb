// The schema of `.TASK/<id>.json`, from which the types are derived. Loading TypeBox costs more than a whole
// `xz task list`, so reading checks the same shape by hand (`check-file.ts`); a test holds the two together.
import { type Static, Type } from 'typebox';
import { PRIORITIES, TASK_STATES } from './states.ts';

export const TaskStateSchema = Type.Enum(TASK_STATES, { type: 'string' });
export const PrioritySchema = Type.Enum(PRIORITIES, { type: 'string' });

const ClaimSchema = Type.Object({
  by: Type.String(),
  /** Fencing: only who presents it may end the task. */
  token: Type.String(),
  at: Type.String(),
  /** The session that works on it, for telling whether the claim is still alive. */
  session: Type.Optional(Type.String()),
});

const FailureSchema = Type.Object({
  at: Type.String(),
  agent: Type.String(),
  error: Type.String(),
  /** Token of the claim that failed: reporting the same failure again changes nothing. */
  token: Type.Optional(Type.String()),
});

/** The tool call that created a task; creating with the same origin again returns the task that is there. */
const OriginSchema = Type.Object({ session: Type.String(), row: Type.Number(), index: Type.Number() });

const TaskSchema = Type.Object({
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
export const TaskFileSchema = Type.Intersect([Type.Partial(TaskSchema), Type.Object({ title: Type.String({ minLength: 1 }) })]);

export type Task = Static<typeof TaskSchema>;
export type TaskFile = Static<typeof TaskFileSchema>;
export type TaskState = Task['state'];
export type Priority = Task['priority'];
export type Claim = Static<typeof ClaimSchema>;
export type Failure = Static<typeof FailureSchema>;
export type TaskOrigin = Static<typeof OriginSchema>;
