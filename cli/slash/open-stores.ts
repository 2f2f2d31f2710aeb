// The stores of this workspace behind the few operations that slash commands and panels need. A file in the place of a
// store's folder is an error, not an empty list.

import { XzError } from '../../store/errors.ts';
import { refuseNoFolder } from '../../store/links.ts';
import type { Finding } from '../../store/quarantine.ts';
import { openSchedule } from '../../store/schedule/schedule.ts';
import { browseSessions } from '../../store/sessions/browse.ts';
import type { TaskView } from '../../store/tasks/graph.ts';
import type { Tasks } from '../../store/tasks/tasks.ts';
import { taskNamed as scheduledTaskNamed } from '../commands/schedule/open.ts';
import { chosen, PRIORITY_NAMES, TASK_STATE_NAMES, taskIdOf, taskNamed } from '../commands/task/choice.ts';
import { liveClaims } from '../commands/task/live.ts';
import { stateWords, waitWords } from '../commands/task/words.ts';
import type { App } from '../compose.ts';
import { memoryPort } from './memory-port.ts';
import type { SchedulePort, SessionPort, SkillPort, StorePorts, TaskPort } from './ports.ts';

const MOST_SESSIONS = 200;

export interface OpenStores {
  readonly tasks: Tasks;
  readonly skills: SkillPort;
  /** Told of bad files: what the screen covers must not be printed. */
  readonly report: (finding: Finding) => void;
}

/** Puts the stores behind the ports. Reading one may throw; the panels show what they had then. */
export async function openStorePorts(app: App, { tasks, skills, report }: OpenStores): Promise<StorePorts> {
  const db = await app.database();
  const schedule = openSchedule(db, app.clock);
  const sessions: SessionPort = {
    list: () => browseSessions(db, { all: false, limit: MOST_SESSIONS, offset: 0 }).items,
  };
  const schedulePort: SchedulePort = {
    list: () => schedule.list().map((row) => ({ ...row, nextRun: row.nextRun ?? undefined })),
    remove(given) {
      const id = scheduledTaskNamed(schedule, given);
      schedule.remove(id);
      return id;
    },
  };
  return {
    tasks: taskPort(app, tasks),
    schedule: schedulePort,
    sessions,
    skills,
    memory: memoryPort(app, report),
  };
}

function taskPort(app: App, opened: Tasks): TaskPort {
  const { text } = app;
  const readable = () => {
    refuseNoFolder(app.layout().tasks);
    return opened;
  };
  const isLive = liveClaims(app.locks());
  const waits = (task: TaskView) => task.waits.map((wait) => waitWords(wait, text));
  return {
    list: () =>
      readable()
        .graph()
        .views.map((task) => {
          const who = task.claim?.by ?? task.assignee;
          return {
            ...{ id: task.id, title: task.title, state: task.state, waitingFor: waits(task) },
            ...(who === undefined ? {} : { assignee: who }),
            ...(task.landed === undefined ? {} : { landed: task.landed }),
          };
        }),
    show(given) {
      const tasks = readable();
      const task = taskNamed(tasks, given);
      const facts = [stateWords(task, text), ...waits(task).map((wait) => text.task.waitsFor(wait)), task.note ?? ''];
      const failures = task.failures.map((failure) => `- ${failure.agent}: ${failure.error}`).join('\n');
      const parts = [`**${task.id}** ${task.title === task.id ? '' : task.title}`, facts.filter((fact) => fact !== '').join(' · ')];
      return [...parts, task.description, task.result ?? '', failures].filter((part) => part.trim() !== '').join('\n\n');
    },
    async update(given, change) {
      const tasks = readable();
      const id = taskIdOf(tasks, given);
      const state = chosen(change, TASK_STATE_NAMES);
      const priority = chosen(change, PRIORITY_NAMES);
      if (state === undefined && priority === undefined)
        throw new XzError('bad_input', text.task.badValue(change), { hint: text.task.value });
      await tasks.update(id, { state, priority }, { isLive });
      return id;
    },
    async archive(given) {
      const tasks = readable();
      const id = taskIdOf(tasks, given);
      await tasks.archive(id);
      return id;
    },
    clear: async () => (await readable().clear({ isLive })).removed,
  };
}
