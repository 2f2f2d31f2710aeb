// agent.db: opening, per-store migrations, write transactions. One connection a thread.
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, errorMessage, XzError } from '../errors.ts';
import { faultPoint } from '../faults.ts';
import { ensureFolder } from '../files.ts';
import { type Database as Connection, sqlite } from '../sqlite.ts';

/** One step of a store's schema. Steps are only ever appended; each runs in one transaction with its version row. */
export interface Migration {
  readonly name: string;
  up(db: Connection): void;
}

/** A store's tables: its name in `store_versions`, and its steps from empty to now. */
export interface StoreSchema {
  readonly store: string;
  readonly migrations: readonly Migration[];
}

/** What a statement may be bound to. */
export type Bound = string | number | bigint | Uint8Array | null;

/** A prepared statement whose failures are xz's errors. */
export interface Statement {
  run(...values: readonly Bound[]): { readonly changes: number; readonly lastInsertRowid: number | bigint };
  get(...values: readonly Bound[]): unknown;
  all(...values: readonly Bound[]): unknown[];
}

/**
 * When a transaction reaches the disk: before `write` returns, or with the next one that does. What is committed survives
 * the death of the process either way; a power cut may take the end of it, never its middle.
 */
export type Sync = 'now' | 'with the next';

export interface Database {
  readonly path: string;
  /** The raw connection, for extensions and the backup API. */
  readonly connection: Connection;
  /** A prepared statement, cached by its text. Values are always bound. */
  sql(text: string): Statement;
  /** Runs `fn` in one immediate transaction; nested calls join the outer one, and its sync. */
  write<T>(fn: () => T, sync?: Sync): T;
  close(): void;
}

/** How long a write waits for another writer before it fails. */
const BUSY_MS = 10_000;

export interface OpenOptions {
  readonly busyMs?: number;
}

/**
 * Opens (or makes) the database and brings the given stores to their newest version. Throws `database_newer` without
 * writing when any store is ahead of this program; never falls back to another file or to memory. A file that its owner
 * made read-only is opened for reading: what it holds can be shown, and a write is refused as `unwritable`.
 */
export function openDatabase(path: string, stores: readonly StoreSchema[], { busyMs = BUSY_MS }: OpenOptions = {}): Database {
  // Root may write anything, so the mode bits are asked: a person who made the file read-only meant it.
  const readonly = isReadOnly(path);
  if (!readonly) ensureFolder(dirname(path), 0o700);
  const connection = translate(path, () => {
    faultPoint('open', path);
    return new (sqlite())(path, { timeout: busyMs, readonly });
  });
  const statements = new Map<string, Statement>();
  let depth = 0;
  const database: Database = {
    path,
    connection,
    sql(text) {
      let statement = statements.get(text);
      if (statement === undefined) statements.set(text, (statement = prepared(connection, path, text)));
      return statement;
    },
    write(fn, sync = 'now') {
      if (depth > 0) return fn();
      depth++;
      try {
        if (sync !== 'now') connection.pragma('synchronous = NORMAL');
        return translate(path, () => {
          faultPoint('begin', path);
          return connection
            .transaction(() => {
              const value = fn();
              faultPoint('commit', path);
              return value;
            })
            .immediate();
        });
      } finally {
        depth--;
        if (sync !== 'now') connection.pragma('synchronous = FULL');
      }
    },
    close() {
      statements.clear();
      connection.close();
    },
  };
  try {
    refuseNewer(database, stores);
    translate(path, () => {
      if (!readonly) switchToWal(connection, busyMs);
      connection.pragma('synchronous = FULL');
      connection.pragma('foreign_keys = ON');
    });
    migrate(database, stores);
  } catch (error) {
    connection.close();
    throw error;
  }
  return database;
}

function prepared(connection: Connection, path: string, text: string): Statement {
  const statement = translate(path, () => connection.prepare<Bound[]>(text));
  return {
    run: (...values) => translate(path, () => statement.run(...values)),
    get: (...values) => translate(path, () => statement.get(...values)),
    all: (...values) => translate(path, () => statement.all(...values)),
  };
}

