// The one place that makes the real clock, stores and locks of this process. Everything is made on first use, so that
// a command pays only for what it touches.
import { join } from 'node:path';
import { type Clock, systemClock } from '../store/clock.ts';
import type { Config, ConfigInput } from '../store/config/config.ts';
import type { WorkspaceEnv } from '../store/config/dotenv.ts';
import type { Database } from '../store/database/database.ts';
import { pathExists } from '../store/files.ts';
import { ensureStore, findWorkspace, type Home, homeLayout, type Layout, layoutOf, restoreIgnoreFiles } from '../store/layout.ts';
import { type Locks, openLocks } from '../store/lock.ts';
import { nameProcess, type ProcessName } from '../store/process.ts';
import { takeProxiesFrom } from '../store/proxies.ts';
import type { Sessions } from '../store/sessions/sessions.ts';
import type { Tasks } from '../store/tasks/tasks.ts';
import type { Identity } from '../workers/agent/model/from-config.ts';
import { printFinding } from './print/finding.ts';
import type { Printer } from './print/printer.ts';
import type { Language, Text } from './text/text.ts';
import { VERSION } from './version.ts';

/** Options that stand before or after any command. */
export interface GlobalOptions {
  readonly workspace?: string | undefined;
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly useOauth?: true | undefined;
  readonly mode?: string | undefined;
  readonly team?: true | undefined;
  readonly lang?: string | undefined;
  readonly color?: false | undefined;
  readonly json?: true | undefined;
}

export interface App {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly globals: GlobalOptions;
  readonly language: Language;
  readonly text: Text;
  readonly print: Printer;
  readonly clock: Clock;
  /** What this process calls itself to others that wait for its locks. */
  readonly who: string;
  home(): Home;
  layout(): Layout;
  /** Locks of the workspace. */
  locks(): Locks;
  /** Locks shared by all workspaces of the home. */
  homeLocks(): Locks;
  /** Gives this process its name for temp files. Called before anything is written. */
  processName(): ProcessName;
  /** agent.db with all stores. Loaded on demand: SQLite and the schemas are heavy for a command that needs neither. */
  database(): Promise<Database>;
  sessions(): Promise<Sessions>;
  /** What the settings are read from: for commands that must work although a value is bad. */
  configInput(): Promise<ConfigInput>;
  /** The settings in force. Throws `bad_config` naming file, line and key of a value that does not fit. */
  config(): Promise<Config>;
  /** Forgets the settings that were read, after they were changed. */
  reloadConfig(): void;
  /** Who asks, for `modelSettings(resolveModel(config, role), identity)`. */
  identity(): Identity;
  /** The task graph. Reading it loads neither SQLite nor git; bad files are named on stderr. */
  tasks(): Promise<Tasks>;
  /** Closes the database before its file is replaced; the next `database()` opens it anew. */
  closeDatabase(): void;
  /** Releases locks and closes the database; called once, at the end. */
  close(): void;
}

export interface AppInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly globals: GlobalOptions;
  readonly language: Language;
  readonly text: Text;
  readonly print: Printer;
  readonly command: string;
}

export function composeApp(input: AppInput): App {
  takeProxiesFrom(input.env);
  const clock = systemClock;
  const who = `${['xz', input.command].filter(Boolean).join(' ')} (pid ${process.pid})`;
  const closers: Array<() => void> = [];
  const home = once(() => homeLayout(input.env));
  const layout = once(() => {
    const made = layoutOf(findWorkspace({ flag: input.globals.workspace, env: input.env, cwd: input.cwd }), home());
    restoreIgnoreFiles(made);
    return made;
  });
  const locks = once(() => closing(openLocks(layout().locks, who, clock), closers));
  const homeLocks = once(() => closing(openLocks(home().locks, who, clock), closers));
  const processName = once(() => {
    const name = nameProcess(locks(), layout().locks);
    closers.push(() => name.release());
    return name;
  });
  let opened: Database | undefined;
  const openOnce = async () => {
    const [{ openDatabase }, { storeSchemas }] = await Promise.all([
      import('../store/database/database.ts'),
      import('../store/schemas.ts'),
    ]);
    // The folder comes with the .gitignore that hides it: git must not show a database made by a query.
    ensureStore(layout(), 'agents');
    opened = openDatabase(layout().database, storeSchemas);
    return opened;
  };
  let database = once(openOnce);
  closers.push(() => opened?.close());
  const sessions = once(async () => (await import('../store/sessions/sessions.ts')).openSessions(await database(), clock));
  const configInput = once(async (): Promise<ConfigInput> => {
    return { home: home(), env: input.env, flags: input.globals, workspaceEnv: await readWorkspaceEnv(layout(), input.globals) };
  });
  const readConfig = async () => {
    const { loadConfig } = await import('../store/config/config.ts');
    const loaded = await loadConfig(await configInput());
    if (loaded.ignored.length > 0) input.print.warn(input.text.config.envIgnored(loaded.ignored.join(', ')));
    return loaded;
  };
  let config = once(readConfig);
  const tasks = once(async () => {
    const { openTasks } = await import('../store/tasks/tasks.ts');
    return openTasks({ layout: layout(), locks, clock, notice: (finding) => printFinding(input.print, input.text, finding) });
  });
  return {
    env: input.env,
    cwd: input.cwd,
    globals: input.globals,
    language: input.language,
    text: input.text,
    print: input.print,
    clock,
    who,
    home,
    layout,
    locks,
    homeLocks,
    processName,
    database: () => database(),
    closeDatabase() {
      opened?.close();
      opened = undefined;
      database = once(openOnce);
    },
    sessions,
    configInput,
    config: () => config(),
    reloadConfig() {
      config = once(readConfig);
    },
    identity: () => ({ version: VERSION, home: home(), userHome: input.env.HOME || undefined, homeLocks, clock }),
    tasks,
    close() {
      for (const close of closers.reverse()) close();
    },
  };
}

/** The workspace's `.env`, if there is one and the folder is trusted; mode yolo on the command line trusts for this run. */
async function readWorkspaceEnv(layout: Layout, globals: GlobalOptions): Promise<WorkspaceEnv | undefined> {
  if (!pathExists(join(layout.root, '.env'))) return undefined;
  const { readWorkspaceEnv } = await import('../store/config/dotenv.ts');
  return readWorkspaceEnv(layout.home, layout.root, globals.mode === 'yolo' ? true : undefined);
}

function closing<T extends { close(): void }>(thing: T, closers: Array<() => void>): T {
  closers.push(() => thing.close());
  return thing;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
