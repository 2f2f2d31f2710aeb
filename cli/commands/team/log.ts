// `xz team log`: everything that happened in the team, oldest first.
import { isoWithOffset, localDate, localTime } from '../../../store/clock.ts';
import { pathExists } from '../../../store/files.ts';
import { openTeamEvents } from '../../../store/team/events.ts';
import { pageOf, printPage, wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';

export const runTeamLog: RunCommand = async (app, call) => {
  const limit = wholeNumber(call, 'limit', 0);
  const page = wholeNumber(call, 'page', 1, 1);
  const events = pathExists(app.layout().database) ? openTeamEvents(await app.database(), app.clock).list() : [];
  const items = events.map(({ at, ...event }) => ({ ...event, at: isoWithOffset(at) }));
  printPage(app.print, app.text, pageOf(items, limit, page), ({ at, kind, agent, text }) => {
    const ms = Date.parse(at);
    return `${localDate(ms)} ${localTime(ms)}  ${kind.padEnd(7)}  ${agent.padEnd(8)}  ${text}`;
  });
  return 0;
};
