// `xz memory search`: chunks of the memory files that answer a query, and where they stand.
import { pathExists } from '../../../store/files.ts';
import { refreshKnowledge } from '../../../store/search/knowledge.ts';
import { type KnowledgeHit, keywordKnowledge } from '../../../store/search/recall.ts';
import { snippetOf } from '../../../store/search/snippet.ts';
import { listSources } from '../../../store/search/sources.ts';
import { type QueryTerm, queryTerms } from '../../../store/search/terms.ts';
import type { App } from '../../compose.ts';
import { columnLines } from '../../print/columns.ts';
import { pageFrom, pageOffset, printPageLines, wholeNumber } from '../../print/page.ts';
import type { CommandCall, RunCommand } from '../../table/command.ts';
import { dayOption } from '../history/open.ts';

export const runMemorySearch: RunCommand = async (app, call) => {
  const limit = wholeNumber(call, 'limit', 10);
  const number = wholeNumber(call, 'page', 1, 1);
  dayOption(call, 'date', '--date');
  const terms = queryTerms(call.args.query ?? '');
  const found = await search(app, call, { limit, offset: pageOffset(limit, number) });
  const page = pageFrom(
    found.items.map((hit) => shownHit(hit, terms)),
    found.total,
    limit,
    number,
  );
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

async function search(app: App, call: CommandCall, range: { limit: number; offset: number }) {
  const layout = app.layout();
  // Nothing to search and nothing indexed: a query makes no database.
  if (!pathExists(layout.database) && listSources(layout).length === 0) return { items: [], total: 0 };
  const db = await app.database();
  for (const problem of refreshKnowledge(db, layout, app.clock.now()).problems) app.print.warn(`xz: ${problem.where}: ${problem.what}`);
  const { date, tag } = call.options;
  const filter = { day: typeof date === 'string' ? date : undefined, tag: typeof tag === 'string' ? tag : undefined };
  return keywordKnowledge(db, call.args.query ?? '', filter, range);
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
