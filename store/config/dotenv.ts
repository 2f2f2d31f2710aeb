// The workspace's own `.env`. It is a stranger's file until the person trusts the folder; and even then it may not say
// where requests go, whose key pays, or what runs unasked, unless the person approved exactly those lines.
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { readText } from '../files.ts';
import { stableHash } from '../ids.ts';
import type { Home } from '../layout.ts';
import { isFile } from '../links.ts';
import { trustOf } from '../trust.ts';
import { allKeys } from './keys.ts';
import { isProviderVariable } from './providers.ts';

export interface WorkspaceEnv {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
  /** The names among them that need an approval, sorted. */
  readonly guarded: readonly string[];
  /** True when the person approved the guarded lines as they are now. */
  readonly approved: boolean;
}

/** The `.env` of a trusted workspace; undefined when there is none, or no trust. `trusted` overrides what trust.json says (`--yes`, `--mode yolo`). */
export function readWorkspaceEnv(home: Home, root: string, trusted?: true): WorkspaceEnv | undefined {
  const trust = trustOf(home, root);
  const env = trust === undefined && trusted !== true ? undefined : workspaceEnvIn(root);
  return env && { ...env, approved: env.guarded.length > 0 && trust?.env === guardedHash(env) };
}

/** What stands in a folder's `.env`, whether or not it is trusted; none approved. A Python environment of that name is a folder, and none. */
export function workspaceEnvIn(root: string): WorkspaceEnv | undefined {
  const path = join(root, '.env');
  const text = isFile(path) ? readText(path) : undefined;
  return text === undefined ? undefined : parseWorkspaceEnv(path, text);
}

/** The file's variables, none approved. */
export function parseWorkspaceEnv(path: string, text: string): WorkspaceEnv {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(text))) if (value !== undefined) values[name] = value;
  return { path, values, guarded: Object.keys(values).filter(isGuarded).sort(), approved: false };
}

/** What an approval is given for: a later change of one of these lines needs a new one. */
export function guardedHash(env: WorkspaceEnv): string {
  return stableHash(...env.guarded.flatMap((name) => [name, env.values[name] ?? '']));
}

function isGuarded(name: string): boolean {
  return isProviderVariable(name) || allKeys.some((key) => key.env === name && key.guarded === true);
}
