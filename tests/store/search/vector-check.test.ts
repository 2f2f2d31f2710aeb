// The check of vectors finds what is wrong with them, and what it says is mended by dropping and making them again.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashEmbedder } from '../../../store/search/hash-embedder.ts';
import { checkHistory, searchHistory } from '../../../store/search/history.ts';
import { checkVectors, completeVectors, dropBrokenVectors, scopesWithVectors } from '../../../store/search/vector-check.ts';
import { type TestDatabase, testDatabase } from '../../helpers/database.ts';

let at: TestDatabase;
beforeEach(async () => {
  at = testDatabase();
  at.talk('t', ['the walrus swims', 'a narwhal dives']);
  const comparing = { embedder: hashEmbedder(), weights: { semantic: 0.7, keyword: 0.3 }, now: 0 };
  await searchHistory(at.db, 'walrus', {}, { limit: 1, offset: 0 }, 'hybrid', comparing);
});
afterEach(() => at.db.close());

test('nothing is wrong with what a search made, and nothing is missed where none were made', () => {
  expect(checkVectors(at.db)).toEqual([]);
  expect(scopesWithVectors(at.db)).toEqual(['history']);
});

test.each([
  ['another width', 'update vectors set vector = zeroblob(3) where id = 1'],
  ['zeros', 'update vectors set vector = zeroblob(length(vector)) where id = 1'],
  ['all gone', 'delete from vectors'],
])('%s is found and mended', async (_name, harm) => {
  at.db.sql(harm).run();
  expect(checkVectors(at.db)).toMatchObject([{ level: 'broken', where: 'history vectors' }]);
  const scopes = scopesWithVectors(at.db);
  expect(dropBrokenVectors(at.db)).toEqual(['history']);
  expect(await completeVectors(at.db, scopes, hashEmbedder(), { now: 0 })).toBe(1);
  expect(checkVectors(at.db)).toEqual([]);
  expect(await completeVectors(at.db, scopes, hashEmbedder(), { now: 0 })).toBe(0);
});

test('a space that is not complete is a warning', () => {
  at.db.sql("insert into vector_spaces (scope, model, width, state, created_at) values ('history', 'm2', 8, 'building', 0)").run();
  expect(checkVectors(at.db)).toMatchObject([{ level: 'warning', what: expect.stringContaining('m2') }]);
});

test('full text that is damaged inside is a finding, not an error', () => {
  at.db.connection.unsafeMode(true);
  at.db.sql('delete from history_fts_data where id > 10').run();
  at.db.connection.unsafeMode(false);
  expect(checkHistory(at.db)).toMatchObject([{ level: 'broken', what: expect.stringContaining('cannot be read') }]);
});
