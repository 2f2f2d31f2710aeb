// `xz schedule add`: puts work on the schedule, and says when nobody is there to run it.
import { XzError } from '../../../store/errors.ts';
import { someoneRuns } from '../../../store/schedule/presence.ts';
import type { Recurring } from '../../../store/schedule/rule.ts';
import { modeOf, type RunMode } from '../../../store/schedule/task.ts';
import { registerWorkspace } from '../../../store/schedule/workspaces.ts';
import { processZone } from '../../../store/schedule/zone.ts';
import type { App } from '../../compose.ts';
import { printError } from '../../print/error.ts';
import { flagOf } from '../../print/page.ts';
import type { CommandCall, RunCommand } from '../../table/command.ts';
import { refuseTeammate, scheduleToChange } from './open.ts';
import { nextRun, rhythm, shownTask } from './words.ts';

export const runScheduleAdd: RunCommand = async (app, call) => {
  refuseTeammate(app);
  const { when, cron } = whenOf(call);
  const rights = rightsOf(app);
  const schedule = await scheduleToChange(app);
  const { id } = schedule.add({
    description: call.args.description ?? '',
    when,
    cron,
    recurring: recurringOf(textOption(call, 'recurring')),
    timeZone: textOption(call, 'tz') ?? processZone(),
    overlap: textOption(call, 'overlap') === 'skip' ? 'skip' : 'queue',
    missed: textOption(call, 'missed') === 'skip' ? 'skip' : 'run',
    timeoutSeconds: positive(call, 'timeout'),
    maxCostUsd: positive(call, 'maxCost'),
    ...rights,
  });
  try {
    await registerWorkspace(app.home(), app.homeLocks(), app.clock, app.layout().root);
  } catch (error) {
    // The task stands; only `xz --daemon --all` would not find it.
    printError(app.print, app.text, error);
  }
  const runs = someoneRuns(app.locks(), app.homeLocks(), app.layout());
  const task = schedule.list().find((other) => other.id === id);
  if (task === undefined) throw new XzError('internal', `the new task ${id} is gone`);
  if (app.print.json) app.print.value({ ...shownTask(task), running: runs });
  else
    app.print.line(`${app.text.schedule.added(id, app.text.schedule.nextRun(nextRun(task, app.text)))} · ${rhythm(task.rule, app.text)}`);
  if (!runs) {
    app.print.warn(`xz: ${app.text.schedule.nobodyRuns}`);
    app.print.warn(`${app.text.common.hint}: ${app.text.schedule.nobodyRunsHint}`);
  }
  return 0;
};

/** "When" of a command line: a phrase, or an expression with --cron, but not both. */
export function whenOf(call: CommandCall): { readonly when: string; readonly cron: boolean } {
  const cron = textOption(call, 'cron');
  const phrase = call.args.when;
  if (phrase !== undefined && cron !== undefined)
    throw new XzError('bad_input', `both "${phrase}" and --cron say when`, {
      hint: 'give one of them',
      data: { kind: 'when_twice', given: phrase },
    });
  const when = phrase ?? cron;
  if (when === undefined)
    throw new XzError('bad_input', 'it is not said when', {
      hint: 'add a time such as "09:00" or "in 30 minutes", or --cron EXPR',
      data: { kind: 'no_when' },
    });
  return { when, cron: cron !== undefined };
}

/** What a run may do. Made by a model in a tool shell, it may do no more than an unattended run in mode ask. */
function rightsOf(app: App): { author: 'person' | 'agent'; mode: RunMode | undefined; team: boolean } {
  const mode = modeOf(app.globals.mode);
  const team = app.globals.team === true;
  if (!app.env.XZ_AGENT) return { author: 'person', mode, team };
  if (team || mode === 'yolo' || mode === 'auto-edit')
    throw new XzError('refused', 'a command that an agent runs cannot schedule work with more rights than mode ask, or with a team', {
      hint: 'use the schedule_task tool, or let the person run this',
      data: { kind: 'rights' },
    });
  return { author: 'agent', mode: mode ?? 'ask', team };
}

export function textOption(call: CommandCall, name: string): string | undefined {
  const value = call.options[name];
  return typeof value === 'string' ? value : undefined;
}

function recurringOf(text: string | undefined): Recurring | undefined {
  return text === 'daily' || text === 'hourly' || text === 'none' ? text : undefined;
}

function positive(call: CommandCall, option: string): number | undefined {
  const given = textOption(call, option);
  if (given === undefined) return undefined;
  const value = /^\d+(\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
  const whole = option === 'timeout';
  if (value > 0 && (!whole || Number.isInteger(value))) return value;
  const flag = flagOf(option);
  throw new XzError('bad_input', `${flag} "${given}" is not a positive ${whole ? 'whole number of seconds' : 'number'}`, {
    data: { kind: 'not_positive', option: flag, given, whole },
  });
}
