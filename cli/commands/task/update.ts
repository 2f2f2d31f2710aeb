// `xz task update ID [<state>|<priority>]`
import type { TaskPatch } from '../../../store/tasks/edits.ts';
import type { Tasks } from '../../../store/tasks/tasks.ts';
import type { CommandCall, RunCommand } from '../../table/command.ts';
import type { Text } from '../../text/text.ts';
import { blockersOf, chosen, PRIORITY_NAMES, TASK_STATE_NAMES, taskIdOf, textOption, wrongUse } from './choice.ts';
import { taskLines } from './lines.ts';
import { liveClaims } from './live.ts';

export const runTaskUpdate: RunCommand = async (app, call) => {
  const { print, text } = app;
  const tasks = await app.tasks();
  const patch = patchOf(tasks, call, text);
  if (Object.values(patch).every((value) => value === undefined)) wrongUse(text.task.nothingToChange, text.task.nothingToChangeHint);
  const id = taskIdOf(tasks, call.args.id);
  app.processName();
  await tasks.update(id, patch, { force: call.options.force === true, isLive: liveClaims(app.locks()) });
  const task = tasks.get(id);
  if (print.json) print.value(task ?? { id });
  else {
    print.line(text.task.updated(id));
    if (task !== undefined) for (const line of taskLines(print, text, [task])) print.styled(line);
  }
  return 0;
};

/** What is to change. The bare word may be a state or a priority; the options name which. */
function patchOf(tasks: Tasks, call: CommandCall, text: Text): TaskPatch {
  const bare = call.args.value;
  const bareState = bare === undefined ? undefined : chosen(bare, TASK_STATE_NAMES);
  const barePriority = bare === undefined ? undefined : chosen(bare, PRIORITY_NAMES);
  if (bare !== undefined && bareState === undefined && barePriority === undefined) wrongUse(text.task.badValue(bare), text.task.value);
  return {
    state: one(bareState, optionWord(call, 'state', TASK_STATE_NAMES, text), text.task.label.state, text),
    priority: one(barePriority, optionWord(call, 'priority', PRIORITY_NAMES, text), text.task.label.priority, text),
    blockedBy: blockersOf(tasks, call),
    title: textOption(call, 'title'),
    description: textOption(call, 'description'),
    note: textOption(call, 'note'),
  };
}

function optionWord<T extends string>(call: CommandCall, name: string, known: readonly T[], text: Text): T | undefined {
  const given = textOption(call, name);
  if (given === undefined) return undefined;
  return chosen(given, known) ?? wrongUse(text.task.badValue(given), text.task.value);
}

function one<T>(bare: T | undefined, option: T | undefined, what: string, text: Text): T | undefined {
  if (bare !== undefined && option !== undefined && bare !== option) wrongUse(text.task.twice(what));
  return bare ?? option;
}
