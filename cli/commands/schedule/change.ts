// `xz schedule remove|enable|disable`.
import type { RunCommand } from '../../table/command.ts';
import { openedSchedule, refuseTeammate, taskNamed } from './open.ts';
import { nextRun, shownTask } from './words.ts';

export const runScheduleRemove: RunCommand = async (app, call) => {
  refuseTeammate(app);
  const schedule = await openedSchedule(app);
  const id = taskNamed(schedule, call.args.id ?? '');
  schedule?.remove(id);
  if (app.print.json) app.print.value({ removed: id });
  else app.print.line(app.text.schedule.removed(id));
  return 0;
};

const switched =
  (on: boolean): RunCommand =>
  async (app, call) => {
    refuseTeammate(app);
    const schedule = await openedSchedule(app);
    const id = taskNamed(schedule, call.args.id ?? '');
    if (on) schedule?.enable(id);
    else schedule?.disable(id);
    const task = schedule?.list().find((other) => other.id === id);
    if (task === undefined) return 1;
    if (app.print.json) app.print.value(shownTask(task));
    else
      app.print.line(
        on ? app.text.schedule.enabled(id, app.text.schedule.nextRun(nextRun(task, app.text))) : app.text.schedule.disabled(id),
      );
    return 0;
  };

export const runScheduleEnable = switched(true);
export const runScheduleDisable = switched(false);
