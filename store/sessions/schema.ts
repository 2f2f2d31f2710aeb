// Tables of conversations. A row is written when it happens; nothing is rewritten but a turn's state.
import type { StoreSchema } from '../database/database.ts';

export const sessionsSchema: StoreSchema = {
  store: 'sessions',
  migrations: [
    {
      name: 'sessions, turns, messages, mail_seen',
      up: (db) =>
        db.exec(`
          create table sessions (
            id text primary key,
            kind text not null check (kind in ('lead', 'teammate', 'agent')),
            agent text not null,
            parent text references sessions (id),
            title text not null,
            system_prompt text,
            created_at integer not null,
            updated_at integer not null
          ) strict;
          create index sessions_by_time on sessions (kind, updated_at);
          create table turns (
            id integer primary key autoincrement,
            session_id text not null references sessions (id),
            state text not null check (state in ('open', 'done', 'rolled_back')),
            stop_reason text,
            started_at integer not null,
            ended_at integer
          ) strict;
          create index turns_by_session on turns (session_id, id);
          create table messages (
            id integer primary key autoincrement,
            session_id text not null references sessions (id),
            turn_id integer not null references turns (id),
            role text not null check (role in ('user', 'assistant', 'tool')),
            call_row integer,
            call_index integer,
            content text not null,
            created_at integer not null,
            unique (call_row, call_index)
          ) strict;
          create index messages_by_session on messages (session_id, id);
          create table mail_seen (
            agent text not null,
            epoch text not null,
            mail_id text not null,
            turn_id integer not null references turns (id),
            message_id integer not null references messages (id),
            primary key (agent, epoch, mail_id)
          ) strict, without rowid;
          create index mail_seen_by_turn on mail_seen (turn_id);
        `),
    },
    {
      name: 'spending: replies that are no message',
      up: (db) =>
        db.exec(`
          create table spending (
            id integer primary key,
            session_id text not null references sessions (id),
            purpose text not null check (purpose in ('memory', 'summary')),
            tokens integer not null,
            cost_usd real,
            created_at integer not null
          ) strict;
          create index spending_by_session on spending (session_id, purpose);
        `),
    },
  ],
};
