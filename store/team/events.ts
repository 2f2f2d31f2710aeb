// The record of everything that happened in the team: one row an event, read by `xz team log`.
import type { Clock } from '../clock.ts';
import { columnNumber, columnText, type Database, type StoreSchema } from '../database/database.ts';

export const teamSchema: StoreSchema = {
  store: 'team',
  migrations: [
    {
      name: 'team_events',
      up: (db) =>
        db.exec(`
          create table team_events (
            id integer primary key autoincrement,
            at integer not null,
            kind text not null,
            agent text not null,
            text text not null,
            data text not null
          ) strict;
        `),
    },
    {
      name: 'shared_files',
      up: (db) =>
        db.exec(`
          create table shared_files (
            path text primary key,
            agent text not null,
            session text not null,
            hash text not null,
            at integer not null
          ) strict;
          create table shared_commands (
            id integer primary key autoincrement,
            session text not null,
            began integer not null,
            ended integer
          ) strict;
        `),
    },
  ],
};

export type TeamEventKind = 'team' | 'spawn' | 'state' | 'task' | 'mail' | 'result' | 'review' | 'merge' | 'release' | 'crash' | 'question';

export interface TeamEvent {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: string;
  readonly agent: string;
  /** One line for people. */
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface TeamEvents {
  record(kind: TeamEventKind, agent: string, text: string, data?: Readonly<Record<string, unknown>>): void;
  /** All events, oldest first. */
  list(): TeamEvent[];
}

export function openTeamEvents(db: Database, clock: Clock): TeamEvents {
  return {
    record(kind, agent, text, data = {}) {
      db.sql('insert into team_events (at, kind, agent, text, data) values (?, ?, ?, ?, ?)').run(
        clock.now(),
        kind,
        agent,
        text,
        JSON.stringify(data),
      );
    },
    list: () =>
      db
        .sql('select * from team_events order by id')
        .all()
        .map((row) => ({
          id: columnNumber(row, 'id'),
          at: columnNumber(row, 'at'),
          kind: columnText(row, 'kind'),
          agent: columnText(row, 'agent'),
          text: columnText(row, 'text'),
          data: JSON.parse(columnText(row, 'data')),
        })),
  };
}
