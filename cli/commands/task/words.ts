// A task in the person's words: its mark, what it is at, why it waits.
import type { TaskView, Wait } from '../../../store/tasks/graph.ts';
import type { Text } from '../../text/text.ts';

/** One character that tells the state, also without colour. */
export function taskMark(task: TaskView): string {
  if (task.archived !== undefined) return '▪';
  switch (task.state) {
    case 'pending':
      return task.ready ? '○' : '·';
    case 'in_progress':
      return '▶';
    case 'completed':
      return '✓';
    case 'failed':
      return '✗';
  }
}

/** The state as a word, and who has it. */
export function stateWords(task: TaskView, text: Text): string {
  if (task.archived !== undefined) return text.task.states.archived;
  const who = task.claim?.by ?? task.assignee;
  const state = task.ready ? text.task.isReady : text.task.states[task.state];
  return who === undefined ? state : text.task.by(state, who);
}

/** Why a blocker is in the way. */
export function waitWords(wait: Wait, text: Text): string {
  switch (wait.why) {
    case 'unfinished':
      return wait.id;
    case 'merge':
      return text.task.mergeOf(wait.who ?? wait.id);
    case 'failed':
      return text.task.failedBlocker(wait.id);
    case 'missing':
      return text.task.missingBlocker(wait.id);
    case 'cycle':
      return text.task.inCycle(wait.id);
  }
}

/** All that matters at a glance, most important first. */
export function taskFacts(task: TaskView, text: Text): string {
  const waits = task.waits.map((wait) => waitWords(wait, text)).join(text.task.listSeparator);
  const facts = [waits === '' ? stateWords(task, text) : text.task.waitsFor(waits)];
  if (task.landed === false) facts.push(text.task.notMerged);
  if (task.priority !== 'normal') facts.push(text.task.priorities[task.priority]);
  if (task.attempts > 0 && task.state !== 'completed') facts.push(text.task.failures(task.attempts));
  return facts.join(' · ');
}
