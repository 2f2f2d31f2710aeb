// Makes a fresh clone ready: installs what the lock file names when node_modules does not match it or SQLite does not
// load, then builds. Exits 0 only when SQLite loads.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addSqlite, buildingEnvironment, npm, sqliteFault, sqliteReport } from './sqlite.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
// The build that npm starts at the end of an install must not mend what is being installed here.
const env = { ...process.env, XZ_SETUP: '1' };

try {
  let output = '';
  if (!isInstalled() || sqliteFault(root) !== undefined) {
    console.error('setting up: npm ci (the native module is compiled once, about a minute)');
    output = npm(root, ['ci'], buildingEnvironment(env));
    // A compiler or headers may be missing where none is needed; a nodedir of the person's own may not fit this Node.
    if (sqliteFault(root) !== undefined) output = addSqlite(root, env);
  }
  const fault = sqliteFault(root);
  if (fault !== undefined) throw new Error(sqliteReport(fault, output));
} catch (error) {
  console.error(`set-up failed: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: ['ignore', 2, 2], env });

/** True when npm's own record of node_modules, which it writes last, names all that the lock file names. */
function isInstalled() {
  const record = 'node_modules/.package-lock.json';
  if (!existsSync(record)) return false;
  const have = JSON.parse(readFileSync(record, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, { version, optional, devOptional }]) => path === '' || optional || devOptional || have[path]?.version === version,
  );
}
