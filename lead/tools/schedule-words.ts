// How a schedule reads to the model: one line a task, always with the absolute next time and its zone.
import type { Rule } from '../../store/schedule/rule.ts';
import type { TaskView } from '../../store/schedule/schedule.ts';
import type { ScheduledTask } from '../../store/schedule/task.ts';
import { timeInWords } from '../../store/schedule/zone.ts';

const UNITS: ReadonlyArray<readonly [ms: number, word: string]> = [
  [604_800_000, 'week'],
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1_000, 'second'],
];

/** `once`, `every day at 09:00`, `every 2 hours`, `cron 0 9 * * 1-5`. */
export function rhythmWords(rule: Rule): string {
  switch (rule.kind) {
    case 'once':
      return 'once';
    case 'daily':
      return `every day at ${rule.at}`;
    case 'cron':
      return `cron ${rule.expression}`;
    case 'interval': {
      const [ms, word] = UNITS.find(([unit]) => rule.everyMs % unit === 0) ?? [1_000, 'second'];
      const count = rule.everyMs / ms;
      return count === 1 ? `every ${word}` : `every ${count} ${word}s`;
    }
  }
}

/** `next run 2026-03-04 09:00 +08:00 (Asia/Shanghai)`, or why there is none. */
export function nextWords(task: Pick<ScheduledTask, 'nextRun' | 'enabled' | 'timeZone'>): string {
  if (task.nextRun !== undefined && task.enabled) return `next run ${timeInWords(task.nextRun, task.timeZone)}`;
  return task.enabled ? 'no run left' : 'off';
}

/** `- daily-backup [every day at 09:00, next run …, last run success] Back up the data` */
export function scheduleLine(task: TaskView): string {
  const facts = [rhythmWords(task.rule), nextWords(task)];
  if (task.lastStatus !== undefined) facts.push(`last run ${task.lastStatus}`);
  if (task.mode !== undefined) facts.push(`mode ${task.mode}`);
  return `- ${task.id} [${facts.join(', ')}] ${firstLine(task.description)}`;
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
