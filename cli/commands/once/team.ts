// After the turn of `xz once`: wait until the team is idle, read what it hands in, and remind once of work that has not
// landed.

import type { Unlanded } from '../../../lead/team/landing.ts';
import type { TurnOutcome } from '../../../workers/agent/agent.ts';
import type { OpenedLead } from '../../open-lead.ts';
import type { Signals } from './signals.ts';

export interface TeamEnd {
  readonly outcome: TurnOutcome | undefined;
  /** Work that has not landed; undefined when the run had no team. */
  readonly landing: readonly Unlanded[] | undefined;
}

/** Lets the lead read what comes in until nothing is left to read and nobody works. */
export async function finishTeam(opened: OpenedLead, first: TurnOutcome | undefined, signals: Signals): Promise<TeamEnd> {
  const { lead, team } = opened;
  let outcome = first;
  if (!team.control.enabled()) {
    // Mail that somebody sent to the lead is read with the team off, too.
    if (outcome === undefined || outcome.stopReason === 'done') await Promise.race([lead.idle(), signals.arrived, opened.timeIsUp]);
    return { outcome: lead.lastOutcome() ?? outcome, landing: undefined };
  }
  let reminded = false;
  const goesOn = () => !signals.interrupted() && (outcome === undefined || outcome.stopReason === 'done');
  while (goesOn()) {
    // The lead takes its mail itself; a second reader here would miss the turn that is under way with it.
    await Promise.race([lead.idle(), signals.arrived, opened.timeIsUp]);
    outcome = lead.lastOutcome() ?? outcome;
    if (opened.isTimeUp()) return { outcome: cutShort(outcome, 'timeout'), landing: await team.unlanded() };
    if (!goesOn()) break;
    const open = await team.unlanded();
    const own = open.filter((one) => one.own);
    if (own.length === 0 || reminded) return { outcome, landing: open };
    reminded = true;
    const lines = own.map(({ name, branch }) => `${name} on ${branch}`);
    outcome = await lead.run({
      kind: 'note',
      text: `[Note from the harness] Everybody is idle, and work has not landed: ${lines.join(', ')}. Merge it, send it back, or say why it stays.`,
    });
  }
  const isCut = signals.interrupted() && (outcome === undefined || outcome.stopReason === 'done');
  return { outcome: isCut ? cutShort(outcome, 'interrupted') : outcome, landing: await team.unlanded() };
}

/** The run was stopped while the lead waited for its team. */
function cutShort(outcome: TurnOutcome | undefined, stopReason: 'timeout' | 'interrupted'): TurnOutcome {
  return { turn: outcome?.turn ?? 0, text: outcome?.text ?? '', stopReason };
}
