// Tables of the search indexes. All of them are derived: deleting them loses nothing. The FTS tables hold no text of
// their own (contentless), only terms made by terms.ts, so that they cannot disagree with a changed text on delete.
import type { StoreSchema } from '../database/database.ts';

/** Every ASCII character that terms.ts may put into a term besides letters and digits; only spaces separate terms. */
const TOKENIZE = `tokenize = "ascii tokenchars '+#'"`;

export const historySchema: StoreSchema = {
  store: 'history',
  migrations: [
    {
      name: 'full text of messages, and how far it goes',
      up: (db) =>
        db.exec(`
          create table history_state (
            id integer primary key check (id = 1),
            terms_version integer not null,
            through_message integer not null
          ) strict;
          create virtual table history_fts using fts5 (words, parts, content = '', contentless_delete = 1, ${TOKENIZE});
          create virtual table history_vocabulary using fts5vocab (history_fts, 'row');
        `),
    },
  ],
};

export const knowledgeSchema: StoreSchema = {
  store: 'knowledge',
  migrations: [
    {
      name: 'files, chunks, their full text',
      up: (db) =>
        db.exec(`
          create table knowledge_state (id integer primary key check (id = 1), terms_version integer not null) strict;
          create table knowledge_files (
            path text primary key,
            hash text not null,
            signature text not null,
            indexed_at integer not null
          ) strict;
          create table knowledge_chunks (
            id integer primary key autoincrement,
            path text not null references knowledge_files (path) on delete cascade,
            line_start integer not null,
            line_end integer not null,
            heading text not null,
            tags text not null,
            day text,
            body text not null,
            hash text not null
          ) strict;
          create index knowledge_chunks_by_path on knowledge_chunks (path, line_start);
          create index knowledge_chunks_by_hash on knowledge_chunks (hash);
          create virtual table knowledge_fts using fts5 (words, heading, parts, content = '', contentless_delete = 1, ${TOKENIZE});
          create virtual table knowledge_vocabulary using fts5vocab (knowledge_fts, 'row');
        `),
    },
  ],
};

export const vectorsSchema: StoreSchema = {
  store: 'vectors',
  migrations: [
    {
      name: 'spaces, vectors by content',
      up: (db) =>
        db.exec(`
          create table vector_spaces (
            id integer primary key autoincrement,
            scope text not null check (scope in ('knowledge', 'history')),
            model text not null,
            width integer not null check (width > 0),
            state text not null check (state in ('building', 'active')),
            through integer not null default 0,
            created_at integer not null,
            unique (scope, model, width)
          ) strict;
          create unique index vector_spaces_active on vector_spaces (scope) where state = 'active';
          create table vectors (
            id integer primary key,
            space integer not null references vector_spaces (id) on delete cascade,
            hash text not null,
            vector blob not null,
            unique (space, hash)
          ) strict;
        `),
    },
  ],
};
