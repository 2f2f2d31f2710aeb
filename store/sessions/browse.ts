// Sessions as a person reads them: lists, newest first, and one conversation a page at a time.
import { columnNumber, columnText, columnTextOrNull, type Database } from '../database/database.ts';
import { XzError } from '../errors.ts';
import { type Content, contentParser } from './message.ts';

export interface SessionSummary {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly agent: string;
  readonly parent: string | undefined;
  readonly messages: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A stored message; `content` is undefined when the row cannot be read as one. */
export interface StoredMessage {
  readonly id: number;
  readonly role: string;
  readonly content: Content | undefined;
  readonly createdAt: number;
  /** True when its turn was interrupted and rolled back: kept, and not sent to the model again. */
  readonly rolledBack: boolean;
}

/** One page of sessions, newest first: the lead's, or with `all` also teammates' and sub-agents'. A limit of 0 means all. */
export function browseSessions(
  db: Database,
  { all, limit, offset }: { readonly all: boolean; readonly limit: number; readonly offset: number },
): { readonly items: SessionSummary[]; readonly total: number } {
  const where = all ? '' : "where kind = 'lead'";
  const total = columnNumber(db.sql(`select count(*) as n from sessions ${where}`).get(), 'n');
  const rows = db
    .sql(
      `select s.*, (select count(*) from messages m where m.session_id = s.id) as messages
       from sessions s ${where} order by s.updated_at desc, s.rowid desc limit ? offset ?`,
    )
    .all(limit === 0 ? -1 : limit, offset);
  const items = rows.map((row) => ({
    id: columnText(row, 'id'),
    title: columnText(row, 'title'),
    kind: columnText(row, 'kind'),
    agent: columnText(row, 'agent'),
    parent: columnTextOrNull(row, 'parent'),
    messages: columnNumber(row, 'messages'),
    createdAt: columnNumber(row, 'created_at'),
    updatedAt: columnNumber(row, 'updated_at'),
  }));
  return { items, total };
}

/** Messages of a session in order, those of rolled-back turns too. A limit of 0 means all. */
export function browseMessages(
  db: Database,
  session: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): { readonly items: StoredMessage[]; readonly total: number } {
  const total = columnNumber(db.sql('select count(*) as n from messages where session_id = ?').get(session), 'n');
  const rows = db
    .sql(
      `select m.id, m.role, m.content, m.created_at, t.state from messages m join turns t on t.id = m.turn_id
       where m.session_id = ? order by m.id limit ? offset ?`,
    )
    .all(session, limit === 0 ? -1 : limit, offset);
  const items = rows.map((row) => ({
    id: columnNumber(row, 'id'),
    role: columnText(row, 'role'),
    content: readContent(columnText(row, 'content')),
    createdAt: columnNumber(row, 'created_at'),
    rolledBack: columnText(row, 'state') === 'rolled_back',
  }));
  return { items, total };
}

/** The content of a row, or undefined when it does not fit: one bad row must not hide all the others. */
export function readContent(json: string): Content | undefined {
  try {
    return contentParser.parseJson(json);
  } catch (error) {
    if (error instanceof XzError && error.code === 'bad_file') return undefined;
    throw error;
  }
}
