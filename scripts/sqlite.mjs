// Whether SQLite loads on this Node, and how to get it built. It is an optional dependency (each Node needs another
// version), and npm passes over an optional one that failed to build without a word: so it is tried, never assumed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

const major = Number(process.versions.node.split('.')[0]);
/** The package that this Node needs; store/sqlite.ts loads the same one. */
export const sqlitePackage = major >= 22 ? 'better-sqlite3-v13' : 'better-sqlite3';
/** It holds what is built for each machine. npm runs node-gyp for it all the same, by a lock file that does not say so. */
const comesBuilt = major >= 22;

/** Why SQLite does not load from the package in `root`, in one line; undefined when it does. */
export function sqliteFault(root) {
  // By its path: a copy in a folder above would pass here, and be gone tomorrow.
  const script = `new (require(${JSON.stringify(join(root, 'node_modules', sqlitePackage))}))(':memory:').close()`;
  const tried = spawnSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' });
  if (tried.status === 0) return undefined;
  return /^\w*Error: .*/m.exec(tried.stderr)?.[0].replace(`${root}/`, '') ?? `node ended with ${tried.signal ?? tried.status}`;
}

/** The folder whose `include/node` holds the headers of this very Node, where it brings them along. */
export function headersFolder() {
  const prefix = join(dirname(realpathSync(process.execPath)), '..');
  return existsSync(join(prefix, 'include/node/node.h')) ? prefix : undefined;
}

/** The environment of an npm that is to build native code: with the headers at hand, node-gyp downloads nothing. */
export function buildingEnvironment(env, force = false) {
  const headers = headersFolder();
  return headers === undefined || (env.npm_config_nodedir && !force) ? env : { ...env, npm_config_nodedir: headers };
}

/** Runs npm in `root`; its whole output (with that of the packages' builds) when it is done. Throws when npm fails. */
export function npm(root, args, env) {
  const run = spawnSync('npm', [...args, '--no-audit', '--no-fund', '--foreground-scripts'], {
    cwd: root,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 256 * 1024 * 1024,
  });
  const output = `${run.stdout ?? ''}${run.stderr ?? ''}`;
  if (run.status !== 0) throw new Error(`npm ${args.join(' ')} failed\n${output.trim() || run.error?.message || ''}`);
  return output;
}

/**
 * Gets SQLite after an install that lacks it; npm's output. What npm passed over is missing from node_modules and from its
 * record: an install adds it, a rebuild would not. A version built for another Node is there: that one is rebuilt.
 */
export function addSqlite(root, env) {
  const there = existsSync(join(root, 'node_modules', sqlitePackage));
  const args = there && !comesBuilt ? ['rebuild', sqlitePackage] : ['install', '--no-save', ...(comesBuilt ? ['--ignore-scripts'] : [])];
  return npm(root, args, buildingEnvironment({ ...env, XZ_SETUP: '1' }, true));
}

/** What to tell the person when it cannot be had: the reason, what the build said, and what helps. */
export function sqliteReport(fault, output = '') {
  const said = output
    .split('\n')
    .filter((line) => /gyp ERR! (stack )?\w*Error|fatal error|: error:|not found|ENOTFOUND|ECONNREFUSED/i.test(line));
  return [
    `SQLite (${sqlitePackage}) does not load on Node ${process.versions.node}: ${fault}`,
    ...said.slice(0, 8).map((line) => `  ${line.trim()}`),
    ...(comesBuilt ? [] : [...missingTools().map((tool) => `  ${tool} cannot be run`), BUILDING]),
  ].join('\n');
}

const BUILDING =
  'building it takes make, a C++ compiler, python3, and the headers of this Node (npm_config_nodedir=FOLDER when they lie in FOLDER/include/node)';

function missingTools() {
  return ['make', process.env.CXX ?? 'c++', 'python3'].filter((tool) => {
    try {
      execFileSync(tool, ['--version'], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
}
