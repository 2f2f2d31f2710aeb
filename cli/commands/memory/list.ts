// `xz memory list`: the files search looks into, or the log of one day.
import { isoWithOffset, localDate, localTime } from '../../../store/clock.ts';
import { linesOf } from '../../../store/search/blocks.ts';
import { inspectSource, listSources, readSource, type Source } from '../../../store/search/sources.ts';
import { columnLines } from '../../print/columns.ts';
import { pageOf, printPageLines, wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';
import { dayOption } from '../history/open.ts';

export const runMemoryList: RunCommand = async (app, call) => {
  const limit = wholeNumber(call, 'limit', 10);
  const number = wholeNumber(call, 'page', 1, 1);
  const day = dayOption(call, 'date') === undefined ? undefined : call.options.date;
  const all = listSources(app.layout()).filter((source) => day === undefined || source.day === day);
  // What is curated first, then the logs, newest first: that is what a first page should show.
  const sources = [...all.filter((source) => source.day === undefined), ...all.filter((source) => source.day !== undefined).reverse()];
  const page = pageOf(sources.flatMap(shownSource), limit, number);
  printPageLines(app.print, app.text, page, () =>
    columnLines(
      app.print,
      app.text.memory.listColumns,
      page.items.map(({ file, lines, updatedAt, title }) => {
        const at = Date.parse(updatedAt);
        return [file, String(lines), `${localDate(at)} ${localTime(at).slice(0, 5)}`, title].map((text) => ({ text }));
      }),
    ),
  );
  return 0;
};

function shownSource(source: Source) {
  const state = inspectSource(source);
  const read = readSource(source);
  if (state.kind !== 'file' || read.why !== undefined) return [];
  const lines = linesOf(read.text);
  const title = lines.find((line) => /^#{1,6}\s/.test(line))?.replace(/^#+\s+/, '') ?? '';
  return [
    {
      file: source.name,
      ...(source.day === undefined ? {} : { date: source.day }),
      lines: lines.length,
      bytes: state.stats.size,
      updatedAt: isoWithOffset(state.stats.mtimeMs),
      title: title.trim(),
    },
  ];
}
