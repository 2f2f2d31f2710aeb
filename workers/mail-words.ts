// What a teammate reads of a mail. Pure.
import type { Mail } from '../mailbox/message.ts';
import type { TaskView } from '../store/tasks/graph.ts';

export function renderMail(mail: Mail, task: TaskView | undefined): string {
  switch (mail.type) {
    case 'task':
      return [
        `[Task from ${mail.from}${mail.taskId === undefined ? '' : ` · ${mail.taskId}`}]`,
        task?.title ?? mail.subject ?? '',
        task !== undefined && task.description !== '' && task.description !== task.title ? task.description : mail.body,
        ...(task?.note === undefined ? [] : [`Note: ${task.note}`]),
        ...(task === undefined ? [] : task.failures.map((failure) => `An earlier attempt by ${failure.agent} failed: ${failure.error}`)),
      ]
        .filter((line) => line.trim() !== '')
        .join('\n');
    case 'review':
      return `[Review from ${mail.from}${mail.taskId === undefined ? '' : ` · ${mail.taskId}`}] Your result needs another round:\n${mail.body}`;
    case 'end':
      return `[${mail.from} ends your work]`;
    case 'result':
    case 'notice':
      return `[Notice from ${mail.from}] ${mail.body}`;
  }
}
