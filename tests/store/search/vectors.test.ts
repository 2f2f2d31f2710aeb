// Vectors over time: made once for a text, rebuilt beside when model or width change, never mixed, and never in the way
// of a search by words.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { columnNumber } from '../../../store/database/database.ts';
import type { Layout } from '../../../store/layout.ts';
import type { Embedder } from '../../../store/search/embedder.ts';
import { hashEmbedder } from '../../../store/search/hash-embedder.ts';
import { searchHistory } from '../../../store/search/history.ts';
import { refreshKnowledge } from '../../../store/search/knowledge.ts';
import { searchKnowledge } from '../../../store/search/recall.ts';
import { vecOf } from '../../../store/search/vec.ts';
import type { Comparing, Way } from '../../../store/search/ways.ts';
import { type TestDatabase, testDatabase } from '../../helpers/database.ts';
import { testLayout } from '../../helpers/layout.ts';
import { embeddings } from '../../helpers/model-reply.ts';
import { tempWorkspace, type Workspace } from '../../helpers/temp.ts';

let at: TestDatabase;
let ws: Workspace;
let layout: Layout;
beforeEach(() => {
  at = testDatabase();
  const topics = ['the walrus swims', 'a narwhal dives', 'parsers read commas', 'printers write pages'];
  ws = tempWorkspace({ git: false, files: { '.MEMORY/work.md': topics.map((text, n) => `## topic ${n}\n\n${text}\n`).join('\n') } });
  layout = testLayout(ws.dir);
  refreshKnowledge(at.db, layout, Date.now() + 60_000);
});
afterEach(() => at.db.close());

interface Stub extends Embedder {
  /** Texts embedded so far. */
  readonly asked: string[];
  answer: (texts: readonly string[]) => readonly Float32Array[];
}

/** A real bag-of-words model of any width, whose answers a test may spoil. */
function stub(model: string, width: number, perSearch?: number): Stub {
  const right = (texts: readonly string[]) => embeddings(texts, width).map((vector) => Float32Array.from(vector));
  const made: Stub = {
    model,
    width: undefined,
    floor: 0.2,
    strong: 1,
    batch: 2,
    perSearch,
    asked: [],
    answer: right,
    async documents(texts) {
      made.asked.push(...texts);
      return made.answer(texts);
    },
    query: async (text) => right([text])[0],
  };
  return made;
}

const compare = (embedder: Embedder): Comparing => ({ embedder, weights: { semantic: 0.7, keyword: 0.3 }, now: at.clock.now() });
const search = (query: string, embedder: Embedder, way: Way = 'semantic') =>
  searchKnowledge(at.db, query, {}, { limit: 0, offset: 0 }, way, compare(embedder));
const spaces = () =>
  at.db
    .sql('select model, width, state, (select count(*) from vectors v where v.space = s.id) as n from vector_spaces s order by id')
    .all();

test('texts are embedded once, by content; a changed file embeds only its new chunks', async () => {
  const embedder = stub('m', 64);
  const first = await search('walrus', embedder);
  expect([first.way, first.notice, first.items[0]?.body]).toEqual(['semantic', undefined, '## topic 0\n\nthe walrus swims']);
  expect(embedder.asked).toHaveLength(4);
  await search('narwhal', embedder);
  expect(embedder.asked).toHaveLength(4);
  ws.write('.MEMORY/work.md', `${ws.read('.MEMORY/work.md')}\n## topic 9\n\nlizards sleep\n`);
  refreshKnowledge(at.db, layout, Date.now() + 60_000);
  expect((await search('lizards', embedder)).items[0]?.body).toContain('lizards');
  expect(embedder.asked).toHaveLength(5);
  expect(spaces()).toEqual([{ model: 'm', width: 64, state: 'active', n: 5 }]);
});

test('another model or width is built beside, answers when complete, and is never mixed with the old one', async () => {
  await search('walrus', stub('m', 4));
  const slow = stub('m', 8, 2);
  const during = await search('walrus', slow);
  expect([during.way, during.notice?.code]).toEqual(['keyword', 'vectors_building']);
  expect(during.items).toHaveLength(1);
  expect(spaces()).toEqual([
    { model: 'm', width: 4, state: 'active', n: 4 },
    { model: 'm', width: 8, state: 'building', n: 2 },
  ]);
  await search('walrus', slow);
  const after = await search('walrus', slow);
  expect([after.way, after.notice]).toEqual(['semantic', undefined]);
  expect(spaces()).toEqual([{ model: 'm', width: 8, state: 'active', n: 4 }]);
});

