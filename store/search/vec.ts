// sqlite-vec, loaded into a connection once and proved by asking for its version: an extension that loads and registers
// nothing is as good as none. Without it everything but vectors works.
import { createRequire } from 'node:module';
import type { Database } from '../database/database.ts';
import { errorMessage } from '../errors.ts';
import type { Database as Connection } from '../sqlite.ts';

export type VecState = { readonly version: string; readonly why?: undefined } | { readonly version?: undefined; readonly why: string };

const known = new WeakMap<Connection, VecState>();

/** Whether this connection has sqlite-vec. `load` is there for tests; the first answer is kept. */
export function vecOf(db: Database, load: (connection: Connection) => void = loadPackage): VecState {
  const before = known.get(db.connection);
  if (before !== undefined) return before;
  const state = probe(db.connection, load);
  known.set(db.connection, state);
  return state;
}

function probe(connection: Connection, load: (connection: Connection) => void): VecState {
  try {
    load(connection);
    const version = connection.prepare('select vec_version()').pluck().get();
    return typeof version === 'string' ? { version } : { why: 'sqlite-vec tells no version' };
  } catch (error) {
    return { why: errorMessage(error).split('\n')[0] ?? 'sqlite-vec cannot be loaded' };
  }
}

function loadPackage(connection: Connection): void {
  const { load }: { load(db: Connection): void } = createRequire(import.meta.url)('sqlite-vec');
  load(connection);
}
