// The lead's tools over the task graph, in one list.
import type { UpdateOptions } from '../../store/tasks/edits.ts';
import type { Tasks } from '../../store/tasks/tasks.ts';
import type { Tool } from '../../workers/agent/tools/tool.ts';
import { createArchiveTasks } from './archive-tasks.ts';
import { createCreateTask } from './create-task.ts';
import { createUpdateTask } from './update-task.ts';

/** create_task, update_task and archive_tasks. `isLive` tells whether a claim's holder still works. */
export function createLeadTaskTools(tasks: Tasks, isLive?: UpdateOptions['isLive']): readonly Tool[] {
  return [createCreateTask(tasks), createUpdateTask(tasks, isLive), createArchiveTasks(tasks)];
}
