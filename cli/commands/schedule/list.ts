// `xz schedule list`: what is scheduled, soonest first.
import { columnLines } from '../../print/columns.ts';
import { pageFrom, pageOf, printPageLines, wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';
import { openedSchedule } from './open.ts';
import { nextRun, oneLine, rhythm, shownTask } from './words.ts';

export const runScheduleList: RunCommand = async (app, call) => {
  const limit = wholeNumber(call, 'limit', 0);
  const number = wholeNumber(call, 'page', 1, 1);
  const all = (await openedSchedule(app))?.list() ?? [];
  const { items } = pageOf(all, limit, number);
  printPageLines(app.print, app.text, pageFrom(items.map(shownTask), all.length, limit, number), () =>
    columnLines(
      app.print,
      app.text.schedule.listColumns,
      items.map((task) => [
        { text: task.id },
        { text: shortened(oneLine(task.description)) },
        { text: nextRun(task, app.text) },
        { text: rhythm(task.rule, app.text) },
      ]),
    ),
  );
  return 0;
};

/** A description is a whole request; one column cannot hold it. */
function shortened(text: string): string {
  const characters = [...text];
  return characters.length > 40 ? `${characters.slice(0, 39).join('')}…` : text;
}
