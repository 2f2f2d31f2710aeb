// `xz task watch`: the list, and again whenever anybody changes it, until Ctrl+C or the reader goes away.
import { errorFacts } from '../../../store/errors.ts';
import { watchTasks } from '../../../store/tasks/watch.ts';
import type { App } from '../../compose.ts';
import { pageOf } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';
import { countLine, taskLines, warnOfCycles } from './lines.ts';

export const runTaskWatch: RunCommand = async (app) => {
  const tasks = await app.tasks();
  const draw = () => drawList(app, tasks.list());
  // Taken first: what changes while the list is drawn is drawn again.
  const seen = tasks.graph();
  draw();
  warnOfCycles(app.print, app.text, tasks.graph());
  const onTrouble = (error: unknown) => app.print.warn(`xz: ${app.text.errors.say(errorFacts(error)).text}`);
  const watch = watchTasks({ layout: app.layout(), tasks, clock: app.clock, seen, onChange: draw, onTrouble });
  await interrupted();
  await watch.stop();
  return 130;
};

function drawList({ print, text }: App, views: Parameters<typeof taskLines>[2]): void {
  if (print.json) {
    print.value(pageOf(views, 0, 1));
    return;
  }
  print.clear();
  for (const line of taskLines(print, text, views)) print.styled(line);
  print.line(views.length === 0 ? text.task.none : countLine(text, views));
  if (print.terminal) print.line(text.task.watchEnd);
  else print.line();
}

/** Resolves at the first signal that asks the program to end. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}
