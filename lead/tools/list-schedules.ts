// list_schedules: what is on the schedule, soonest first.
import { Type } from 'typebox';
import type { Schedule } from '../../store/schedule/schedule.ts';
import { defineTool } from '../../workers/agent/tools/tool.ts';
import { scheduleLine } from './schedule-words.ts';

export function createListSchedules(schedule: () => Promise<Schedule>) {
  return defineTool({
    name: 'list_schedules',
    description:
      'Lists the scheduled tasks, soonest first: id, rhythm, absolute time of the next run with its zone, how the last run ended, description.',
    parameters: Type.Object({}),
    readOnly: true,
    keyed: false,
    async run() {
      const tasks = (await schedule()).list();
      return { text: tasks.length === 0 ? 'Nothing is scheduled.' : tasks.map(scheduleLine).join('\n') };
    },
  });
}
