// `xz schedule run ID`: a run at once, in a process of its own as the daemon would do it, recorded like any other.
import { openClaims } from '../../../store/schedule/claims.ts';
import { takePresence } from '../../../store/schedule/presence.ts';
import { appendRunLine, runLine } from '../../../store/schedule/run-log.ts';
import { openSchedule } from '../../../store/schedule/schedule.ts';
import { runChild, thisProgram } from '../../daemon/child.ts';
import { onStopSignal } from '../../daemon/signals.ts';
import type { RunCommand } from '../../table/command.ts';
import { openedSchedule, refuseTeammate, taskNamed } from './open.ts';
import { shownExecution } from './words.ts';

export const runScheduleRun: RunCommand = async (app, call) => {
  refuseTeammate(app);
  const id = taskNamed(await openedSchedule(app), call.args.id ?? '');
  const presence = takePresence(app.locks(), app.layout(), 'run');
  const abort = new AbortController();
  const forget = onStopSignal(() => abort.abort());
  try {
    const db = await app.database();
    const claims = openClaims({ db, clock: app.clock, lease: presence.lease, isFree: (name) => app.locks().isFree(name) });
    const claim = claims.now(id);
    const result = await runChild({
      claim,
      workspace: app.layout().root,
      program: thisProgram(),
      env: app.env,
      clock: app.clock,
      signal: abort.signal,
    });
    const execution = claims.finish(claim, result);
    const zone = openSchedule(db, app.clock).get(id)?.timeZone ?? claim.task.timeZone;
    appendRunLine(app.home(), runLine(app.layout().root, execution, zone, app.clock.now()));
    if (app.print.json) app.print.value(shownExecution(execution, zone));
    else {
      if (result.output !== '') app.print.line(result.output);
      if (result.error !== undefined) app.print.warn(result.error);
    }
    if (result.status === 'success') return 0;
    return result.status === 'interrupted' ? 130 : 1;
  } finally {
    forget();
    presence.release();
  }
};
