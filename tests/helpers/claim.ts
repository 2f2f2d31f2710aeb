// A claimed run that needs no database, for tests of what is done with one.
import type { Claim, ScheduledTask } from '../../store/schedule/task.ts';

export function claimOf(task: Partial<ScheduledTask> = {}, missed = 0): Claim {
  const at = Date.UTC(2026, 2, 3, 9);
  return {
    task: {
      id: 'job',
      description: 'do it',
      when: '09:00',
      rule: { kind: 'daily', at: '09:00' },
      timeZone: 'UTC',
      startsAt: at,
      nextRun: at,
      computedAt: at,
      enabled: true,
      overlap: 'queue',
      missed: 'run',
      mode: undefined,
      team: false,
      timeoutSeconds: undefined,
      maxCostUsd: undefined,
      author: 'person',
      createdAt: at,
      ...task,
    },
    execution: {
      id: 1,
      task: task.id ?? 'job',
      slot: at,
      missed,
      lease: 'scheduler-a',
      startedAt: at,
      completedAt: undefined,
      status: 'running',
      output: '',
      error: undefined,
      session: undefined,
      costUsd: undefined,
    },
  };
}
