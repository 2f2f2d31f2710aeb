// `xz schedule log [ID]`: what became of each run, newest first; also of tasks that are off the schedule by now.
import { resolvePrefix } from '../../../store/ids.ts';
import type { Execution } from '../../../store/schedule/task.ts';
import { isoInZone } from '../../../store/schedule/zone.ts';
import { columnLines } from '../../print/columns.ts';
import { pageFrom, pageOf, printPageLines, wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';
import { openedSchedule } from './open.ts';
import { oneLine, shownExecution } from './words.ts';

export const runScheduleLog: RunCommand = async (app, call) => {
  const limit = wholeNumber(call, 'limit', 0);
  const number = wholeNumber(call, 'page', 1, 1);
  const schedule = await openedSchedule(app);
  const given = call.args.id;
  const known = [...new Set([...(schedule?.ids() ?? []), ...(schedule?.loggedIds() ?? [])])];
  const id = given === undefined ? undefined : resolvePrefix(given, known, 'scheduled task');
  const all = schedule?.log(id) ?? [];
  const zone = (execution: Execution) => schedule?.get(execution.task)?.timeZone ?? 'UTC';
  const { items } = pageOf(all, limit, number);
  const shown = items.map((execution) => shownExecution(execution, zone(execution)));
  printPageLines(app.print, app.text, pageFrom(shown, all.length, limit, number), () =>
    columnLines(
      app.print,
      app.text.schedule.logColumns,
      items.map((execution) => [
        { text: isoInZone(execution.slot, zone(execution)) },
        { text: execution.task },
        { text: app.text.schedule.status(execution.status) },
        { text: execution.completedAt === undefined ? '' : ((execution.completedAt - execution.startedAt) / 1000).toFixed(1) },
        { text: oneLine(execution.error ?? execution.output) },
      ]),
    ),
  );
  return 0;
};
