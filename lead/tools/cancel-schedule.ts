// cancel_schedule: takes a task off the schedule. The record of its past runs stays.
import { Type } from 'typebox';
import type { Schedule } from '../../store/schedule/schedule.ts';
import { defineTool, toolError } from '../../workers/agent/tools/tool.ts';

export function createCancelSchedule(open: () => Promise<Schedule>) {
  return defineTool({
    name: 'cancel_schedule',
    description:
      'Takes a task off the schedule for good; a run that is going on is not stopped. Needs the exact id, as list_schedules shows it.',
    parameters: Type.Object({ id: Type.String() }),
    readOnly: false,
    keyed: true,
    async run({ id }) {
      const schedule = await open();
      if (schedule.remove(id)) return { text: `Cancelled ${id}.` };
      // After a crash the same call finds its work done, so a task that has run counts as cancelled.
      if (schedule.loggedIds().includes(id)) return { text: `${id} is not on the schedule any more.` };
      const ids = schedule.ids();
      return toolError(
        `There is no scheduled task "${id}". ${ids.length === 0 ? 'Nothing is scheduled.' : `There are: ${ids.join(', ')}.`}`,
      );
    },
  });
}
