// Who changed which file of the main folder last, and whose commands run in it: rows that every thread and process of
// the team reads. Only a record; what is refused because of it is decided where files are written.
import type { Clock } from '../clock.ts';
import { columnNumber, columnText, type Database } from '../database/database.ts';

export interface FileChange {
  /** Relative to the main folder, links resolved, `/`-separated. */
  readonly path: string;
  readonly agent: string;
  /** The session of that agent: names may come again. */
  readonly session: string;
  /** Of the bytes it left. */
  readonly hash: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface SharedFilesRecord {
  lastChange(path: string): FileChange | undefined;
  /** The files that a session changed last, sorted. */
  heldBy(session: string): string[];
  note(change: Omit<FileChange, 'at'>): void;
  /** A command of a session begins; the number ends it. */
  beginCommand(session: string): number;
  /** True when a command of another session ran at any time while this one did. */
  endCommand(command: number): boolean;
  /** A thread or process has died: commands of that session, or all, run no more. */
  endCommands(session?: string): void;
  /** Forgets a session that is gone, or all of them. */
  forget(session?: string): void;
}

/** Commands that ended longer ago are of no use to any that still runs, ms: no command is waited for that long. */
const KEPT_MS = 24 * 3_600_000;

export function openSharedFilesRecord(db: Database, clock: Clock): SharedFilesRecord {
  const changeOf = (row: unknown): FileChange => ({
    path: columnText(row, 'path'),
    agent: columnText(row, 'agent'),
    session: columnText(row, 'session'),
    hash: columnText(row, 'hash'),
    at: columnNumber(row, 'at'),
  });
  return {
    lastChange(path) {
      const row = db.sql('select * from shared_files where path = ?').get(path);
      return row === undefined ? undefined : changeOf(row);
    },
    heldBy: (session) =>
      db
        .sql('select path from shared_files where session = ? order by path')
        .all(session)
        .map((row) => columnText(row, 'path')),
    note({ path, agent, session, hash }) {
      db.sql(
        'insert into shared_files (path, agent, session, hash, at) values (?, ?, ?, ?, ?) on conflict (path) do update set agent = excluded.agent, session = excluded.session, hash = excluded.hash, at = excluded.at',
      ).run(path, agent, session, hash, clock.now());
    },
    beginCommand: (session) =>
      Number(db.sql('insert into shared_commands (session, began) values (?, ?)').run(session, clock.now()).lastInsertRowid),
    endCommand(command) {
      return db.write(() => {
        const now = clock.now();
        db.sql('delete from shared_commands where ended < ?').run(now - KEPT_MS);
        db.sql('update shared_commands set ended = ? where id = ?').run(now, command);
        const other = db
          .sql(
            'select 1 from shared_commands own join shared_commands other on other.session <> own.session where own.id = ? and (other.ended is null or other.ended >= own.began)',
          )
          .get(command);
        return other !== undefined;
      });
    },
    endCommands(session) {
      if (session === undefined) db.sql('update shared_commands set ended = ? where ended is null').run(clock.now());
      else db.sql('update shared_commands set ended = ? where ended is null and session = ?').run(clock.now(), session);
    },
    forget(session) {
      db.write(() => {
        for (const table of ['shared_files', 'shared_commands'] as const) {
          if (session === undefined) db.sql(`delete from ${table}`).run();
          else db.sql(`delete from ${table} where session = ?`).run(session);
        }
      });
    },
  };
}
