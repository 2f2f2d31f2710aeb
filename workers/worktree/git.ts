// Git as xz uses it: argv arrays only, a small environment without GIT_* location variables, never a question on the
// terminal, and every exit code looked at. Location variables of the caller (a hook, an outer worktree) would point
// git somewhere else than the folder it was started in.
import { dirname } from 'node:path';
import { errorMessage, isAbort, XzError } from '../../store/errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface GitOptions {
  /** The environment to take PATH, HOME and the like from. */
  readonly env: Environment;
  /** Fires to end the git that runs. */
  readonly signal?: AbortSignal | undefined;
  /**
   * The repository is this very folder, none above it is looked for: in a worktree that lost its `.git` file, git would
   * otherwise go up and work on the person's checkout.
   */
  readonly here?: boolean;
}

export interface GitExit {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Git {
  readonly dir: string;
  readonly options: GitOptions;
  /** Runs git and returns its output without the last line break. Throws `git_failed` with git's first error. */
  run(...args: readonly string[]): Promise<string>;
  /** Runs git and returns whatever it answered; throws only when git cannot be run, or on abort. */
  attempt(...args: readonly string[]): Promise<GitExit>;
  /** Bytes of an object as a checkout would write them (filters and line endings applied), or undefined. */
  blob(object: string): Promise<Buffer | undefined>;
  /** Git in a worktree (or submodule) of its own, with the same environment and signal. */
  worktree(dir: string): Git;
  /** The same git, not stopped by the signal: for steps that must not be cut in the middle. */
  unstoppable(): Git;
}

/** What of the caller's environment git may see. Configuration files and identity, but nothing that says where. */
const KEPT = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'SSH_AUTH_SOCK',
  'SystemRoot',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
];

/** Marks a git of ours in the process list: its value is the folder it was started in. */
export const GIT_MARK = 'XZ_GIT';

/** The environment of every git of ours. */
function gitEnvironment({ env, here }: GitOptions, dir: string): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of KEPT) {
    const value = env[name];
    if (value !== undefined) kept[name] = value;
  }
  if (here === true) kept.GIT_CEILING_DIRECTORIES = dirname(dir);
  // Messages in English, since they are read; no lock taken just to refresh what `status` shows.
  return { ...kept, LC_ALL: 'C.UTF-8', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_MERGE_AUTOEDIT: 'no', [GIT_MARK]: dir };
}

/**
 * For every git of ours, over what the person's configuration says. Hooks and fsmonitor are off: xz's own bookkeeping must
 * not start a project's programs, or be refused by one. No clean-up goes on behind our back, where it would outlive a
 * removed worktree. Signatures would stand among the lines that are read, which are UTF-8 both ways.
 */
const ALWAYS = [
  'core.quotepath=false',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'log.showSignature=false',
  'i18n.commitEncoding=utf-8',
  'i18n.logOutputEncoding=utf-8',
].flatMap((setting) => ['-c', setting]);

