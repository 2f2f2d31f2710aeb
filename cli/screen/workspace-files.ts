// Names of the workspace's files for the `@` completion: what git knows and does not ignore, else a bounded walk.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { withoutGitLocations } from '../slash/diff.ts';

const run = promisify(execFile);
const MOST_FILES = 20_000;
const SKIPPED = new Set(['.git', 'node_modules', '.worktrees', '.Mailbox', '.TASK', '.MEMORY']);

/** Paths relative to `root`. Never throws: what cannot be listed is not offered. */
export async function listWorkspaceFiles(root: string, env: Readonly<Record<string, string | undefined>>): Promise<string[]> {
  try {
    const args = ['-c', 'core.quotepath=false', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    const { stdout } = await run('git', args, { cwd: root, env: withoutGitLocations(env), maxBuffer: 32 * 1024 * 1024, timeout: 5_000 });
    return stdout
      .split('\0')
      .filter((name) => name !== '')
      .slice(0, MOST_FILES);
  } catch {
    // No git or no repository: walk.
    return walk(root);
  }
}

async function walk(root: string): Promise<string[]> {
  const out: string[] = [];
  const waiting = [''];
  for (let folder = waiting.shift(); folder !== undefined && out.length < MOST_FILES; folder = waiting.shift()) {
    const here = folder;
    // A folder that may not be read has no files to offer.
    const entries = await readdir(join(root, here), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = here === '' ? entry.name : `${here}/${entry.name}`;
      if (SKIPPED.has(entry.name) || path === '.agents/data') continue;
      if (entry.isDirectory()) waiting.push(path);
      else out.push(path);
    }
  }
  return out;
}
