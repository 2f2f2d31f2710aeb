// update_task: what the lead may change about a task by hand.
import { Type } from 'typebox';
import type { UpdateOptions } from '../../store/tasks/edits.ts';
import { PrioritySchema, TaskStateSchema } from '../../store/tasks/schema.ts';
import type { Tasks } from '../../store/tasks/tasks.ts';
import { taskLine } from '../../workers/agent/tools/task-words.ts';
import { defineTool, toolError } from '../../workers/agent/tools/tool.ts';

/** `isLive` tells whether a claim's holder still works; such a task is not ended from outside. */
export function createUpdateTask(tasks: Tasks, isLive?: UpdateOptions['isLive']) {
  return defineTool({
    name: 'update_task',
    description:
      'Changes a task: its state, priority, blockers or note. Set in_progress when you start a task yourself and completed when it is done and checked. ' +
      'A failed task goes back to pending to be tried again. blockedBy replaces the whole list. ' +
      'A task that waits for others cannot be started, and one that an agent is working on cannot be ended from outside.',
    parameters: Type.Object({
      id: Type.String(),
      state: Type.Optional(TaskStateSchema),
      priority: Type.Optional(PrioritySchema),
      blockedBy: Type.Optional(Type.Array(Type.String(), { description: 'Ids; replaces the list that is there' })),
      note: Type.Optional(Type.String({ description: 'A remark kept with the task' })),
    }),
    readOnly: false,
    keyed: true,
    async run({ id, ...patch }, { signal }) {
      if (Object.values(patch).every((value) => value === undefined))
        return toolError('Nothing to change was given: name a state, a priority, blockedBy or a note.');
      await tasks.update(id, patch, { isLive }, signal);
      const view = tasks.get(id);
      const freed =
        patch.state === 'completed'
          ? tasks
              .graph()
              .dependents(id)
              .flatMap((other) => tasks.get(other) ?? [])
          : [];
      const ready = freed.filter((other) => other.ready).map((other) => other.id);
      const next = ready.length === 0 ? '' : `\nReady now: ${ready.join(', ')}`;
      return { text: `${view === undefined ? `Updated ${id}.` : `Updated:\n${taskLine(view)}`}${next}` };
    },
  });
}
