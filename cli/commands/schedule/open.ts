// What the schedule commands share: the schedule, if anything was ever stored; runs of dead processes settled; an id
// named by a prefix; and who may change what from inside a tool shell.
import type { Database } from '../../../store/database/database.ts';
import { XzError } from '../../../store/errors.ts';
import { pathExists } from '../../../store/files.ts';
import { resolvePrefix } from '../../../store/ids.ts';
import { openClaims } from '../../../store/schedule/claims.ts';
import { appendRunLine, runLine } from '../../../store/schedule/run-log.ts';
import { openSchedule, type Schedule } from '../../../store/schedule/schedule.ts';
import type { App } from '../../compose.ts';

/** The schedule, or undefined where nothing was ever stored: a query makes no database. */
export async function openedSchedule(app: App): Promise<Schedule | undefined> {
  if (!pathExists(app.layout().database)) return undefined;
  const db = await app.database();
  const schedule = openSchedule(db, app.clock);
  settle(app, db, schedule);
  return schedule;
}

/** The schedule, made if need be. */
export async function scheduleToChange(app: App): Promise<Schedule> {
  return openSchedule(await app.database(), app.clock);
}

/** Records runs whose process is gone, so that what is shown is true although no daemon is there to notice. */
function settle(app: App, db: Database, schedule: Schedule): void {
  const claims = openClaims({ db, clock: app.clock, lease: '', isFree: (name) => app.locks().isFree(name) });
  for (const execution of claims.settle()) {
    const zone = schedule.get(execution.task)?.timeZone ?? 'UTC';
    appendRunLine(app.home(), runLine(app.layout().root, execution, zone, app.clock.now()));
  }
}

/** The task that `given` names. Throws `not_found` or `ambiguous`. */
export function taskNamed(schedule: Schedule | undefined, given: string): string {
  return resolvePrefix(given, schedule?.ids() ?? [], 'scheduled task');
}

/**
 * Inside a tool shell the caller is a model: teammates have no schedule, and the lead's commands may not gain what its
 * schedule_task tool would refuse.
 */
export function refuseTeammate(app: App): void {
  const agent = app.env.XZ_AGENT;
  if (agent && agent !== 'Lead')
    throw new XzError('refused', `the schedule is the lead's and the person's, not ${agent}'s`, {
      hint: 'send the lead a notice of what should be scheduled',
      data: { kind: 'schedule', given: agent },
    });
}
