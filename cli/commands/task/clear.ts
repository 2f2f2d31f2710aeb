// `xz task clear`: asks at a terminal, and keeps a copy in any case.
import type { App } from '../../compose.ts';
import type { RunCommand } from '../../table/command.ts';
import { wrongUse } from './choice.ts';
import { liveClaims } from './live.ts';

export const runTaskClear: RunCommand = async (app, call) => {
  const { print, text } = app;
  const tasks = await app.tasks();
  const count = tasks.graph().views.length;
  if (count > 0 && call.options.yes !== true && !(await confirmed(app, count))) {
    print.warn(text.task.kept);
    return 1;
  }
  app.processName();
  const cleared = await tasks.clear({ force: call.options.force === true, isLive: liveClaims(app.locks()) });
  if (print.json) print.value(cleared);
  else print.line(cleared.snapshot === undefined ? text.task.nothingToClear : text.task.cleared(cleared.removed, cleared.snapshot));
  return 0;
};

async function confirmed({ text, print }: App, count: number): Promise<boolean> {
  if (!print.terminal || process.stdin.isTTY !== true) wrongUse(text.task.notAsked, text.task.notAskedHint);
  const { confirm } = await import('@clack/prompts');
  return (await confirm({ message: text.task.askClear(count), initialValue: false })) === true;
}
