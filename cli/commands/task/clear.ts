// `xz task clear`: asks at a terminal, and keeps a copy in any case.
import type { App } from '../../compose.ts';
import { atTerminal } from '../../setup/offer.ts';
import type { RunCommand } from '../../table/command.ts';
import { wrongUse } from './choice.ts';
import { liveClaims } from './live.ts';

export const runTaskClear: RunCommand = async (app, call) => {
  const { print, text } = app;
  const tasks = await app.tasks();
  const count = tasks.graph().views.length;
  const sure = count === 0 || call.options.yes === true || (await confirmed(app, count));
  if (sure !== true) {
    print.warn(text.task.kept);
    return sure === undefined ? 130 : 1;
  }
  app.processName();
  const cleared = await tasks.clear({ force: call.options.force === true, isLive: liveClaims(app.locks()) });
  if (print.json) print.value(cleared);
  else print.line(cleared.snapshot === undefined ? text.task.nothingToClear : text.task.cleared(cleared.removed, cleared.snapshot));
  return 0;
};

/** What the person says; undefined when they would rather leave. */
async function confirmed(app: App, count: number): Promise<boolean | undefined> {
  const { text } = app;
  if (!atTerminal(app)) wrongUse(text.task.notAsked, text.task.notAskedHint);
  const { clackPrompts } = await import('../../setup/clack.ts');
  return clackPrompts(text).confirm(text.task.askClear(count), false);
}
