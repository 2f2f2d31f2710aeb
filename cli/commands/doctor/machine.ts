// The machine: Node, git, the terminal, the native modules.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { errorMessage } from '../../../store/errors.ts';
import { sqlite } from '../../../store/sqlite.ts';
import type { App } from '../../compose.ts';
import { bad, type Check, ok } from './check.ts';

/** Oldest Node that the bundled packages run on. */
const LEAST_NODE = [20, 19] as const;

export function checkNode({ text }: App): Check[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const old = major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1]);
  return [
    old ? bad('node', 'broken', process.versions.node, text.doctor.newerNode(LEAST_NODE.join('.'))) : ok('node', process.versions.node),
  ];
}

export function checkGit({ text, env }: App): Check[] {
  try {
    const version = execFileSync('git', ['--version'], {
      encoding: 'utf8',
      env: { PATH: env.PATH ?? '' },
      timeout: 10_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return [ok('git', version.trim().replace(/^git version /, ''))];
  } catch (error) {
    return [bad('git', 'warning', errorMessage(error), text.doctor.installGit)];
  }
}

export function checkTerminal({ text, env, print }: App): Check[] {
  if (!print.terminal || process.stdin.isTTY !== true) return [bad('terminal', 'warning', text.doctor.noTerminal)];
  const size = `${print.columns}x${process.stdout.rows}`;
  if (env.TERM === 'dumb' || !env.TERM) return [bad('terminal', 'warning', `TERM=${env.TERM ?? ''}`, text.doctor.dumbTerminal)];
  return [ok('terminal', `${env.TERM} ${size}`)];
}

export function checkNative({ text }: App): Check[] {
  // Throws `native_missing` with its fix.
  const Database = sqlite();
  const db = new Database(':memory:');
  try {
    const row = db.prepare('select sqlite_version() as version').get();
    const version = typeof row === 'object' && row !== null && 'version' in row ? String(row.version) : '';
    return [ok('sqlite', version), vectors(text.doctor.noVectors, (path) => db.loadExtension(path))];
  } finally {
    db.close();
  }
}

function vectors(fix: string, load: (path: string) => void): Check {
  try {
    const module: unknown = createRequire(import.meta.url)('sqlite-vec');
    const find = typeof module === 'object' && module !== null && 'getLoadablePath' in module ? module.getLoadablePath : undefined;
    const path: unknown = typeof find === 'function' ? find() : undefined;
    if (typeof path !== 'string') return bad('sqlite-vec', 'warning', 'not found', fix);
    load(path);
    return ok('sqlite-vec', 'loaded');
  } catch (error) {
    return bad('sqlite-vec', 'warning', errorMessage(error).split('\n')[0] ?? '', fix);
  }
}
