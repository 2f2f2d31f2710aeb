// Search over every message of every session. The full text is fed from the messages by a high-water mark, in the same
// transaction as the terms it covers: a crash leaves nothing unindexed for good, and appending stays as fast as it was.
// Rows of rolled-back turns stay findable: the person saw them happen.
import { columnNumber, columnNumberOrNull, columnText, type Database } from '../database/database.ts';
import type { Finding } from '../quarantine.ts';
import { readContent } from '../sessions/browse.ts';
import { type FtsTable, keywordMatch, type RowFilter, whatIsBroken } from './fts.ts';
import { searchedText } from './history-text.ts';
import { lendToNeighbours, type Ranked } from './rank.ts';
import { type Found, type PageRange, type Searchable, searchVectors, searchWords } from './search.ts';
import { indexTerms, partTerms, queryTerms, TERMS_VERSION } from './terms.ts';
import type { VectorSource } from './vectors.ts';
import { type Comparing, upToDate, type Way } from './ways.ts';

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

const BATCH = 500;
/** Characters of a message that are embedded. */
const EMBEDDED = 4_000;
const TABLE: FtsTable = { name: 'history_fts', weights: [1, 0.3], rows: 'messages' };

const history = (db: Database): Searchable => ({
  table: TABLE,
  vocabulary: 'history_vocabulary',
  source: historyVectors(db),
  vectorRows: { nearestId: 'cast(n.hash as integer)', nearestJoin: '', rowHas: 'v.hash = cast(r.id as text)' },
  textOf: (id) => textOf(db.sql('select content from messages where id = ?').get(id)),
  lend: (scores) => lendToNeighbours(scores, previousOf(db, scores.keys())),
});

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

/** Messages as a source of texts to embed. A message never changes, so its id stands for its content. */
export function historyVectors(db: Database): VectorSource {
  const after = (id: number, space: number, limit: number) =>
    db
      .sql(
        `select id, content from messages m
         where id > ? and not exists (select 1 from vectors v where v.space = ? and v.hash = cast(m.id as text)) order by id limit ?`,
      )
      .all(id, space, limit);
  return {
    scope: 'history',
    newest: () => columnNumberOrNull(db.sql('select max(id) as id from messages').get(), 'id') ?? 0,
    lacking(space, from, limit) {
      for (let at = from; ; ) {
        const rows = after(at, space, limit).map((row) => ({ id: columnNumber(row, 'id'), text: textOf(row) }));
        const last = rows.at(-1);
        const spoken = rows.filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
        if (last === undefined || spoken.length > 0)
          return spoken.map(({ id, text }) => ({ id, hash: String(id), text: text.slice(0, EMBEDDED) }));
        at = last.id;
      }
    },
    hashesInUse: 'select cast(id as text) from messages',
  };
}

/** One page of hits, after indexing what is new. `comparing` is needed for any way but `keyword`. */
export async function searchHistory(
  db: Database,
  query: string,
  filter: HistoryFilter,
  range: PageRange,
  way: Way = 'keyword',
  comparing?: Comparing,
): Promise<Found<HistoryHit>> {
  const behind = upToDate(() => catchUpHistory(db));
  const rows = rowFilter(filter);
  const found =
    way === 'keyword' || comparing === undefined
      ? searchWords(db, history(db), query, rows, range)
      : await searchVectors(db, history(db), query, rows, range, way, comparing);
  return { ...found, items: found.items.flatMap((hit) => hitOf(db, hit) ?? []), notice: behind ?? found.notice };
}

/** Rows of the index against the messages, its inner structure, and a probe: a message must be found by its own words. */
export function checkHistory(db: Database): Finding[] {
  const what = whatIsBroken(() => faultOf(db));
  return what === undefined ? [] : [{ level: 'broken', where: 'history index', what, fix: 'xz doctor --repair rebuilds it' }];
}

function faultOf(db: Database): string | undefined {
  db.sql("insert into history_fts (history_fts) values ('integrity-check')").run();
  const through = state(db)?.through ?? 0;
  const rows = columnNumber(db.sql('select count(*) as n from history_fts_docsize').get(), 'n');
  const messages = columnNumber(db.sql('select count(*) as n from messages where id <= ?').get(through), 'n');
  if (rows !== messages) return `it holds ${rows} of ${messages} messages`;
  for (const row of db.sql('select id, content from messages where id <= ? order by id desc limit 20').all(through)) {
    const terms = queryTerms(textOf(row).slice(0, 200)).slice(0, 3);
    if (terms.length === 0) continue;
    const id = columnNumber(row, 'id');
    const found = keywordMatch(db, TABLE, terms, { where: ['r.id = ?'], values: [id] });
    return found?.total === 1 ? undefined : `message ${id} is not found by its own words`;
  }
  return undefined;
}

/** For each message, the one before it in the same session. */
function previousOf(db: Database, ids: Iterable<number>): Map<number, number> {
  const statement = db.sql(
    'select max(id) as id from messages where session_id = (select session_id from messages where id = ?) and id < ?',
  );
  const previous = new Map<number, number>();
  for (const id of ids) {
    const before = columnNumberOrNull(statement.get(id, id), 'id');
    if (before !== undefined) previous.set(id, before);
  }
  return previous;
}

function hitOf(db: Database, { id, score }: Ranked): HistoryHit | undefined {
  const row = db.sql('select m.*, s.title from messages m join sessions s on s.id = m.session_id where m.id = ?').get(id);
  if (row === undefined) return undefined;
  return {
    session: columnText(row, 'session_id'),
    title: columnText(row, 'title'),
    message: id,
    role: columnText(row, 'role'),
    text: textOf(row),
    createdAt: columnNumber(row, 'created_at'),
    score,
  };
}

/** The searched text of a row that has a `content` column. */
function textOf(row: unknown): string {
  const content = row === undefined ? undefined : readContent(columnText(row, 'content'));
  return content === undefined ? '' : searchedText(content);
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
    const text = textOf(row);
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
