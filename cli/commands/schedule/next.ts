// `xz schedule next`: the next runs of a phrase or an expression, or of all that is scheduled; nothing is stored.
import { XzError } from '../../../store/errors.ts';
import { nextRunOf } from '../../../store/schedule/rule.ts';
import type { ScheduledTask } from '../../../store/schedule/task.ts';
import { parseCron, parseMoment, parseWhen } from '../../../store/schedule/when.ts';
import { isoInZone, processZone, timeInWords } from '../../../store/schedule/zone.ts';
import { wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';
import { textOption, whenOf } from './add.ts';
import { openedSchedule } from './open.ts';

const MOST = 1_000;

interface Run {
  readonly at: number;
  readonly timeZone: string;
  readonly task?: string;
}

export const runScheduleNext: RunCommand = async (app, call) => {
  const count = wholeNumber(call, 'count', 5, 1);
  if (count > MOST)
    throw new XzError('bad_input', `--count ${count} is more than ${MOST}`, {
      data: { kind: 'too_many', option: '--count', given: count, most: MOST },
    });
  const timeZone = textOption(call, 'tz') ?? processZone();
  const from = textOption(call, 'from');
  const now = from === undefined ? app.clock.now() : parseMoment(from, timeZone);
  const named = call.args.when !== undefined || call.options.cron !== undefined;
  const runs = named ? runsOfPhrase(whenOf(call), now, timeZone, count) : runsOfAll((await openedSchedule(app))?.list() ?? [], now, count);
  if (app.print.json) app.print.value({ runs: runs.map((run) => isoInZone(run.at, run.timeZone)) });
  else if (runs.length === 0) app.print.line(app.text.schedule.nothingAhead);
  else for (const run of runs) app.print.line(timeInWords(run.at, run.timeZone) + (run.task === undefined ? '' : `  ${run.task}`));
  return 0;
};

function runsOfPhrase({ when, cron }: { when: string; cron: boolean }, now: number, timeZone: string, count: number): Run[] {
  const plan = (cron ? parseCron : parseWhen)(when, { now, timeZone });
  const next = nextRunOf(plan.rule, timeZone);
  const runs: Run[] = [];
  for (let at: number | undefined = plan.first; at !== undefined && runs.length < count; at = next(at)) runs.push({ at, timeZone });
  return runs;
}

/** The soonest runs of all enabled tasks together. */
function runsOfAll(tasks: readonly ScheduledTask[], now: number, count: number): Run[] {
  const runs: Run[] = [];
  for (const { id, rule, timeZone, enabled, nextRun, startsAt } of tasks) {
    if (!enabled || nextRun === undefined) continue;
    const next = nextRunOf(rule, timeZone);
    let at: number | undefined = now < startsAt ? startsAt : next(now);
    for (let n = 0; at !== undefined && n < count; n++, at = next(at)) runs.push({ at, timeZone, task: id });
  }
  return runs.sort((a, b) => a.at - b.at).slice(0, count);
}
