// `xz task archive ROOT`
import type { RunCommand } from '../../table/command.ts';
import { taskIdOf } from './choice.ts';

export const runTaskArchive: RunCommand = async (app, call) => {
  const tasks = await app.tasks();
  const root = taskIdOf(tasks, call.args.root);
  app.processName();
  const archived = await tasks.archive(root);
  if (app.print.json) app.print.value({ root, ...archived });
  else if (archived.ids.length === 0) app.print.line(app.text.task.archivedAlready(root));
  else app.print.line(app.text.task.archived(archived.ids.join(app.text.task.listSeparator)));
  return 0;
};
