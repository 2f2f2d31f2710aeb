// The watch indexes what people and agents write while a process lives, folders made later included.
import { afterEach, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../store/clock.ts';
import { columnNumber } from '../../../store/database/database.ts';
import { type IndexWatch, watchIndexes } from '../../../store/search/watch.ts';
import { type TestDatabase, testDatabase } from '../../helpers/database.ts';
import { testLayout } from '../../helpers/layout.ts';
import { tempWorkspace } from '../../helpers/temp.ts';
import { until } from '../../helpers/until.ts';

/** The slow poll for what no event tells need not be slow here. */
const clock: Clock = { now: systemClock.now, after: (ms, fn) => systemClock.after(Math.min(ms, 200), fn) };

let at: TestDatabase;
let watching: IndexWatch | undefined;
afterEach(async () => {
  await watching?.stop();
  at.db.close();
});

test('a file that is written, changed or made in a new folder is indexed, and so are messages', async () => {
  at = testDatabase();
  const ws = tempWorkspace({ git: false, files: { '.MEMORY/work.md': 'first\n' } });
  const changed: string[] = [];
  watching = watchIndexes({ db: at.db, layout: testLayout(ws.dir), clock, onRefresh: (names) => changed.push(...names) });
  await until(() => changed.includes('.MEMORY/work.md'), 'the first refresh');
  ws.write('.MEMORY/long.md', 'second\n');
  await until(() => changed.includes('.MEMORY/long.md'), 'a new file');
  ws.write('.agents/memory/2026-03-03.md', 'third\n');
  at.talk('t', ['a walrus']);
  await until(() => changed.includes('memory/2026-03-03.md'), 'a file in a new folder');
  await until(() => columnNumber(at.db.sql('select count(*) as n from history_fts_docsize').get(), 'n') === 1, 'the message');
  expect(changed).toHaveLength(3);
});
