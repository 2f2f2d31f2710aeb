// Search at size: 100,000 messages and 10,000 chunks in one real database. How long an index takes to make and how large
// it is, what one changed file costs, and how long a query waits, with no model called.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { columnNumber, type Database, openDatabase } from '../../store/database/database.ts';
import { ensureFolder, writeFileAtomic } from '../../store/files.ts';
import { homeLayout, type Layout, layoutOf } from '../../store/layout.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { hashEmbedder } from '../../store/search/hash-embedder.ts';
import { catchUpHistory, searchHistory } from '../../store/search/history.ts';
import { refreshKnowledge } from '../../store/search/knowledge.ts';
import { searchKnowledge } from '../../store/search/recall.ts';
import type { Comparing } from '../../store/search/ways.ts';
import { openSessions } from '../../store/sessions/sessions.ts';
import { assistantSays } from '../helpers/assistant.ts';
import { writer } from './words.ts';

export interface SearchRow {
  readonly what: string;
  readonly value: number;
  readonly unit: 'ms' | 's' | 'MB' | 'rows';
  /** What `value` stands beside, from the same run. */
  readonly yardstick?: number;
  /** The figure of the design, where there is one. */
  readonly atMost?: number;
}

export interface SearchSizes {
  readonly messages: number;
  readonly chunks: number;
  /** Queries of each kind. */
  readonly queries: number;
}

const SIZES: SearchSizes = { messages: 100_000, chunks: 10_000, queries: 200 };
const FIRST = { limit: 10, offset: 0 };

/** Measures in `folder`, which it fills; rows in the order they were measured. */
export async function measureSearch(folder: string, sizes: SearchSizes = SIZES): Promise<SearchRow[]> {
  const layout = layoutOf(join(folder, 'bench-search'), homeLayout({ XZ_HOME: join(folder, 'bench-home') }));
  ensureFolder(layout.data);
  const db = openDatabase(layout.database, storeSchemas);
  try {
    return [...(await historyRows(db, sizes)), ...(await knowledgeRows(db, layout, sizes))];
  } finally {
    db.close();
  }
}

async function historyRows(db: Database, { messages, queries }: SearchSizes): Promise<SearchRow[]> {
  const { sentence, query } = writer(7);
  const sessions = openSessions(db, { now: Date.now, after: () => () => undefined });
  const texts: string[] = [];
  for (let done = 0; done < messages; done += 1_000) {
    db.write(() => {
      const session = sessions.create({ kind: 'lead', agent: 'Lead', title: 'bench' });
      const turn = sessions.openTurn(session.id);
      for (let n = 0; n < Math.min(1_000, messages - done); n++) {
        const text = sentence(12 + (n % 40));
        texts.push(text);
        sessions.append(turn, n % 2 === 0 ? { role: 'user', text } : assistantSays(text));
      }
      sessions.endTurn(turn.id, 'done', 'done');
    });
  }
  const before = sizeOf(db);
  const built = await time(async () => catchUpHistory(db));
  const asked = Array.from({ length: queries }, query);
  const size = sizeOf(db) - before;
  const plain = plainFullText(db, texts);
  const waits: number[] = [];
  const bare: number[] = [];
  for (const text of asked) {
    bare.push(await time(async () => plain(text)));
    waits.push(await time(() => searchHistory(db, text, {}, FIRST)));
  }
  const turn = sessions.openTurn(sessions.create({ kind: 'lead', agent: 'Lead', title: 'bench' }).id);
  const appended = await each(200, async () => sessions.append(turn, { role: 'user', text: sentence(20) }));
  const caughtUp = await time(async () => catchUpHistory(db));
  return [
    { what: `history: full text of ${messages} messages`, value: built / 1000, unit: 's' },
    { what: 'history: size of the full text', value: size, unit: 'MB' },
    { what: 'history search, p50, against plain FTS5', value: percentile(waits, 0.5), unit: 'ms', yardstick: percentile(bare, 0.5) },
    {
      what: 'history search, p95, against plain FTS5',
      value: percentile(waits, 0.95),
      unit: 'ms',
      yardstick: percentile(bare, 0.95),
      atMost: 50,
    },
    { what: 'append of a message, p50', value: percentile(appended, 0.5), unit: 'ms' },
    { what: 'indexing 200 new messages', value: caughtUp, unit: 'ms' },
  ];
}

