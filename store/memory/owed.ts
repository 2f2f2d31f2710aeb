// Turns that memory has yet to look at: noted when a turn ends, crossed out when it was looked at. What a kill or a quick
// exit leaves is done by the next conversation of the workspace.
import { columnNumber, columnText, type Database, type StoreSchema } from '../database/database.ts';

export const memorySchema: StoreSchema = {
  store: 'memory',
  migrations: [
    {
      name: 'memory_owed',
      up: (db) =>
        db.exec(`
          create table memory_owed (
            turn_id integer primary key,
            session_id text not null,
            owed_at integer not null,
            tries integer not null default 0
          ) strict;
        `),
    },
  ],
};

export interface OwedTurn {
  readonly turn: number;
  readonly session: string;
}

export interface Owed {
  note(owed: OwedTurn, now: number): void;
  settled(turn: number): void;
  /** A turn that was taken and could not be looked at in time: that was no try. */
  giveBack(turn: number): void;
  /** Turns that wait since before `until` (ms since the epoch), oldest first; each is handed out at most three times. */
  take(until: number, limit: number): readonly OwedTurn[];
}

const MOST_TRIES = 3;

export function openOwed(db: Database): Owed {
  return {
    note: ({ turn, session }, now) =>
      void db.sql('insert or ignore into memory_owed (turn_id, session_id, owed_at) values (?, ?, ?)').run(turn, session, now),
    settled: (turn) => void db.sql('delete from memory_owed where turn_id = ?').run(turn),
    giveBack: (turn) => void db.sql('update memory_owed set tries = max(tries - 1, 0) where turn_id = ?').run(turn),
    take: (until, limit) =>
      db.write(() => {
        db.sql('delete from memory_owed where tries >= ?').run(MOST_TRIES);
        const rows = db.sql('select turn_id, session_id from memory_owed where owed_at < ? order by turn_id limit ?').all(until, limit);
        const owed = rows.map((row) => ({ turn: columnNumber(row, 'turn_id'), session: columnText(row, 'session_id') }));
        for (const { turn } of owed) db.sql('update memory_owed set tries = tries + 1 where turn_id = ?').run(turn);
        return owed;
      }),
  };
}
