// schedule_task: puts work on the schedule. What the agent makes runs in its session's mode and without a team, so that
// nothing it writes ever gains more rights later than it has now.
import { Type } from 'typebox';
import { errorMessage } from '../../store/errors.ts';
import type { Schedule } from '../../store/schedule/schedule.ts';
import type { RunMode } from '../../store/schedule/task.ts';
import { defineTool } from '../../workers/agent/tools/tool.ts';
import { nextWords, rhythmWords } from './schedule-words.ts';

export interface ScheduleToolDeps {
  /** Opened at first use: reading a phrase or a cron expression takes more code than the rest of the tool. */
  readonly schedule: () => Promise<Schedule>;
  /** The person's zone, for times without one. */
  readonly timeZone: () => string;
  /** The session's mode at the moment of the call. */
  readonly mode: () => RunMode;
  /** Enters the workspace in the home's register; what keeps it from that is told, and the task stays. */
  readonly register: () => Promise<void>;
  /** True when a screen, a REPL or a daemon will run what falls due. */
  readonly someoneRuns: () => Promise<boolean>;
}

export function createScheduleTask({ schedule, timeZone, mode, register, someoneRuns }: ScheduleToolDeps) {
  return defineTool({
    name: 'schedule_task',
    description:
      'Schedules work for later, once or again and again, and returns its id and the absolute time of the next run. At that time the description is ' +
      'given to an agent as its request, so write it as a complete one: what to do, where, and what to report; nothing of this conversation is known then. ' +
      'A bare time of day repeats daily unless recurring is "none". Times without a zone are in the zone of the person. ' +
      'Tell the person the absolute time that comes back, so that a misunderstanding is seen.',
    parameters: Type.Object({
      description: Type.String({ description: 'The complete request that each run is given' }),
      when: Type.String({
        description:
          'Such as "09:00", "in 30 minutes", "tomorrow 15:00", "2026-03-04 09:00" (a zone may follow), "every 2 hours", "mon-fri 09:00", or a cron expression of five fields; Chinese forms such as "每天 9:00" work too',
      }),
      recurring: Type.Optional(
        Type.Union([Type.Literal('daily'), Type.Literal('hourly'), Type.Literal('none')], {
          description: 'How often, where "when" does not say it itself; "none" runs once',
        }),
      ),
    }),
    readOnly: false,
    keyed: true,
    async run({ description, when, recurring }, { origin }) {
      const task = (await schedule()).add({
        description,
        when,
        recurring,
        timeZone: timeZone(),
        mode: mode(),
        author: 'agent',
        origin: `${origin.session}/${origin.row}/${origin.index}`,
      });
      const lines = [`Scheduled ${task.id}: ${rhythmWords(task.rule)}, ${nextWords(task)}. It will run in mode ${task.mode ?? 'ask'}.`];
      // The task stands whatever the register says: an error here would make the model add it again.
      const unregistered = await register().then(() => undefined, errorMessage);
      if (unregistered !== undefined) lines.push(`\`xz --daemon --all\` will not find this workspace: ${unregistered}.`);
      if (!(await someoneRuns()))
        lines.push('Nothing runs schedules here at the moment: tell the person to keep xz open, or to start `xz --daemon`.');
      return { text: lines.join('\n'), facts: { schedule: task.id } };
    },
  });
}
