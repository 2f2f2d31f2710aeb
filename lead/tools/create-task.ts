// create_task: adds a task to the shared graph. Its id is derived from nothing but the title; the call's origin is kept
// with it, so that a call repeated after a crash finds the task it has made.
import { Type } from 'typebox';
import { PrioritySchema } from '../../store/tasks/schema.ts';
import type { Tasks } from '../../store/tasks/tasks.ts';
import { taskLine } from '../../workers/agent/tools/task-words.ts';
import { defineTool } from '../../workers/agent/tools/tool.ts';

export function createCreateTask(tasks: Tasks) {
  return defineTool({
    name: 'create_task',
    description:
      'Adds a task to the shared task graph and returns its id. Make one task for each piece of work that can be finished and checked on its own; ' +
      'name the tasks it needs first in blockedBy, and leave blockedBy out where the order does not matter, so that work can go on side by side. ' +
      'Whoever takes the task sees only its title, its description and the results of its blockers: put all that is needed into the description ' +
      '(files, constraints, how to tell that it is done). For a short list of your own steps use create_todo instead.',
    parameters: Type.Object({
      title: Type.String({ description: 'A few words; the id is made from them' }),
      description: Type.Optional(Type.String({ description: 'What to do, where, and how to tell that it is done' })),
      priority: Type.Optional(PrioritySchema),
      blockedBy: Type.Optional(Type.Array(Type.String(), { description: 'Ids of tasks that must be completed first' })),
    }),
    readOnly: false,
    keyed: true,
    async run(args, { origin, signal }) {
      const { id } = await tasks.create(args, origin, signal);
      const view = tasks.get(id);
      return { text: view === undefined ? `Created ${id}.` : `Created:\n${taskLine(view)}` };
    },
  });
}
