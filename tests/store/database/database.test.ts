// agent.db on bad days: from the future, locked, read-only, full, broken. Each has its own error; none loses anything.
import { chmodSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { columnNumber, type Database, openDatabase, type StoreSchema } from '../../../store/database/database.ts';
import { installFaultHook } from '../../../store/faults.ts';
import { sqlite } from '../../../store/sqlite.ts';
import { tempFolder } from '../../helpers/temp.ts';

const one: StoreSchema = {
  store: 'things',
  migrations: [{ name: 'first', up: (db) => db.exec('create table things (n integer) strict') }],
};
const two: StoreSchema = {
  ...one,
  migrations: [...one.migrations, { name: 'second', up: (db) => db.exec('alter table things add column m integer') }],
};

const opened: Database[] = [];
afterEach(() => {
  installFaultHook(undefined);
  for (const db of opened.splice(0)) db.close();
});

const path = () => join(tempFolder(), 'data', 'agent.db');
function open(file: string, schema = one, busyMs?: number): Database {
  const db = openDatabase(file, [schema], busyMs === undefined ? {} : { busyMs });
  opened.push(db);
  return db;
}
const closeAll = () => {
  for (const db of opened.splice(0)) db.close();
};
const columns = (db: Database) => db.sql("select name from pragma_table_info('things')").all().length;

test('makes its folder, migrates from empty and from an older version, and keeps what was there', () => {
  const file = path();
  open(file).sql('insert into things (n) values (?)').run(7);
  closeAll();
  const db = open(file, two);
  expect(db.sql('select n, m from things').get()).toEqual({ n: 7, m: null });
  expect(db.connection.pragma('journal_mode', { simple: true })).toBe('wal');
  expect(db.connection.pragma('synchronous', { simple: true })).toBe(2);
});

test('a newer store or a foreign user_version is refused without changing a byte', () => {
  const file = path();
  open(file, two);
  closeAll();
  const before = readFileSync(file);
  expect(() => open(file, one)).toThrow(expect.objectContaining({ code: 'database_newer', message: expect.stringContaining('things 2') }));
  expect(readFileSync(file).equals(before)).toBe(true);
  const raw = new (sqlite())(file);
  raw.pragma('user_version = 999');
  raw.close();
  const stamped = readFileSync(file);
  expect(() => open(file, two)).toThrow(expect.objectContaining({ code: 'database_newer', message: expect.stringContaining('999') }));
  expect(readFileSync(file).equals(stamped)).toBe(true);
});

test('a step that fails leaves the version and the tables before it', () => {
  const file = path();
  open(file);
  closeAll();
  const failing: StoreSchema = {
    ...one,
    migrations: [
      ...one.migrations,
      {
        name: 'half',
        up(db) {
          db.exec('alter table things add column m integer');
          throw new Error('the second half');
        },
      },
    ],
  };
  expect(() => open(file, failing)).toThrow('the second half');
  expect(columns(open(file, two))).toBe(2);
});

test('another program that holds the write lock is waited for, then named as a lock', () => {
  const file = path();
  const db = open(file, one, 30);
  const other = new (sqlite())(file);
  other.exec('begin immediate');
  const locked = expect.objectContaining({ code: 'database_locked', hint: expect.any(String) });
  expect(() => db.write(() => db.sql('insert into things values (1)').run())).toThrow(locked);
  expect(() => db.sql('insert into things values (1)').run()).toThrow(locked);
  // Reading and opening go on meanwhile.
  expect(columns(open(file, one, 30))).toBe(1);
  other.exec('rollback');
  other.close();
  db.write(() => db.sql('insert into things values (1)').run());
});

test('a read-only file is read and never written, and says so', () => {
  const file = path();
  open(file).sql('insert into things values (1)').run();
  closeAll();
  chmodSync(file, 0o444);
  const db = open(file);
  expect(columnNumber(db.sql('select count(*) as n from things').get(), 'n')).toBe(1);
  expect(() => db.write(() => db.sql('insert into things values (2)').run())).toThrow(expect.objectContaining({ code: 'unwritable' }));
  expect(() => open(file, two)).toThrow(expect.objectContaining({ code: 'unwritable' }));
});

test('a full disk fails the write and nothing else', () => {
  const db = open(path());
  db.sql('insert into things values (1)').run();
  db.connection.pragma('max_page_count = 5');
  const fill = () =>
    db.write(() => {
      for (let n = 0; n < 10_000; n++) db.sql('insert into things values (?)').run(n);
    });
  expect(fill).toThrow(expect.objectContaining({ code: 'disk_full' }));
  expect(columnNumber(db.sql('select count(*) as n from things').get(), 'n')).toBe(1);
  db.connection.pragma('max_page_count = 100000');
  fill();
});

test.each([
  ['SQLITE_IOERR_WRITE', 'database_broken'],
  ['SQLITE_READONLY_DBMOVED', 'unwritable'],
  ['SQLITE_FULL', 'disk_full'],
])('%s at a commit is %s, and the transaction never happened', (code, wanted) => {
  const db = open(path());
  installFaultHook(({ op }) => {
    if (op === 'commit') throw Object.assign(new Error('injected'), { code });
    return undefined;
  });
  expect(() => db.write(() => db.sql('insert into things values (1)').run())).toThrow(expect.objectContaining({ code: wanted }));
  installFaultHook(undefined);
  expect(db.sql('select * from things').all()).toEqual([]);
});

test('a broken file is an error, never replaced by an empty database', () => {
  const garbage = path();
  mkdirSync(join(garbage, '..'), { recursive: true });
  writeFileSync(garbage, 'this is no database, but it is somebody\u2019s file'.repeat(100));
  const before = readFileSync(garbage);
  expect(() => open(garbage)).toThrow(expect.objectContaining({ code: 'database_broken', hint: expect.any(String) }));
  expect(readFileSync(garbage).equals(before)).toBe(true);

  const cut = path();
  const db = open(cut);
  db.write(() => {
    for (let n = 0; n < 5_000; n++) db.sql('insert into things values (?)').run(n);
  });
  closeAll();
  truncateSync(cut, 8_192);
  expect(() => open(cut).sql('select sum(n) from things').get()).toThrow(expect.objectContaining({ code: 'database_broken' }));
});

test('nested writes are one transaction', () => {
  const db = open(path());
  const nested = () =>
    db.write(() => {
      db.sql('insert into things values (1)').run();
      db.write(() => db.sql('insert into things values (2)').run());
      throw new Error('no');
    });
  expect(nested).toThrow('no');
  expect(db.sql('select * from things').all()).toEqual([]);
});
