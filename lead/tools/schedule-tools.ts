// The lead's tools over the schedule, in one list.
import type { Tool } from '../../workers/agent/tools/tool.ts';
import { createCancelSchedule } from './cancel-schedule.ts';
import { createListSchedules } from './list-schedules.ts';
import { createScheduleTask, type ScheduleToolDeps } from './schedule-task.ts';

/** schedule_task, list_schedules and cancel_schedule. */
export function createScheduleTools(deps: ScheduleToolDeps): readonly Tool[] {
  return [createScheduleTask(deps), createListSchedules(deps.schedule), createCancelSchedule(deps.schedule)];
}

/** A name that models know from elsewhere: accepted, not offered. */
export const scheduleToolAliases = { create_schedule: 'schedule_task' } as const;