/** Git in a folder. Nothing is started yet. */
export function openGit(dir: string, options: GitOptions): Git {
  const start = async (args: readonly string[]) => {
    // Loaded at first use: most runs of xz start no git.
    const { simpleGit } = await import('simple-git');
    const ended: { exit?: GitExit; failure?: unknown } = {};
    const git = wrap(() =>
      simpleGit({
        baseDir: dir,
        ...(options.signal === undefined ? {} : { abort: options.signal }),
        allowEnvironment: Object.keys(gitEnvironment(options, dir)),
        // The environment is the one made above, and every argument is ours: simple-git's guards against both stay on for the rest.
        unsafe: { allowUnsafeHooksPath: true, allowUnsafeConfigPaths: true, allowUnsafeFsMonitor: true },
        errors(error, { exitCode, stdOut, stdErr }) {
          // A git that was killed has no exit code.
          ended.exit = {
            code: typeof exitCode === 'number' ? exitCode : -1,
            out: Buffer.concat(stdOut).toString('utf8'),
            err: Buffer.concat(stdErr).toString('utf8'),
          };
          ended.failure = error;
          return exitCode === 0 ? error : Buffer.from(`exit ${exitCode}`);
        },
      })
        .env(gitEnvironment(options, dir))
        // After a command that printed nothing simple-git waits another 50 ms; the end of its output is as good as output.
        .outputHandler((_command, stdout) => void stdout.once('end', () => stdout.emit('data', Buffer.alloc(0)))),
    );
    return { git, ended, args: [...ALWAYS, ...args] };
  };

  const attempt = async (...args: readonly string[]): Promise<GitExit> => {
    const { git, ended, args: full } = await start(args);
    try {
      return { code: 0, out: await git.raw(full), err: ended.exit?.err ?? '' };
    } catch (error) {
      if (options.signal?.aborted) throw new XzError('interrupted', 'interrupted', { cause: error });
      if (/ENOENT/.test(errorMessage(error)) || (ended.exit !== undefined && /ENOENT/.test(String(ended.failure)))) throw gitMissing(error);
      if (ended.exit !== undefined && ended.exit.code !== 0) return ended.exit;
      throw new XzError('git_failed', `git ${args.join(' ')}: ${errorMessage(error)}`, { cause: error });
    }
  };

  return {
    dir,
    options,
    attempt,
    async run(...args) {
      const { code, out, err } = await attempt(...args);
      if (code === 0) return out.replace(/\n$/, '');
      throw new XzError('git_failed', firstGitError({ code, out, err }), { data: { command: `git ${args.join(' ')}`, exit: code } });
    },
    async blob(object) {
      const { git, args } = await start(['cat-file', '--filters', object]);
      try {
        const bytes: unknown = await git.binaryCatFile(args.slice(args.indexOf('cat-file') + 1));
        return Buffer.isBuffer(bytes) ? bytes : undefined;
      } catch (error) {
        if (options.signal?.aborted || isAbort(error)) throw new XzError('interrupted', 'interrupted', { cause: error });
        return undefined;
      }
    },
    worktree: (other) => openGit(other, { ...options, here: true }),
    unstoppable: () => openGit(dir, { ...options, signal: undefined }),
  };
}

function wrap<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new XzError('git_failed', errorMessage(error), { cause: error });
  }
}

function gitMissing(cause: unknown): XzError {
  return new XzError('git_failed', 'git is not installed, or not on the PATH', {
    cause,
    hint: 'install git, or work without worktrees',
    data: { missing: true },
  });
}

/** True for the error that says there is no git program. */
export function isGitMissing(error: unknown): boolean {
  return error instanceof XzError && error.code === 'git_failed' && error.data.missing === true;
}

/** The line of git's answer that names the fault: later lines are often only its consequence. */
export function firstGitError({ code, out, err }: GitExit): string {
  const lines = `${err}\n${out}`
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('hint:'));
  const [first] = lines;
  const named = lines.find((line) => /^(fatal|error):/.test(line));
  // What a filter or a helper program said before it went is the fault; git only says that it went.
  if (named !== undefined && first !== undefined && named !== first && /hung up unexpectedly/.test(named)) return `${first} (${named})`;
  return named ?? first ?? `git ended with exit code ${code}`;
}

/** Splits the output of a `-z` command. */
export function splitNul(text: string): string[] {
  return text.split('\0').filter((part) => part !== '');
}

/** `-c` options that give xz's commits a name where the person has set none, and never ask for a signature. */
export async function commitOptions(git: Git): Promise<string[]> {
  const options = ['-c', 'commit.gpgsign=false'];
  const known = await git.attempt('-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT');
  if (known.code === 0) return options;
  for (const [key, value] of [
    ['user.name', 'xz'],
    ['user.email', 'xz@localhost'],
  ] as const) {
    if ((await git.attempt('config', '--get', key)).code !== 0) options.push('-c', `${key}=${value}`);
  }
  return options;
}
