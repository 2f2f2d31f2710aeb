// A scheduled task as scripts and people see it.
import type { Rule } from '../../../store/schedule/rule.ts';
import type { TaskView } from '../../../store/schedule/schedule.ts';
import type { Execution, ScheduledTask } from '../../../store/schedule/task.ts';
import { isoInZone, timeInWords } from '../../../store/schedule/zone.ts';
import type { Text } from '../../text/text.ts';

/** The shape of `schedule list --json`. */
export function shownTask(task: TaskView) {
  const iso = (at: number | undefined) => (at === undefined ? null : isoInZone(at, task.timeZone));
  return {
    id: task.id,
    description: task.description,
    when: task.when,
    kind: task.rule.kind,
    recurring: task.recurring,
    timeZone: task.timeZone,
    nextRun: iso(task.nextRun),
    enabled: task.enabled,
    lastRun: iso(task.lastRun),
    lastStatus: task.lastStatus ?? null,
    mode: task.mode ?? null,
    team: task.team,
    timeoutSeconds: task.timeoutSeconds ?? null,
    maxCostUsd: task.maxCostUsd ?? null,
    overlap: task.overlap,
    missed: task.missed,
    author: task.author,
  };
}

/** The shape of `schedule log --json`; times in the task's zone, or in UTC once the task is gone. */
export function shownExecution(execution: Execution, timeZone: string) {
  const iso = (at: number | undefined) => (at === undefined ? null : isoInZone(at, timeZone));
  return {
    task: execution.task,
    slot: iso(execution.slot),
    startedAt: iso(execution.startedAt),
    completedAt: iso(execution.completedAt),
    status: execution.status,
    output: execution.output,
    error: execution.error ?? null,
    session: execution.session ?? null,
    costUsd: execution.costUsd ?? null,
    missed: execution.missed,
  };
}

const UNITS = [
  [604_800_000, 'week'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
] as const;

/** `daily 09:00`, `every 2 hours`, `0 9 * * 1-5`, `once`. */
export function rhythm(rule: Rule, text: Text): string {
  switch (rule.kind) {
    case 'once':
      return text.schedule.once;
    case 'daily':
      return text.schedule.dailyAt(rule.at);
    case 'cron':
      return rule.expression;
    case 'interval': {
      const [ms, unit] = UNITS.find(([size]) => rule.everyMs % size === 0) ?? UNITS[4];
      return text.schedule.everyCount(rule.everyMs / ms, unit);
    }
  }
}

/** The absolute time of the next run with its zone, or why there is none. */
export function nextRun(task: ScheduledTask, text: Text): string {
  if (task.enabled && task.nextRun !== undefined) return timeInWords(task.nextRun, task.timeZone);
  return task.enabled || task.rule.kind === 'once' ? text.schedule.noNext : text.schedule.off;
}

/** One line of a text of several. */
export function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
}
