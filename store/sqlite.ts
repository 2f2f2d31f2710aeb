// The one place that loads better-sqlite3: version 12 on Node 20, 13 (under its alias) from Node 22, since neither
// runs on both. Loading it is put off until a command needs it.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type BetterSqlite3 from 'better-sqlite3';
import { errorMessage, XzError } from './errors.ts';

export type Database = BetterSqlite3.Database;
export type Statement = BetterSqlite3.Statement;

let loaded: typeof BetterSqlite3 | undefined;

/** The Database constructor. Throws `native_missing` with the fix when the native module cannot be loaded. */
export function sqlite(): typeof BetterSqlite3 {
  if (loaded) return loaded;
  const major = Number(process.versions.node.split('.')[0]);
  const name = major >= 22 ? 'better-sqlite3-v13' : 'better-sqlite3';
  try {
    const required: typeof BetterSqlite3 = createRequire(import.meta.url)(name);
    new required(':memory:').close();
    loaded = required;
    return required;
  } catch (error) {
    throw new XzError(
      'native_missing',
      `SQLite (${name}) cannot be loaded on Node ${process.versions.node}: ${errorMessage(error).split('\n')[0]}`,
      {
        hint: wayOut(),
        cause: error,
      },
    );
  }
}

/** A clone sets itself up. An npm that skipped an optional package leaves nothing to rebuild, so a package is installed again. */
function wayOut(): string {
  const clone = fileURLToPath(new URL('..', import.meta.url));
  if (existsSync(`${clone}scripts/setup.mjs`))
    return `run \`npm run setup\` in ${clone}: it builds SQLite for this Node, or says what is missing`;
  return 'install xz again with this Node version; building SQLite takes make, a C++ compiler and python3';
}