/** The yardstick: SQLite's own tokenizer over the same texts, any of the query's words, best ten by bm25. It finds no part of a Chinese run. */
function plainFullText(db: Database, texts: readonly string[]): (query: string) => void {
  db.write(() => {
    db.connection.exec('create virtual table bench_plain using fts5(text)');
    const insert = db.connection.prepare('insert into bench_plain(text) values (?)');
    for (const text of texts) insert.run(text);
  });
  const found = db.connection.prepare(
    "select rowid, snippet(bench_plain, 0, '', '', '…', 16) from bench_plain where text match ? order by rank limit 10",
  );
  return (query) =>
    void found.all(
      query
        .split(' ')
        .map((word) => `"${word}"`)
        .join(' '),
    );
}

async function knowledgeRows(db: Database, layout: Layout, { chunks, queries }: SearchSizes): Promise<SearchRow[]> {
  const { sentence, query } = writer(11);
  const comparing: Comparing = { embedder: hashEmbedder(), weights: { semantic: 0.7, keyword: 0.3 }, now: Date.now() };
  const file = (n: number) => join(layout.agents, 'memory', `notes-${n}.md`);
  const section = (n: number) => `## topic ${n}\n\n${sentence(120)}\n`;
  ensureFolder(layout.dailyLogs);
  for (let n = 0; n * 100 < chunks; n++)
    writeFileAtomic(file(n), Array.from({ length: 100 }, (_, at) => section(at)).join('\n'), { volatile: true });
  const later = Date.now() + 60_000;
  const before = sizeOf(db);
  const built = await time(async () => refreshKnowledge(db, layout, later));
  const words = sizeOf(db);
  const search = (way: 'keyword' | 'hybrid') => searchKnowledge(db, query(), {}, FIRST, way, comparing);
  const embedded = await time(() => search('hybrid'));
  const vectors = sizeOf(db);
  const keyword = await each(queries, () => search('keyword'));
  const hybrid = await each(queries, () => search('hybrid'));
  const unchanged = await each(20, async () => refreshKnowledge(db, layout, later));
  writeFileAtomic(file(0), Array.from({ length: 100 }, (_, at) => section(at)).join('\n'), { volatile: true });
  const changed = await time(async () => refreshKnowledge(db, layout, later));
  return [
    { what: 'knowledge: chunks', value: columnNumber(db.sql('select count(*) as n from knowledge_chunks').get(), 'n'), unit: 'rows' },
    { what: 'knowledge: full text built', value: built / 1000, unit: 's' },
    { what: 'knowledge: its size', value: words - before, unit: 'MB' },
    { what: 'knowledge: vectors built', value: embedded / 1000, unit: 's' },
    { what: 'knowledge: their size', value: vectors - words, unit: 'MB' },
    { what: 'keyword recall, p95', value: percentile(keyword, 0.95), unit: 'ms' },
    { what: 'hybrid recall, p50', value: percentile(hybrid, 0.5), unit: 'ms' },
    { what: 'hybrid recall, p95', value: percentile(hybrid, 0.95), unit: 'ms', atMost: 60 },
    { what: 'refresh with nothing changed, p95', value: percentile(unchanged, 0.95), unit: 'ms' },
    { what: 'refresh with one of the files changed', value: changed, unit: 'ms' },
  ];
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function each(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) times.push(await time(work));
  return times;
}

function percentile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Size of the database file in MB, after its log was written back. */
function sizeOf(db: Database): number {
  db.connection.pragma('wal_checkpoint(TRUNCATE)');
  return statSync(db.path).size / 1024 / 1024;
}
