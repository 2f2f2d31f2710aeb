// `xz task show ID`

import type { TaskView } from '../../../store/tasks/graph.ts';
import { MAX_ATTEMPTS } from '../../../store/tasks/states.ts';
import { padded, width } from '../../print/columns.ts';
import type { RunCommand } from '../../table/command.ts';
import type { Text } from '../../text/text.ts';
import { taskNamed } from './choice.ts';
import { mark } from './lines.ts';
import { stateWords, waitWords } from './words.ts';

export const runTaskShow: RunCommand = async (app, call) => {
  const { print, text } = app;
  const tasks = await app.tasks();
  const task = taskNamed(tasks, call.args.id);
  const blocks = tasks.graph().dependents(task.id);
  if (print.json) {
    print.value({ ...task, blocks });
    return 0;
  }
  print.line(`${mark(print, task)} ${task.id}${task.title === task.id ? '' : `  ${task.title}`}`);
  const facts = factsOf(task, blocks, text);
  const column = Math.max(...facts.map(([label]) => width(label)));
  for (const [label, value] of facts) print.line(`  ${padded(label, column)}  ${value}`);
  for (const [label, body] of blocksOf(task, text)) {
    print.line();
    print.line(`  ${label}`);
    for (const line of body.split('\n')) print.line(`    ${line}`);
  }
  return 0;
};

function factsOf(task: TaskView, blocks: readonly string[], text: Text): Array<readonly [label: string, value: string]> {
  const { label, listSeparator } = text.task;
  const facts: Array<readonly [string, string | undefined]> = [
    [label.state, stateWords(task, text)],
    [label.priority, text.task.priorities[task.priority]],
    [label.assignee, task.claim === undefined ? task.assignee : undefined],
    [
      label.waitsFor,
      joined(
        task.waits.map((wait) => waitWords(wait, text)),
        listSeparator,
      ),
    ],
    [label.blockedBy, joined(task.blockedBy, listSeparator)],
    [label.blocks, joined(blocks, listSeparator)],
    [label.landed, task.landed === undefined ? undefined : task.landed ? text.task.landed : text.task.notMerged],
    [label.attempts, task.failures.length === 0 ? undefined : text.task.attemptsOf(task.attempts, MAX_ATTEMPTS)],
    [label.created, shortTime(task.createdAt)],
    [label.started, shortTime(task.startedAt)],
    [label.completed, shortTime(task.completedAt)],
    [label.archive, task.archived === undefined ? undefined : `.TASK/done/${task.archived}.json`],
    [label.note, task.note],
  ];
  return facts.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const]));
}

function blocksOf(task: TaskView, text: Text): Array<readonly [label: string, body: string]> {
  const { label } = text.task;
  const failures = task.failures.map(({ at, agent, error }) => `${shortTime(at) ?? at}  ${agent}: ${error}`).join('\n');
  const blocks: Array<readonly [string, string]> = [
    [label.description, task.description],
    [label.result, task.result ?? ''],
    [label.failures, failures],
  ];
  return blocks.filter(([, body]) => body !== '');
}

function joined(parts: readonly string[], separator: string): string | undefined {
  return parts.length === 0 ? undefined : parts.join(separator);
}

/** `2026-03-03 09:00` of a stored time, as it was where it was written. */
function shortTime(iso: string | undefined): string | undefined {
  return iso?.slice(0, 16).replace('T', ' ');
}