test.each<readonly [string, (texts: readonly string[]) => readonly Float32Array[]]>([
  ['NaN', (texts) => texts.map(() => Float32Array.of(Number.NaN, 1))],
  ['zero', (texts) => texts.map(() => new Float32Array(2))],
  ['nothing', () => []],
  ['too few', (texts) => texts.slice(1).map(() => Float32Array.of(1, 0))],
  ['another width', (texts) => texts.map(() => Float32Array.of(1, 0, 0))],
])('a model that answers %s leaves the old vectors and a search by words that says so', async (_name, answer) => {
  await search('walrus', stub('old', 16));
  const bad = stub('new', 2);
  bad.answer = answer;
  const found = await search('walrus', bad, 'hybrid');
  expect([found.way, found.notice?.code]).toEqual(['keyword', 'embedding_failed']);
  expect(found.items).toHaveLength(1);
  expect(spaces()[0]).toEqual({ model: 'old', width: 16, state: 'active', n: 4 });
  expect((await search('walrus', stub('old', 16))).way).toBe('semantic');
});

test('with a server that fails later, what has a vector is still compared and new text is found by its words', async () => {
  const embedder = stub('m', 64);
  await search('walrus', embedder);
  ws.write('.MEMORY/long.md', '## new\n\nlizards sleep\n');
  refreshKnowledge(at.db, layout, Date.now() + 60_000);
  embedder.answer = () => [];
  const found = await search('lizards walrus', embedder, 'hybrid');
  expect(found.notice?.code).toBe('embedding_failed');
  expect(found.items.map((hit) => hit.file).sort()).toEqual(['.MEMORY/long.md', '.MEMORY/work.md']);
});

test('hybrid finds misspelt words and nothing for nonsense, and pages are stable', async () => {
  const found = await search('narwhals divess', hashEmbedder(), 'hybrid');
  expect(found.items[0]?.body).toContain('narwhal');
  expect((await search('walruss', hashEmbedder(), 'hybrid')).items[0]?.body).toContain('walrus');
  for (const nonsense of ['xyzzy plugh', '龘靐', 'qqqqqq', '✅', '']) {
    for (const way of ['semantic', 'hybrid'] as const) expect((await search(nonsense, hashEmbedder(), way)).total, nonsense).toBe(0);
  }
  const all = (await search('the topic', hashEmbedder(), 'hybrid')).items.map((hit) => hit.lineStart);
  const paged: number[] = [];
  for (let offset = 0; offset < all.length; offset++) {
    const page = await searchKnowledge(at.db, 'the topic', {}, { limit: 1, offset }, 'hybrid', compare(hashEmbedder()));
    paged.push(...page.items.map((hit) => hit.lineStart));
  }
  expect(paged).toEqual(all);
});

test('a text that no model can embed stays without a vector and holds up no other', async () => {
  const embedder = stub('m', 16);
  const right = embedder.answer;
  embedder.answer = (texts) => right(texts).map((vector, n) => (texts[n]?.includes('narwhal') ? vector.map(() => 0) : vector));
  const found = await search('walrus', embedder);
  expect([found.way, found.notice]).toEqual(['semantic', undefined]);
  expect(spaces()).toEqual([{ model: 'm', width: 16, state: 'active', n: 3 }]);
  expect((await search('narwhal', embedder, 'hybrid')).items[0]?.body).toContain('narwhal');
});

test('messages get vectors at the first search that compares them, filters included', async () => {
  const first = at.talk('one', ['the walrus swims', '✅']);
  at.talk('two', ['a walrus dives']);
  await searchHistory(at.db, 'walrus', {}, { limit: 0, offset: 0 });
  expect(spaces()).toEqual([]);
  const found = await searchHistory(at.db, 'walrus', { session: first }, { limit: 0, offset: 0 }, 'hybrid', compare(stub('m', 32)));
  expect([found.way, found.items.map((hit) => hit.text)]).toEqual(['hybrid', ['the walrus swims']]);
  expect(columnNumber(at.db.sql('select count(*) as n from vectors').get(), 'n')).toBe(2);
});

test('without sqlite-vec, or with one that registers nothing, words still answer and say so', async () => {
  for (const load of [
    () => {
      throw new Error('no such module');
    },
    () => undefined,
  ]) {
    const other = testDatabase();
    other.talk('t', ['the walrus swims']);
    expect(vecOf(other.db, load).why).toMatch(/no such (module|function)/);
    const found = await searchHistory(other.db, 'walrus', {}, { limit: 0, offset: 0 }, 'hybrid', compare(hashEmbedder()));
    expect([found.way, found.notice?.code, found.total]).toEqual(['keyword', 'no_vector_extension', 1]);
    other.db.close();
  }
});
