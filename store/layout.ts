// Where everything lives. A Layout is plain paths; finding the workspace reads only `.git` files and never starts git.
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { diskError, errnoOf, XzError } from './errors.ts';
import { ensureFolder, pathExists, readText, writeFileAtomic } from './files.ts';
import { gitTopOf, mainWorkTree } from './git-layout.ts';
import { isFile, isFolder } from './links.ts';

export interface Home {
  readonly root: string;
  readonly config: string;
  readonly tasksLog: string;
  readonly workspaces: string;
  readonly trust: string;
  readonly inputHistory: string;
  readonly skills: string;
  readonly locks: string;
}

export interface Layout {
  /** The workspace: the folder all other paths hang below. */
  readonly root: string;
  readonly agents: string;
  readonly dailyLogs: string;
  readonly skills: string;
  readonly data: string;
  readonly database: string;
  readonly locks: string;
  readonly outputs: string;
  readonly memory: string;
  readonly memorySnapshots: string;
  readonly tasks: string;
  readonly tasksDone: string;
  readonly mailbox: string;
  readonly worktrees: string;
  readonly gate: string;
  readonly worktreeSetup: string;
  readonly home: Home;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Expands one leading `~/` (or a lone `~`); `~name` and `$HOME` stay as they are, since no shell is asked. */
export function expandTilde(path: string, home: string): string {
  if (path === '~') return home;
  return path.startsWith('~/') ? join(home, path.slice(2)) : path;
}

/** The person's home folder. Throws `not_configured` when there is none to be trusted. */
export function homeFolder(env: Environment): string {
  const home = userHome(env);
  if (!home || !isAbsolute(home)) {
    throw new XzError('not_configured', `HOME is ${home ? `"${home}", not an absolute path` : 'not set'}`, {
      hint: 'set HOME, or XZ_HOME to an absolute folder',
    });
  }
  return home;
}

/** HOME, else what the system's user database says; empty for a user it does not know. */
function userHome(env: Environment): string {
  if (env.HOME) return env.HOME;
  try {
    return homedir();
  } catch (error) {
    if (errnoOf(error) === 'ERR_SYSTEM_ERROR' || errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** `~/.xz`, moved by `XZ_HOME`. */
export function homeLayout(env: Environment): Home {
  const moved = env.XZ_HOME;
  const expanded = moved?.startsWith('~') ? expandTilde(moved, homeFolder(env)) : moved;
  if (expanded && !isAbsolute(expanded))
    throw new XzError('not_configured', `XZ_HOME is "${expanded}", not an absolute path`, { hint: 'set XZ_HOME to an absolute folder' });
  const root = expanded || join(homeFolder(env), '.xz');
  return {
    root,
    config: join(root, 'config.toml'),
    tasksLog: join(root, 'tasks.log'),
    workspaces: join(root, 'workspaces.json'),
    trust: join(root, 'trust.json'),
    inputHistory: join(root, 'input-history'),
    skills: join(root, 'skills'),
    locks: join(root, 'locks'),
  };
}

/**
 * The workspace, first of: the `--workspace` flag, `XZ_WORKSPACE`, the main working tree of the git repository around
 * `cwd`, the nearest ancestor below HOME that holds `.agents/`, `cwd` itself.
 */
export function findWorkspace(input: { readonly flag?: string | undefined; readonly env: Environment; readonly cwd: string }): string {
  const given = input.flag || input.env.XZ_WORKSPACE;
  if (given) {
    const folder = resolve(input.cwd, given);
    if (!pathExists(folder))
      throw new XzError('bad_input', `the workspace ${folder} does not exist`, {
        hint: 'make the folder first, or name another with --workspace',
        data: { kind: 'no_workspace', path: folder },
      });
    if (!isFolder(folder))
      throw new XzError('bad_input', `the workspace ${folder} is not a folder`, {
        hint: 'name a folder with --workspace',
        data: { kind: 'not_a_folder', path: folder },
      });
    return folder;
  }
  const top = gitTopOf(input.cwd);
  if (top !== undefined) return mainWorkTree(top);
  return nearestWithAgents(input.cwd, userHome(input.env)) ?? input.cwd;
}

function nearestWithAgents(cwd: string, home: string): string | undefined {
  // Only below HOME: a stray /tmp/.agents or ~/.agents must not swallow every folder of the machine.
  for (let at = cwd; home !== '' && at.startsWith(`${home}/`); at = dirname(at)) if (pathExists(join(at, '.agents'))) return at;
  return undefined;
}

/** All paths of a workspace. */
export function layoutOf(root: string, home: Home): Layout {
  const agents = join(root, '.agents');
  const data = join(agents, 'data');
  const memory = join(root, '.MEMORY');
  const tasks = join(root, '.TASK');
  const worktrees = join(root, '.worktrees');
  return {
    root,
    agents,
    dailyLogs: join(agents, 'memory'),
    skills: join(agents, 'skills'),
    data,
    database: join(data, 'agent.db'),
    locks: join(data, 'locks'),
    outputs: join(data, 'outputs'),
    memory,
    memorySnapshots: join(memory, '.snapshots'),
    tasks,
    tasksDone: join(tasks, 'done'),
    mailbox: join(root, '.Mailbox'),
    worktrees,
    gate: join(worktrees, '.gate'),
    worktreeSetup: join(worktrees, 'setup.toml'),
    home,
  };
}

/** The folders that git must not see, and what their `.gitignore` says. */
function ignoreFiles(layout: Layout): ReadonlyArray<readonly [folder: string, text: string]> {
  return [
    [layout.agents, '.gitignore\ndata/\nmemory/\nUSER.md\nMEMORY.md\n'],
    [layout.memory, '*\n'],
    [layout.tasks, '*\n'],
    [layout.mailbox, '*\n'],
    [layout.worktrees, '*\n!setup.toml\n'],
  ];
}

/** Makes one of the workspace's own top folders together with the `.gitignore` that hides it. */
export function ensureStore(layout: Layout, folder: 'agents' | 'memory' | 'tasks' | 'mailbox' | 'worktrees'): void {
  ensureFolder(layout[folder]);
  restoreIgnore(layout, layout[folder]);
}

/**
 * At each start: puts back the `.gitignore` of every store folder that is there. A folder that cannot be written keeps
 * nobody from starting: who needs it says so.
 */
export function restoreIgnoreFiles(layout: Layout): void {
  for (const [folder] of ignoreFiles(layout)) {
    if (!isFolder(folder)) continue;
    try {
      restoreIgnore(layout, folder);
    } catch (error) {
      if (!(diskError(error, folder) instanceof XzError)) throw error;
    }
  }
}

function restoreIgnore(layout: Layout, folder: string): void {
  const text = ignoreFiles(layout).find(([name]) => name === folder)?.[1];
  const file = join(folder, '.gitignore');
  // What is no file has that name because somebody wanted it so; it hides nothing, and keeps nobody from working either.
  if (text === undefined || (pathExists(file) && !isFile(file))) return;
  const have = readText(file);
  const lacking = text.split('\n').filter((line) => line !== '' && !have?.split(/\r?\n/).includes(line));
  // A person may have added lines of their own; only what is missing is put back.
  if (lacking.length > 0) writeFileAtomic(file, `${have ? have.replace(/\n?$/, '\n') : ''}${lacking.join('\n')}\n`);
}
