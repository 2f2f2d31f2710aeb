// The stores of this workspace behind the few operations that slash commands and panels need.

import { XzError } from '../../store/errors.ts';
import { openSchedule } from '../../store/schedule/schedule.ts';
import { browseSessions } from '../../store/sessions/browse.ts';
import type { TaskView } from '../../store/tasks/graph.ts';
import type { Tasks } from '../../store/tasks/tasks.ts';
import { taskNamed } from '../commands/schedule/open.ts';
import { chosen, PRIORITY_NAMES, TASK_STATE_NAMES, taskIdOf } from '../commands/task/choice.ts';
import { liveClaims } from '../commands/task/live.ts';
import { stateWords, waitWords } from '../commands/task/words.ts';
import type { App } from '../compose.ts';
import { memoryPort } from './memory-port.ts';
import type { SchedulePort, SessionPort, SkillPort, StorePorts, TaskPort } from './ports.ts';

const MOST_SESSIONS = 200;

/** Opens what there is. Reading a store may throw; the panels show what they had then. */
export async function openStorePorts(app: App, skills: SkillPort): Promise<StorePorts> {
  const [tasks, db] = await Promise.all([app.tasks(), app.database()]);
  const schedule = openSchedule(db, app.clock);
  const sessions: SessionPort = {
    list: () => browseSessions(db, { all: false, limit: MOST_SESSIONS, offset: 0 }).items,
  };
  const schedulePort: SchedulePort = {
    list: () => schedule.list().map((row) => ({ ...row, nextRun: row.nextRun ?? undefined })),
    remove: (id) => void schedule.remove(taskNamed(schedule, id)),
  };
  return {
    tasks: taskPort(app, tasks),
    schedule: schedulePort,
    sessions,
    skills,
    memory: memoryPort(app),
  };
}

function taskPort(app: App, tasks: Tasks): TaskPort {
  const { text } = app;
  const isLive = liveClaims(app.locks());
  const waits = (task: TaskView) => task.waits.map((wait) => waitWords(wait, text));
  return {
    list: () =>
      tasks.graph().views.map((task) => {
        const who = task.claim?.by ?? task.assignee;
        return {
          ...{ id: task.id, title: task.title, state: task.state, waitingFor: waits(task) },
          ...(who === undefined ? {} : { assignee: who }),
          ...(task.landed === undefined ? {} : { landed: task.landed }),
        };
      }),
    show(given) {
      const task = tasks.get(taskIdOf(tasks, given));
      if (task === undefined) throw new XzError('not_found', `no task "${given}"`);
      const facts = [stateWords(task, text), ...waits(task).map((wait) => text.task.waitsFor(wait)), task.note ?? ''];
      const failures = task.failures.map((failure) => `- ${failure.agent}: ${failure.error}`).join('\n');
      const parts = [`**${task.id}** ${task.title === task.id ? '' : task.title}`, facts.filter((fact) => fact !== '').join(' · ')];
      return [...parts, task.description, task.result ?? '', failures].filter((part) => part.trim() !== '').join('\n\n');
    },
    async update(given, change) {
      const id = taskIdOf(tasks, given);
      const state = chosen(change, TASK_STATE_NAMES);
      const priority = chosen(change, PRIORITY_NAMES);
      if (state === undefined && priority === undefined)
        throw new XzError('bad_input', text.task.badValue(change), { hint: text.task.value });
      await tasks.update(id, { state, priority }, { isLive });
      return id;
    },
    async archive(given) {
      const id = taskIdOf(tasks, given);
      await tasks.archive(id);
      return id;
    },
    clear: async () => (await tasks.clear({ isLive })).removed,
  };
}
