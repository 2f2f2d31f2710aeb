// list_tasks: the shared task graph, as every agent may see it.
import { Type } from 'typebox';
import { TaskStateSchema } from '../../../store/tasks/schema.ts';
import type { Tasks } from '../../../store/tasks/tasks.ts';
import { taskLine } from './task-words.ts';
import { defineTool } from './tool.ts';

/** More lines than this are not printed: the model is told how many there are. */
const MOST_LINES = 200;

/** The tool over a task graph. */
export function createListTasks(tasks: Tasks) {
  return defineTool({
    name: 'list_tasks',
    description:
      'Lists the tasks of this workspace: id, state, what each waits for, who has it, title. What can be done next comes first. ' +
      'Without a state it lists the unfinished ones (pending, in_progress, failed). ' +
      'The tasks are shared with teammates and with the person; they outlive this conversation.',
    parameters: Type.Object({
      state: Type.Optional(TaskStateSchema),
    }),
    readOnly: true,
    keyed: false,
    async run({ state }) {
      const listed = tasks.list({ state });
      const lines = listed.slice(0, MOST_LINES).map(taskLine);
      if (listed.length > MOST_LINES) lines.push(`(${listed.length - MOST_LINES} more are not shown)`);
      if (listed.length === 0) lines.push(state === undefined ? 'There is no unfinished task.' : `No task is ${state.replace('_', ' ')}.`);
      const completed = state === undefined ? tasks.list({ state: 'completed' }).length : 0;
      if (completed > 0) lines.push(`(${completed} completed: list_tasks with state "completed")`);
      return { text: lines.join('\n') };
    },
  });
}
