// What `xz once` prints at its end, and the exit code: 0 only for done.
import { addUsage, NO_USAGE, type Usage } from '../../../store/sessions/message.ts';
import type { MessageRow } from '../../../store/sessions/sessions.ts';
import { changedBy } from '../../../workers/agent/turn/stays.ts';
import type { App } from '../../compose.ts';
import type { OpenedLead } from '../../open-lead.ts';
import type { TeamEnd } from './team.ts';

export interface Told {
  /** The first turn that belongs to this answer. */
  readonly firstTurn: number;
  /** Files that teammates changed in the main folder. */
  readonly changedHere: ReadonlySet<string>;
}

/** Prints the outcome of what `told` names; returns the exit code. */
export function report(app: App, opened: OpenedLead, { outcome, landing }: TeamEnd, told: Told, streaming: boolean): number {
  const { print, text } = app;
  const stopReason = outcome?.stopReason ?? 'done';
  const rows = opened.lead.rows().filter((row) => row.turn >= told.firstTurn);
  const answer = {
    session: opened.lead.session(),
    text: outcome?.text ?? '',
    stopReason,
    usage: usageOf(rows),
    costUsd: opened.totalCost(),
    changedFiles: [...new Set([...changedIn(rows), ...told.changedHere])],
    ...(landing !== undefined && { team: teamOf(opened, landing) }),
    ...(outcome?.fault !== undefined && { error: outcome.fault.text }),
  };
  if (print.json) print.value(answer);
  else if (!streaming && answer.text !== '') print.line(answer.text);
  if (landing !== undefined && landing.length > 0) {
    print.warn(`xz: ${text.once.unlanded(landing.map((one) => `${one.name} (${one.branch})`).join(', '))}`);
    print.warn(`${text.common.hint}: ${text.once.unlandedHint}`);
  }
  if (stopReason === 'done') return 0;
  const said = outcome?.fault === undefined ? undefined : text.errors.say(outcome.fault);
  print.warn(`xz: ${said?.text ?? text.once.stopped(stopReason)}`);
  print.warn(
    `${text.common.hint}: ${said?.hint ?? (opened.lead.unfinished() ? text.once.stoppedHint(answer.session) : text.once.rolledBackHint(answer.session))}`,
  );
  return stopReason === 'interrupted' ? 130 : 1;
}

function usageOf(rows: readonly MessageRow[]): Usage {
  return rows.reduce((sum, { content }) => (content.role === 'assistant' ? addUsage(sum, content.usage) : sum), NO_USAGE);
}

/** Paths changed by this run's calls, each once, in the order of the first change. */
function changedIn(rows: readonly MessageRow[]): string[] {
  return [...new Set(rows.flatMap(({ content }) => (content.role === 'tool' ? changedBy(content) : [])))];
}

function teamOf(opened: OpenedLead, landing: NonNullable<TeamEnd['landing']>) {
  const open = new Set(landing.map((one) => one.name));
  return {
    landed: landing.length === 0,
    teammates: opened.team.everyone().map(({ name, task, state, branch, kept }) => ({
      ...{ name, task: task ?? null, state, branch: branch ?? null, landed: !open.has(name) },
      ...(kept !== undefined && { kept }),
    })),
  };
}
