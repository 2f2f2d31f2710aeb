// `xz history search`: messages that hold the words asked for.
import { isoWithOffset, localDate, localTime } from '../../../store/clock.ts';
import { XzError } from '../../../store/errors.ts';
import { type HistoryHit, searchHistory } from '../../../store/search/history.ts';
import { snippetOf } from '../../../store/search/snippet.ts';
import { queryTerms } from '../../../store/search/terms.ts';
import { comparingOf, tellNotice, wayAsked } from '../../embedding.ts';
import { columnLines } from '../../print/columns.ts';
import { pageFrom, pageOffset, printPageLines, wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';
import { dayOption, openedDatabase, sessionNamed } from './open.ts';

export const runHistorySearch: RunCommand = async (app, call) => {
  const limit = wholeNumber(call, 'limit', 10);
  const number = wholeNumber(call, 'page', 1, 1);
  const from = dayOption(call, 'dateFrom');
  const to = dayOption(call, 'dateTo');
  if (from !== undefined && to !== undefined && to.end <= from.start)
    throw new XzError('bad_input', '--date-to is before --date-from', {
      hint: 'swap the two dates',
      data: { kind: 'reversed', from: '--date-from', to: '--date-to' },
    });
  const db = await openedDatabase(app);
  const given = call.options.session;
  const session = typeof given === 'string' ? sessionNamed(db, app, given).id : undefined;
  const query = call.args.query ?? '';
  const way = wayAsked(call, 'hybrid', 'keyword');
  const comparing = db === undefined || way === 'keyword' ? undefined : await comparingOf(app);
  const filter = { session, from: from?.start, until: to?.end };
  const range = { limit, offset: pageOffset(limit, number) };
  const found =
    db === undefined ? { items: [], total: 0, way, notice: undefined } : await searchHistory(db, query, filter, range, way, comparing);
  tellNotice(app, found.notice);
  const page = { ...pageFrom(found.items.map(shownHit), found.total, limit, number), way: found.way };
  const terms = queryTerms(query);
  printPageLines(app.print, app.text, page, () =>
    columnLines(
      app.print,
      app.text.history.searchColumns,
      found.items.map((hit) => {
        const { text, marks } = snippetOf(hit.text, terms);
        const when = `${localDate(hit.createdAt)} ${localTime(hit.createdAt).slice(0, 5)}`;
        return [{ text: hit.session }, { text: when }, { text: hit.role }, { text, marks }];
      }),
    ),
  );
  return 0;
};

function shownHit(hit: HistoryHit) {
  return {
    sessionId: hit.session,
    sessionTitle: hit.title,
    messageId: hit.message,
    role: hit.role,
    content: hit.text,
    timestamp: isoWithOffset(hit.createdAt),
    score: Number(hit.score.toFixed(4)),
  };
}
