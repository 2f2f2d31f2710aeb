// `xz history list`: sessions, newest first.
import { isoWithOffset, localDate, localTime } from '../../../store/clock.ts';
import { browseSessions, type SessionSummary } from '../../../store/sessions/browse.ts';
import { columnLines } from '../../print/columns.ts';
import { pageFrom, pageOffset, printPageLines, wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';
import { openedDatabase } from './open.ts';

export const runHistoryList: RunCommand = async (app, call) => {
  const limit = wholeNumber(call, 'limit', 10);
  const number = wholeNumber(call, 'page', 1, 1);
  const all = call.options.all === true;
  const db = await openedDatabase(app);
  const found = db === undefined ? { items: [], total: 0 } : browseSessions(db, { all, limit, offset: pageOffset(limit, number) });
  const page = pageFrom(
    found.items.map((session) => ({
      id: session.id,
      title: session.title,
      messages: session.messages,
      createdAt: isoWithOffset(session.createdAt),
      updatedAt: isoWithOffset(session.updatedAt),
      ...(all ? { kind: session.kind, agent: session.agent, ...(session.parent === undefined ? {} : { parent: session.parent }) } : {}),
    })),
    found.total,
    limit,
    number,
  );
  printPageLines(app.print, app.text, page, () =>
    columnLines(
      app.print,
      app.text.history.listColumns(all),
      found.items.map((item) => cells(item, all)),
    ),
  );
  return 0;
};

function cells(session: SessionSummary, all: boolean): Array<{ text: string }> {
  const when = `${localDate(session.updatedAt)} ${localTime(session.updatedAt).slice(0, 5)}`;
  const whose = all ? [session.parent === undefined ? session.agent : `${session.agent} < ${session.parent}`] : [];
  const title = session.title.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '');
  return [session.id, when, String(session.messages), ...whose, title].map((text) => ({ text }));
}
