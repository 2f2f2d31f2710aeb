// The vocabulary of the schedule: a task, one run of it, and how both come out of their rows.
import { columnNumber, columnNumberOrNull, columnText, columnTextOrNull } from '../database/database.ts';
import { XzError } from '../errors.ts';
import { nextRunOf, type Rule } from './rule.ts';

export type RunMode = 'plan' | 'ask' | 'auto-edit' | 'yolo';
/** A slot that falls due while the run before it goes on: wait for its end (several such slots become one run), or drop it. */
export type Overlap = 'queue' | 'skip';
/** Slots that passed while nobody was there to run them: one run for all of them, or a row that says so. */
export type Missed = 'run' | 'skip';
export type RunStatus = 'running' | 'success' | 'failed' | 'interrupted' | 'skipped';

export interface ScheduledTask {
  readonly id: string;
  /** What is to be done: the prompt of each run. */
  readonly description: string;
  /** "When" as it was written. */
  readonly when: string;
  readonly rule: Rule;
  readonly timeZone: string;
  /** Nothing is due before it; 0 where no start was named. */
  readonly startsAt: number;
  readonly nextRun: number | undefined;
  /** The time at which `nextRun` was found; a clock that reads earlier was set back. */
  readonly computedAt: number;
  readonly enabled: boolean;
  readonly overlap: Overlap;
  readonly missed: Missed;
  /** Mode of its unattended runs; undefined: as configured. */
  readonly mode: RunMode | undefined;
  readonly team: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly maxCostUsd: number | undefined;
  readonly author: 'person' | 'agent';
  readonly createdAt: number;
}

export interface Execution {
  readonly id: number;
  readonly task: string;
  /** The time it was due; for a run asked for by hand, when that was. */
  readonly slot: number;
  /** Earlier slots that passed without a run and are served by this one. */
  readonly missed: number;
  /** Name of the lease its process holds: free means that process is gone. */
  readonly lease: string;
  readonly startedAt: number;
  readonly completedAt: number | undefined;
  readonly status: RunStatus;
  readonly output: string;
  readonly error: string | undefined;
  readonly session: string | undefined;
  readonly costUsd: number | undefined;
}

/** A run that this process has claimed and must finish. */
export interface Claim {
  readonly task: ScheduledTask;
  readonly execution: Execution;
}

/** How a run ended. */
export interface RunResult {
  readonly status: 'success' | 'failed' | 'interrupted';
  readonly output: string;
  readonly error?: string | undefined;
  readonly session?: string | undefined;
  readonly costUsd?: number | undefined;
}

/** What the model is asked in a run: the description, and how many runs it stands for. */
export function wakeupText(claim: Claim): string {
  const { missed } = claim.execution;
  const told =
    missed === 0
      ? ''
      : ` (${missed} earlier ${missed === 1 ? 'run was' : 'runs were'} missed; this one stands for ${missed === 1 ? 'it' : 'them'})`;
  return claim.task.description + told;
}

/** The first run after `from` that the task's rule and start allow. */
export function nextOfTask(task: Pick<ScheduledTask, 'rule' | 'timeZone' | 'startsAt'>, from: number): number | undefined {
  return from < task.startsAt ? task.startsAt : nextRunOf(task.rule, task.timeZone)(from);
}

export function taskOf(row: unknown): ScheduledTask {
  return {
    id: columnText(row, 'id'),
    description: columnText(row, 'description'),
    when: columnText(row, 'when_text'),
    rule: ruleOf(row),
    timeZone: columnText(row, 'time_zone'),
    startsAt: columnNumber(row, 'starts_at'),
    nextRun: columnNumberOrNull(row, 'next_run'),
    computedAt: columnNumber(row, 'computed_at'),
    enabled: columnNumber(row, 'enabled') === 1,
    overlap: columnText(row, 'overlap') === 'skip' ? 'skip' : 'queue',
    missed: columnText(row, 'missed') === 'skip' ? 'skip' : 'run',
    mode: modeOf(columnTextOrNull(row, 'mode')),
    team: columnNumber(row, 'team') === 1,
    timeoutSeconds: columnNumberOrNull(row, 'timeout_seconds'),
    maxCostUsd: columnNumberOrNull(row, 'max_cost_usd'),
    author: columnText(row, 'author') === 'agent' ? 'agent' : 'person',
    createdAt: columnNumber(row, 'created_at'),
  };
}

export function executionOf(row: unknown): Execution {
  return {
    id: columnNumber(row, 'id'),
    task: columnText(row, 'task_id'),
    slot: columnNumber(row, 'slot'),
    missed: columnNumber(row, 'missed'),
    lease: columnText(row, 'lease'),
    startedAt: columnNumber(row, 'started_at'),
    completedAt: columnNumberOrNull(row, 'completed_at'),
    status: statusOf(columnText(row, 'status')),
    output: columnText(row, 'output'),
    error: columnTextOrNull(row, 'error'),
    session: columnTextOrNull(row, 'session'),
    costUsd: columnNumberOrNull(row, 'cost_usd'),
  };
}

/** The columns a rule is kept in. */
export function ruleColumns(rule: Rule): { expression: string | null; everyMs: number | null; anchor: number | null } {
  switch (rule.kind) {
    case 'daily':
      return { expression: rule.at, everyMs: null, anchor: null };
    case 'cron':
      return { expression: rule.expression, everyMs: null, anchor: null };
    case 'interval':
      return { expression: null, everyMs: rule.everyMs, anchor: rule.anchor };
    case 'once':
      return { expression: null, everyMs: null, anchor: rule.at };
  }
}

function ruleOf(row: unknown): Rule {
  const kind = columnText(row, 'kind');
  switch (kind) {
    case 'daily':
      return { kind, at: columnText(row, 'expression') };
    case 'cron':
      return { kind, expression: columnText(row, 'expression') };
    case 'interval':
      return { kind, everyMs: columnNumber(row, 'every_ms'), anchor: columnNumber(row, 'anchor') };
    case 'once':
      return { kind, at: columnNumber(row, 'anchor') };
    default:
      throw new XzError('database_broken', `scheduled task kind ${kind}`);
  }
}

/** A permission mode, or undefined for anything else. */
export function modeOf(text: string | undefined): RunMode | undefined {
  return text === 'plan' || text === 'ask' || text === 'auto-edit' || text === 'yolo' ? text : undefined;
}

/** A status column. */
export function statusOf(text: string): RunStatus {
  if (text === 'running' || text === 'success' || text === 'failed' || text === 'interrupted' || text === 'skipped') return text;
  throw new XzError('database_broken', `run status ${text}`);
}
