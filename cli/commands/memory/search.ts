// `xz memory search`: chunks of the memory files that answer a query, and where they stand.
import { pathExists } from '../../../store/files.ts';
import { refreshKnowledge } from '../../../store/search/knowledge.ts';
import { type KnowledgeHit, searchKnowledge } from '../../../store/search/recall.ts';
import type { Found, PageRange } from '../../../store/search/search.ts';
import { snippetOf } from '../../../store/search/snippet.ts';
import { listSources } from '../../../store/search/sources.ts';
import { type QueryTerm, queryTerms } from '../../../store/search/terms.ts';
import { upToDate, type Way } from '../../../store/search/ways.ts';
import type { App } from '../../compose.ts';
import { comparingOf, tellNotice, wayAsked } from '../../embedding.ts';
import { columnLines } from '../../print/columns.ts';
import { pageFrom, pageOffset, printPageLines, wholeNumber } from '../../print/page.ts';
import type { CommandCall, RunCommand } from '../../table/command.ts';
import { dayOption } from '../history/open.ts';

export const runMemorySearch: RunCommand = async (app, call) => {
  const limit = wholeNumber(call, 'limit', 10);
  const number = wholeNumber(call, 'page', 1, 1);
  dayOption(call, 'date');
  const terms = queryTerms(call.args.query ?? '');
  const found = await search(app, call, { limit, offset: pageOffset(limit, number) });
  const items = found.items.map((hit) => shownHit(hit, terms));
  const page = { ...pageFrom(items, found.total, limit, number), way: found.way };
  printPageLines(app.print, app.text, page, () =>
    columnLines(
      app.print,
      app.text.memory.searchColumns,
      found.items.map((hit) => {
        const { text, marks } = snippetOf(hit.body, terms);
        return [{ text: hit.file }, { text: `${hit.lineStart}-${hit.lineEnd}` }, { text: hit.score.toFixed(3) }, { text, marks }];
      }),
    ),
  );
  return 0;
};

async function search(app: App, call: CommandCall, range: PageRange): Promise<Found<KnowledgeHit>> {
  const layout = app.layout();
  const asked = wayAsked(call, 'semantic', 'hybrid');
  // Nothing to search and nothing indexed: a query makes no database.
  if (!pathExists(layout.database) && listSources(layout).length === 0) return { items: [], total: 0, way: asked, notice: undefined };
  const db = await app.database();
  const behind = upToDate(() => {
    for (const { where, what } of refreshKnowledge(db, layout, app.clock.now()).problems)
      app.print.warn(`xz: ${where}: ${app.text.errors.told(what)}`);
  });
  tellNotice(app, behind);
  const { date, tag } = call.options;
  const filter = { day: typeof date === 'string' ? date : undefined, tag: typeof tag === 'string' ? tag : undefined };
  const way = await settledWay(app, call, asked);
  const comparing = way === 'keyword' ? undefined : await comparingOf(app);
  const found = await searchKnowledge(db, call.args.query ?? '', filter, range, way, comparing);
  tellNotice(app, found.notice);
  return found;
}

/** Without an option, the settings may switch vectors off. */
async function settledWay(app: App, call: CommandCall, asked: Way): Promise<Way> {
  if (call.options.keyword === true || call.options.semantic === true) return asked;
  return (await app.config()).memory.hybridSearch ? asked : 'keyword';
}

function shownHit(hit: KnowledgeHit, terms: readonly QueryTerm[]) {
  return {
    file: hit.file,
    lineStart: hit.lineStart,
    lineEnd: hit.lineEnd,
    snippet: snippetOf(hit.body, terms).text,
    score: Number(hit.score.toFixed(4)),
  };
}
