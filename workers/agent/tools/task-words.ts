// How a task reads to the model: one line a task, and why it is not ready.
import { type TaskView, waitingText } from '../../../store/tasks/graph.ts';
import { MAX_ATTEMPTS } from '../../../store/tasks/states.ts';

/** `- parser [pending, waits for lexer] Write the parser`: id, state, what is in the way, title. */
export function taskLine(task: TaskView): string {
  return `- ${task.id} [${taskFacts(task).join(', ')}] ${task.title}`;
}

function taskFacts(task: TaskView): string[] {
  const facts: string[] = [task.archived === undefined ? task.state.replace('_', ' ') : 'archived'];
  if (task.ready) facts.push('ready');
  if (task.waits.length > 0) facts.push(`waits for ${waitingText(task.waits)}`);
  if (task.landed === false) facts.push('not merged yet');
  if (task.priority !== 'normal') facts.push(`${task.priority} priority`);
  const who = task.claim?.by ?? task.assignee;
  if (who !== undefined) facts.push(`${task.state === 'pending' ? 'assigned to' : 'by'} ${who}`);
  if (task.attempts > 0) facts.push(`${task.attempts} of ${MAX_ATTEMPTS} attempts failed`);
  return facts;
}
