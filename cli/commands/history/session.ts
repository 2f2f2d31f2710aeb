// `xz history session ID`: one conversation, a stretch at a time.
import { localDate, localTime } from '../../../store/clock.ts';
import { browseMessages, type StoredMessage } from '../../../store/sessions/browse.ts';
import { wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';
import { callLine, shownMessage } from './message.ts';
import { openedDatabase, sessionNamed } from './open.ts';

export const runHistorySession: RunCommand = async (app, call) => {
  const limit = wholeNumber(call, 'limit', 20);
  const offset = wholeNumber(call, 'offset', 0);
  const db = await openedDatabase(app);
  const { id, title } = sessionNamed(db, app, call.args.id ?? '');
  const { items, total } = db === undefined ? { items: [], total: 0 } : browseMessages(db, id, { limit, offset });
  if (app.print.json) {
    app.print.value({ id, title, items: items.map(shownMessage), offset, limit, total });
    return 0;
  }
  app.print.line(app.text.history.sessionTitle(title.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '')));
  let day = '';
  for (const message of items) {
    const date = localDate(message.createdAt);
    if (date !== day) app.print.line(`— ${(day = date)} —`);
    for (const line of linesOf(message, app.text.history.rolledBack)) app.print.line(line);
  }
  const next = offset + items.length;
  if (items.length > 0 && next < total) app.print.line(app.text.history.nextOffset(next));
  return 0;
};

function linesOf(message: StoredMessage, rolledBack: string): string[] {
  const shown = shownMessage(message);
  const who = shown.name === undefined ? shown.role : `${shown.role} ${shown.name}${shown.isError === true ? ' ✗' : ''}`;
  const mark = shown.rolledBack === true ? ` (${rolledBack})` : '';
  const calls = (shown.toolCalls ?? []).map((call) => `  ⚙ ${callLine(call)}`);
  return [`${localTime(message.createdAt).slice(0, 5)} ${who}${mark}: ${shown.content}`, ...calls];
}
