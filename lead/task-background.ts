// What the lead is told about tasks: how to use them (once, in the system prompt), and which are unfinished (with each
// request, as background).
import type { Tasks } from '../store/tasks/tasks.ts';
import { taskLine } from '../workers/agent/tools/task-words.ts';

/** More unfinished tasks than this are only counted. */
const MOST_TOLD = 12;

/** The part of the lead's system prompt about tasks. */
export const taskGuidance = `# Tasks
For a larger request (several parts, an order between them, or more than you can check in one go) make tasks by yourself, without being asked:
- Split the work into tasks that can each be finished and checked on their own, and create them with create_task before you start.
- Name real dependencies in blockedBy, and only those: tasks without one can be done side by side. Give high priority to what much else waits for.
- Work through what is ready. Do a task yourself (update_task to in_progress, then completed when it is checked) or give it to a sub-agent with dispatch_task.
- When you learn that a task is missing, wrong or too large, create, split or change tasks at once. When one failed, find out why before it is tried again.
- When all of a request is done, archive its last task with archive_tasks.
A small request needs no task: do it. Tasks are shared on disk and outlive this conversation; your own short list of steps belongs into create_todo.`;

/** The unfinished tasks as background for a request, what can be done next first; empty when there is none. */
export function openTasksBackground(tasks: Tasks): string {
  const unfinished = tasks.list();
  if (unfinished.length === 0) return '';
  const lines = unfinished.slice(0, MOST_TOLD).map(taskLine);
  if (unfinished.length > MOST_TOLD) lines.push(`- and ${unfinished.length - MOST_TOLD} more (list_tasks)`);
  return `Unfinished tasks (${unfinished.length}):\n${lines.join('\n')}`;
}
