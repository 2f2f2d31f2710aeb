// Search over messages: what is found, in which order, and that the index keeps up with crashes and changes.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { catchUpHistory, checkHistory, rebuildHistory, searchHistory } from '../../../store/search/history.ts';
import { assistantSays } from '../../helpers/assistant.ts';
import { type TestDatabase, testDatabase } from '../../helpers/database.ts';

let at: TestDatabase;
beforeEach(() => {
  at = testDatabase();
});
afterEach(() => at.db.close());

const ALL = { limit: 0, offset: 0 };
const texts = async (query: string, filter = {}) => (await searchHistory(at.db, query, filter, ALL)).items.map((hit) => hit.text);

test('finds what the person, the model and the tools said', async () => {
  const session = at.sessions.create({ kind: 'lead', agent: 'Lead', title: 'deploy' });
  const turn = at.sessions.openTurn(session.id);
  at.sessions.append(turn, { role: 'user', text: '修复了部署脚本的超时问题 XZ-42 done', background: 'recalled secret' });
  const call = at.sessions.append(turn, {
    ...assistantSays('running it'),
    parts: [
      { type: 'thinking', text: 'hidden reasoning' },
      { type: 'text', text: 'running it' },
      { type: 'call', id: 'c1', name: 'bash', arguments: { command: 'npm run migrate' } },
    ],
  });
  at.sessions.append(turn, {
    role: 'tool',
    callRow: call.id,
    callIndex: 0,
    callId: 'c1',
    name: 'bash',
    text: `segfault ${'x '.repeat(5000)} tail-word`,
    isError: true,
  });
  expect(await texts('部署')).toHaveLength(1);
  expect(await texts('XZ-42')).toHaveLength(1);
  expect(await texts('migrate')).toHaveLength(1);
  expect(await texts('segfault')).toHaveLength(1);
  expect(await texts('tail-word')).toEqual([]);
  expect(await texts('secret')).toEqual([]);
  expect(await texts('reasoning')).toEqual([]);
});

test('rows of an interrupted turn stay findable', async () => {
  const session = at.sessions.create({ kind: 'lead', agent: 'Lead', title: 't' });
  const turn = at.sessions.openTurn(session.id);
  at.sessions.append(turn, { role: 'user', text: 'rename the walrus module' });
  at.sessions.endTurn(turn.id, 'rolled_back', 'interrupted');
  expect(await texts('walrus')).toHaveLength(1);
});

test('filters by session and by time', async () => {
  const first = at.talk('one', ['apple pie', 'apple tart']);
  const middle = at.clock.now() + 1;
  at.clock.jump(middle);
  const second = at.talk('two', ['apple cake']);
  expect((await searchHistory(at.db, 'apple', { session: first }, ALL)).items.map((hit) => hit.session)).toEqual([first, first]);
  expect((await searchHistory(at.db, 'apple', { from: middle }, ALL)).items.map((hit) => hit.session)).toEqual([second]);
  expect((await searchHistory(at.db, 'apple', { until: middle }, ALL)).total).toBe(2);
});

test('pages never overlap and never lose a hit, with ties and beyond the ranked head', async () => {
  at.talk(
    'many',
    Array.from({ length: 703 }, (_, n) => (n % 3 === 0 ? 'same words here' : `same words here and ${n} more`)),
  );
  const seen: number[] = [];
  for (let page = 0; page * 100 < 703; page++) {
    const { items, total } = await searchHistory(at.db, 'same words', {}, { limit: 100, offset: page * 100 });
    expect(total).toBe(703);
    seen.push(...items.map((hit) => hit.message));
  }
  expect(new Set(seen).size).toBe(703);
  expect((await searchHistory(at.db, 'same words', {}, ALL)).items.map((hit) => hit.message)).toEqual(seen);
});

test('an answer is lifted by the question before it', async () => {
  at.talk('noise', ['the port is open', 'the port is closed', 'a port of call']);
  at.talk('talk', ['which port does the staging server use', 'port 8042']);
  expect((await texts('staging server port')).slice(0, 2)).toEqual(['which port does the staging server use', 'port 8042']);
});

test('catches up in pieces, after a crash between messages and index, and after a change of terms', async () => {
  at.talk('a', ['first zebra', 'second zebra', 'third zebra']);
  expect(catchUpHistory(at.db, 2)).toBe(2);
  at.talk('b', ['fourth zebra']);
  expect(await texts('zebra')).toHaveLength(4);
  expect(catchUpHistory(at.db)).toBe(0);
  at.db.sql('update history_state set terms_version = 0').run();
  expect(await texts('zebra')).toHaveLength(4);
  expect(rebuildHistory(at.db)).toBe(4);
});

test('a row that cannot be read hides no other', async () => {
  at.talk('a', ['good gnome', 'another gnome']);
  at.db.sql("update messages set content = '{' where id = 1").run();
  expect(await texts('gnome')).toEqual(['another gnome']);
});

test('the check finds a hole in the index, and a rebuild mends it', async () => {
  at.talk('a', ['one kiwi', 'two kiwi']);
  await texts('kiwi');
  expect(checkHistory(at.db)).toEqual([]);
  at.db.sql('delete from history_fts where rowid = 2').run();
  expect(checkHistory(at.db)[0]?.what).toBe('it holds 1 of 2 messages');
  at.db.sql("insert into history_fts (rowid, words, parts) values (2, 'other', '')").run();
  expect(checkHistory(at.db)[0]?.what).toBe('message 2 is not found by its own words');
  rebuildHistory(at.db);
  expect(checkHistory(at.db)).toEqual([]);
});
