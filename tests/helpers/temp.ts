// Folders for tests: a plain one, or a workspace with a real git repository, a private HOME and nothing of this
// machine's own settings. Removed after the test (or, when made outside a test, at the end of the run).
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new empty folder (its real path). */
export function tempFolder(prefix = 'xz-'): string {
  const folder = mkdtempSync(join(process.env.XZ_TEST_TEMP ?? realpathSync(tmpdir()), prefix));
  afterThisTest(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** Runs `clean` when the running test ends; outside a test it is not called, and the run's root is removed instead. */
function afterThisTest(clean: () => void): void {
  try {
    onTestFinished(clean);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
}

export interface Workspace {
  /** The repository's folder. */
  readonly dir: string;
  readonly home: string;
  /** The environment for programs run in it: private HOME, XZ_HOME and git settings, TZ=UTC; no key, no proxy. */
  readonly env: Readonly<Record<string, string>>;
  git(...args: string[]): string;
  read(file: string): string;
  write(file: string, text: string): void;
  has(file: string): boolean;
  path(file: string): string;
}

export interface WorkspaceOptions {
  /** Make a git repository with one commit. Default true. */
  readonly git?: boolean;
  /** Files by relative path. Default one README.md. */
  readonly files?: Readonly<Record<string, string>>;
  /** Name of the workspace's folder. Default `ws`. */
  readonly name?: string;
}

export function tempWorkspace(options: WorkspaceOptions = {}): Workspace {
  const base = tempFolder('xz-ws-');
  const dir = join(base, options.name ?? 'ws');
  const home = join(base, 'home');
  mkdirSync(dir, { recursive: true });
  mkdirSync(home, { recursive: true });
  const path = (file: string) => join(dir, file);
  const write = (file: string, text: string) => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), text);
  };
  for (const [file, text] of Object.entries(options.files ?? { 'README.md': '# demo\n' })) write(file, text);
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home,
    XZ_HOME: join(home, '.xz'),
    LANG: 'en_US.UTF-8',
    TERM: 'xterm-256color',
    TZ: 'UTC',
    GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
    GIT_CONFIG_NOSYSTEM: '1',
  };
  writeFileSync(env.GIT_CONFIG_GLOBAL, '[user]\n\tname = Test\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (options.git !== false) {
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'start', '--allow-empty');
  }
  return { dir, home, env, git, write, path, read: (file) => readFileSync(path(file), 'utf8'), has: (file) => existsSync(path(file)) };
}
