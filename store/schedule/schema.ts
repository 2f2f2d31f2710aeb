// Tables of the schedule. One execution row per (task, slot) by a unique key: that row, made before anything starts, is
// what lets several screens and daemons share a schedule without ever running a slot twice.
import type { StoreSchema } from '../database/database.ts';

export const scheduleSchema: StoreSchema = {
  store: 'schedule',
  migrations: [
    {
      name: 'scheduled_tasks, task_executions',
      up: (db) =>
        db.exec(`
          create table scheduled_tasks (
            id text primary key,
            description text not null,
            when_text text not null,
            kind text not null check (kind in ('daily', 'cron', 'interval', 'once')),
            expression text,
            every_ms integer,
            anchor integer,
            time_zone text not null,
            starts_at integer not null,
            next_run integer,
            computed_at integer not null,
            enabled integer not null check (enabled in (0, 1)),
            overlap text not null check (overlap in ('queue', 'skip')),
            missed text not null check (missed in ('run', 'skip')),
            mode text check (mode in ('plan', 'ask', 'auto-edit', 'yolo')),
            team integer not null check (team in (0, 1)),
            timeout_seconds integer,
            max_cost_usd real,
            author text not null check (author in ('person', 'agent')),
            origin text unique,
            created_at integer not null
          ) strict;
          create index scheduled_tasks_due on scheduled_tasks (enabled, next_run);
          create table task_executions (
            id integer primary key autoincrement,
            task_id text not null,
            slot integer not null,
            missed integer not null,
            lease text not null,
            started_at integer not null,
            completed_at integer,
            status text not null check (status in ('running', 'success', 'failed', 'interrupted', 'skipped')),
            output text not null,
            error text,
            session text,
            cost_usd real,
            unique (task_id, slot)
          ) strict;
          create index task_executions_running on task_executions (status) where status = 'running';
        `),
    },
    {
      name: 'newest runs of a task',
      up: (db) => db.exec('create index task_executions_newest on task_executions (task_id, id)'),
    },
  ],
};
