// Search over every message of every session. The full text is fed from the messages by a high-water mark, in the same
// transaction as the terms it covers: a crash leaves nothing unindexed for good, and appending stays as fast as it was.
// Rows of rolled-back turns stay findable: the person saw them happen.
import { columnNumber, columnNumberOrNull, columnText, type Database } from '../database/database.ts';
import type { Finding } from '../quarantine.ts';
import { readContent } from '../sessions/browse.ts';
import { type FtsTable, type KeywordMatch, keywordMatch, type RowFilter } from './fts.ts';
import { searchedText } from './history-text.ts';
import { inOrder, lendToNeighbours, type Ranked } from './rank.ts';
import { indexTerms, partTerms, queryTerms, TERMS_VERSION } from './terms.ts';

export interface HistoryFilter {
  readonly session?: string | undefined;
  /** Milliseconds since the epoch, inclusive. */
  readonly from?: number | undefined;
  /** Milliseconds since the epoch, exclusive. */
  readonly until?: number | undefined;
}

export interface HistoryHit {
  readonly session: string;
  readonly title: string;
  readonly message: number;
  readonly role: string;
  /** What is searched of the message. */
  readonly text: string;
  readonly createdAt: number;
  readonly score: number;
}

/** This many best hits are ranked with their neighbours; later pages follow in the order of bm25 alone. */
const RANKED = 500;
const BATCH = 500;
const TABLE: FtsTable = { name: 'history_fts', weights: [1, 0.3], rows: 'messages' };

/** Indexes messages that are not yet: all of them, or at most `limit`. Returns how many were indexed. */
export function catchUpHistory(db: Database, limit = Number.POSITIVE_INFINITY): number {
  let done = 0;
  while (done < limit && isBehind(db)) {
    const count = db.write(() => indexNext(db, Math.min(BATCH, limit - done)));
    if (count === 0) break;
    done += count;
  }
  return done;
}

/** Throws the index away and makes it again. Returns how many messages it holds. */
export function rebuildHistory(db: Database): number {
  db.write(() => reset(db));
  return catchUpHistory(db);
}

/** One page of hits, after indexing what is new. A limit of 0 means all. */
export function searchHistory(
  db: Database,
  query: string,
  filter: HistoryFilter,
  page: { readonly limit: number; readonly offset: number },
): { readonly items: HistoryHit[]; readonly total: number } {
  catchUpHistory(db);
  const match = keywordMatch(db, TABLE, queryTerms(query), rowFilter(filter));
  if (match === undefined) return { items: [], total: 0 };
  const items = keywordPage(db, match, page).flatMap((hit) => hitOf(db, hit) ?? []);
  return { items, total: match.total };
}

/** Rows of the index against the messages, and a probe: a stored message must be found by its own words. */
export function checkHistory(db: Database): Finding[] {
  const finding = (what: string): Finding => ({ level: 'broken', where: 'history index', what, fix: 'xz doctor --repair rebuilds it' });
  const through = state(db)?.through ?? 0;
  const rows = columnNumber(db.sql('select count(*) as n from history_fts_docsize').get(), 'n');
  const messages = columnNumber(db.sql('select count(*) as n from messages where id <= ?').get(through), 'n');
  if (rows !== messages) return [finding(`it holds ${rows} of ${messages} messages`)];
  const newest = db.sql('select id, content from messages where id <= ? order by id desc limit 20').all(through);
  for (const row of newest) {
    const content = readContent(columnText(row, 'content'));
    const terms = content === undefined ? [] : queryTerms(searchedText(content).slice(0, 200)).slice(0, 3);
    if (terms.length === 0) continue;
    const id = columnNumber(row, 'id');
    const found = keywordMatch(db, TABLE, terms, { where: ['r.id = ?'], values: [id] });
    return found?.total === 1 ? [] : [finding(`message ${id} is not found by its own words`)];
  }
  return [];
}

