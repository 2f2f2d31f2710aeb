// After the turn of `xz once`: wait until the team is idle, read what it hands in, and remind once of work that has not
// landed.
import type { TurnOutcome } from '../../../workers/agent/agent.ts';
import type { OpenedLead } from '../../open-lead.ts';
import type { Signals } from './signals.ts';

export interface TeamEnd {
  readonly outcome: TurnOutcome | undefined;
  /** Work that has not landed; undefined when the run had no team. */
  readonly landing: ReadonlyArray<{ readonly name: string; readonly branch: string; readonly task: string | undefined }> | undefined;
}

/** Runs mail turns until nothing is left to read and nobody works. */
export async function finishTeam(opened: OpenedLead, first: TurnOutcome | undefined, signals: Signals): Promise<TeamEnd> {
  const { lead, team } = opened;
  let outcome = first;
  if (!team.control.enabled()) return { outcome, landing: undefined };
  let reminded = false;
  const goesOn = () => !signals.interrupted() && (outcome === undefined || outcome.stopReason === 'done');
  while (goesOn()) {
    const mail = team.nextMail();
    if (mail !== undefined) {
      outcome = await lead.run(mail);
      continue;
    }
    if (team.busy()) {
      await Promise.race([team.changed(), signals.arrived, opened.timeIsUp]);
      if (opened.isTimeUp()) return { outcome: timedOut(outcome), landing: await team.unlanded() };
      continue;
    }
    const open = await team.unlanded();
    if (open.length === 0 || reminded) return { outcome, landing: open };
    reminded = true;
    const lines = open.map(({ name, branch }) => `${name} on ${branch}`);
    outcome = await lead.run({
      kind: 'note',
      text: `[Note from the harness] Everybody is idle, and work has not landed: ${lines.join(', ')}. Merge it, send it back, or say why it stays.`,
    });
  }
  return { outcome, landing: await team.unlanded() };
}

function timedOut(outcome: TurnOutcome | undefined): TurnOutcome {
  return { turn: outcome?.turn ?? 0, text: outcome?.text ?? '', stopReason: 'timeout' };
}
