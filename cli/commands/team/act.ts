// `xz team merge` and `xz team release`: what the lead's tools do, by hand. Refused while another process leads the team.

import { createEvents } from '../../../lead/events-hub.ts';
import { openInbox } from '../../../lead/inbox.ts';
import type { Team } from '../../../lead/team/team.ts';
import { openRoster } from '../../../mailbox/roster.ts';
import { LEAD } from '../../../mailbox/senders.ts';
import { XzError } from '../../../store/errors.ts';
import type { App } from '../../compose.ts';
import { openParts } from '../../open-parts.ts';
import { openTeam } from '../../open-team.ts';
import { printFinding } from '../../print/finding.ts';
import { inWords, printNotice } from '../../print/notice.ts';
import type { RunCommand } from '../../table/command.ts';

export const runTeamMerge: RunCommand = (app, call) => act(app, call.args.name ?? '', (team, name) => team.mergeNow(name));
export const runTeamRelease: RunCommand = (app, call) =>
  act(app, call.args.name ?? '', async (team, name) => ({ landed: true, text: await team.control.release(name) }));

async function act(
  app: App,
  name: string,
  what: (team: Team, name: string) => Promise<{ readonly landed: boolean; readonly text: string }>,
): Promise<number> {
  const { print, text } = app;
  const layout = app.layout();
  const roster = openRoster({ layout, clock: app.clock, report: (finding) => printFinding(print, text, finding) });
  if (roster.read(name) === undefined || name === LEAD) {
    const names = roster.list().filter((entry) => entry.name !== LEAD);
    throw new XzError('not_found', text.team.noTeammate(name), {
      hint: names.length > 0 ? text.team.known(names.map((entry) => entry.name).join(', ')) : text.team.nobody,
    });
  }
  const config = await app.config();
  const events = createEvents();
  events.listen((event) => {
    if (event.type === 'notice') printNotice(print, text, inWords(text, event));
  });
  const parts = await openParts(app, config.permissions.mode, events.emit);
  const team = await openTeam(app, parts, {
    emit: events.emit,
    inbox: openInbox({ clock: app.clock, emit: events.emit, attended: false }),
    attended: false,
    session: () => roster.read(LEAD)?.session ?? '',
    mode: () => config.permissions.mode,
    outOfBudget: () => false,
  });
  const held = team.lead();
  if (!held.ok) throw new XzError('refused', text.team.held(held.holder), { hint: text.team.heldHint });
  try {
    const { landed, text: told } = await what(team, name);
    if (print.json) print.value({ name, ok: landed, text: told });
    else print.line(text.errors.told(told));
    return landed ? 0 : 1;
  } finally {
    await team.close();
  }
}