function keywordPage(db: Database, match: KeywordMatch, page: { readonly limit: number; readonly offset: number }): Ranked[] {
  const end = page.limit === 0 ? match.total : page.offset + page.limit;
  const ranked = rankedHead(db, match).slice(page.offset, end);
  // Beyond the ranked head the order is bm25's own; its first RANKED places are exactly the head, so nothing is shown twice.
  const rest = end > RANKED ? match.best(end - Math.max(RANKED, page.offset), Math.max(RANKED, page.offset)) : [];
  return [...ranked, ...rest];
}

function rankedHead(db: Database, match: KeywordMatch): Ranked[] {
  const scores = new Map(match.best(RANKED, 0).map(({ id, score }) => [id, score]));
  const previous = new Map(
    [...scores.keys()].flatMap((id) => {
      const before = previousOf(db, id);
      return before === undefined ? [] : [[id, before] as const];
    }),
  );
  return inOrder(lendToNeighbours(scores, previous));
}

/** The message before one in the same session. */
function previousOf(db: Database, id: number): number | undefined {
  const row = db
    .sql('select max(id) as id from messages where session_id = (select session_id from messages where id = ?) and id < ?')
    .get(id, id);
  return row === undefined || columnNumberOrNull(row, 'id') === undefined ? undefined : columnNumber(row, 'id');
}

function hitOf(db: Database, { id, score }: Ranked): HistoryHit | undefined {
  const row = db.sql('select m.*, s.title from messages m join sessions s on s.id = m.session_id where m.id = ?').get(id);
  if (row === undefined) return undefined;
  const content = readContent(columnText(row, 'content'));
  return {
    session: columnText(row, 'session_id'),
    title: columnText(row, 'title'),
    message: id,
    role: columnText(row, 'role'),
    text: content === undefined ? '' : searchedText(content),
    createdAt: columnNumber(row, 'created_at'),
    score,
  };
}

function rowFilter({ session, from, until }: HistoryFilter): RowFilter {
  const conditions: Array<readonly [string, string | number]> = [];
  if (session !== undefined) conditions.push(['r.session_id = ?', session]);
  if (from !== undefined) conditions.push(['r.created_at >= ?', from]);
  if (until !== undefined) conditions.push(['r.created_at < ?', until]);
  return { where: conditions.map(([where]) => where), values: conditions.map(([, value]) => value) };
}

function state(db: Database): { readonly version: number; readonly through: number } | undefined {
  const row = db.sql('select terms_version, through_message from history_state').get();
  return row === undefined ? undefined : { version: columnNumber(row, 'terms_version'), through: columnNumber(row, 'through_message') };
}

function isBehind(db: Database): boolean {
  const last = columnNumberOrNull(db.sql('select max(id) as id from messages').get(), 'id') ?? 0;
  const now = state(db);
  return now?.version !== TERMS_VERSION || now.through < last;
}

/** In a write transaction: indexes the next messages; terms and mark become visible together. */
function indexNext(db: Database, limit: number): number {
  const now = state(db);
  if (now?.version !== TERMS_VERSION) reset(db);
  const through = now?.version === TERMS_VERSION ? now.through : 0;
  const rows = db.sql('select id, content from messages where id > ? order by id limit ?').all(through, limit);
  for (const row of rows) {
    const content = readContent(columnText(row, 'content'));
    const text = content === undefined ? '' : searchedText(content);
    db.sql('insert into history_fts (rowid, words, parts) values (?, ?, ?)').run(
      columnNumber(row, 'id'),
      indexTerms(text),
      partTerms(text),
    );
  }
  const last = rows.at(-1);
  if (last !== undefined) db.sql('update history_state set through_message = ?').run(columnNumber(last, 'id'));
  return rows.length;
}

function reset(db: Database): void {
  db.sql("insert into history_fts (history_fts) values ('delete-all')").run();
  db.sql(
    'insert into history_state (id, terms_version, through_message) values (1, ?, 0) on conflict (id) do update set terms_version = excluded.terms_version, through_message = 0',
  ).run(TERMS_VERSION);
}
