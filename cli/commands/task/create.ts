// `xz task create "<title>"`
import type { RunCommand } from '../../table/command.ts';
import { blockersOf, chosen, PRIORITY_NAMES, textOption } from './choice.ts';
import { taskLines } from './lines.ts';

export const runTaskCreate: RunCommand = async (app, call) => {
  const tasks = await app.tasks();
  const blockedBy = blockersOf(tasks, call);
  app.processName();
  const { id } = await tasks.create({
    title: call.args.title ?? '',
    description: textOption(call, 'description'),
    priority: chosen(textOption(call, 'priority') ?? 'normal', PRIORITY_NAMES),
    blockedBy,
  });
  const task = tasks.get(id);
  if (app.print.json) app.print.value(task ?? { id });
  else {
    app.print.line(app.text.task.created(id));
    if (task !== undefined) for (const line of taskLines(app.print, app.text, [task])) app.print.styled(line);
  }
  return 0;
};