/** True for a file that is there and that nobody may write, by its own mode or its folder's. */
function isReadOnly(path: string): boolean {
  try {
    return (statSync(path).mode & 0o222) === 0 || (statSync(dirname(path)).mode & 0o222) === 0;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

/** Runs a database operation and turns SQLite's codes into xz's errors. */
export function translate<T>(path: string, fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    const code = errnoOf(error) ?? '';
    const known = KNOWN_FAULTS.find(([prefix]) => code.startsWith(prefix));
    if (known === undefined) throw error;
    const [, xzCode, words, hint] = known;
    throw new XzError(xzCode, `${path} ${words} (${errorMessage(error)})`, { hint, cause: error, data: { path } });
  }
}

const KNOWN_FAULTS = [
  ['SQLITE_BUSY', 'database_locked', 'is locked by another program', 'close the program that holds it, then try again'],
  ['SQLITE_LOCKED', 'database_locked', 'is locked', 'close the program that holds it, then try again'],
  ['SQLITE_READONLY', 'unwritable', 'is read-only', 'check the owner and mode of the file and its folder'],
  ['SQLITE_CANTOPEN', 'unwritable', 'cannot be opened', 'check the owner and mode of the file and its folder'],
  ['SQLITE_FULL', 'disk_full', 'could not grow: the disk is full', 'free some space, then try again; nothing was half-written'],
  ['SQLITE_IOERR', 'database_broken', 'could not be read or written', 'check the disk; `xz doctor` tells more'],
  ['SQLITE_CORRUPT', 'database_broken', 'is damaged', 'run `xz doctor --repair`; it makes a copy first'],
  ['SQLITE_NOTADB', 'database_broken', 'is not a database', 'move the file away, or run `xz doctor --repair`'],
] as const;

function storedVersions(db: Database): Map<string, number> {
  const has = db.connection.prepare("select 1 from sqlite_master where type = 'table' and name = 'store_versions'").get();
  if (has === undefined) return new Map();
  const rows = db.connection.prepare('select store, version from store_versions').all();
  return new Map(rows.map((row) => [columnText(row, 'store'), columnNumber(row, 'version')]));
}

function refuseNewer(db: Database, stores: readonly StoreSchema[]): void {
  const newer = (what: string): never => {
    throw new XzError('database_newer', `${db.path} was written by a newer xz (${what})`, {
      hint: 'install that version of xz; nothing was changed',
      data: { path: db.path },
    });
  };
  const userVersion = translate(db.path, () => db.connection.pragma('user_version', { simple: true }));
  if (typeof userVersion === 'number' && userVersion > 0) newer(`user_version ${userVersion}`);
  const versions = translate(db.path, () => storedVersions(db));
  for (const { store, migrations } of stores) {
    const version = versions.get(store) ?? 0;
    if (version > migrations.length) newer(`${store} ${version}, known up to ${migrations.length}`);
  }
}

function migrate(db: Database, stores: readonly StoreSchema[]): void {
  const behind = (versions: Map<string, number>) => stores.some((s) => (versions.get(s.store) ?? 0) < s.migrations.length);
  if (!behind(storedVersions(db))) return;
  for (const { store, migrations } of stores) {
    for (;;) {
      // Version and step in one immediate transaction: two starters take turns, and a kill leaves both or neither.
      const done = db.write(() => {
        db.connection.exec('create table if not exists store_versions (store text primary key, version integer not null) strict');
        const version = storedVersions(db).get(store) ?? 0;
        const step = migrations[version];
        if (step === undefined) return true;
        step.up(db.connection);
        db.connection
          .prepare('insert into store_versions (store, version) values (?, ?) on conflict (store) do update set version = excluded.version')
          .run(store, version + 1);
        return false;
      });
      if (done) break;
    }
  }
}

/** WAL is asked for only when it is off; SQLite does not wait for other openers there, so this does. */
function switchToWal(connection: Connection, busyMs: number): void {
  for (const until = Date.now() + busyMs; ; ) {
    if (connection.pragma('journal_mode', { simple: true }) === 'wal') return;
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!errnoOf(error)?.startsWith('SQLITE_BUSY') || Date.now() > until) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5 + Math.random() * 20);
    }
  }
}

/** A text column of a row whose statement selects it. Throws when the column is missing or of another type. */
export function columnText(row: unknown, name: string): string {
  const value = column(row, name);
  if (typeof value !== 'string') throw new XzError('database_broken', `column ${name} is not text`);
  return value;
}

/** A number column of a row. */
export function columnNumber(row: unknown, name: string): number {
  const value = column(row, name);
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'number') throw new XzError('database_broken', `column ${name} is not a number`);
  return value;
}

/** A text column that may be null. */
export function columnTextOrNull(row: unknown, name: string): string | undefined {
  return column(row, name) === null ? undefined : columnText(row, name);
}

/** A number column that may be null. */
export function columnNumberOrNull(row: unknown, name: string): number | undefined {
  return column(row, name) === null ? undefined : columnNumber(row, name);
}

function column(row: unknown, name: string): unknown {
  if (typeof row !== 'object' || row === null || !(name in row)) throw new XzError('internal', `the statement selects no column ${name}`);
  return Object.entries(row).find(([key]) => key === name)?.[1];
}
