// The environment of a command that a model runs. Policy: secrets are left out by name, git finds its repository from the
// folder alone, nothing opens an editor, a pager or a prompt, and `xz` inside reaches the same workspace.
import { delimiter, join, relative, sep } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ShellIdentity {
  readonly workspace: string;
  readonly agent: string;
  /** Folder it runs in. */
  readonly cwd: string;
  /** Name of the lease that this process holds for life. */
  readonly process: string;
  /** Which command this is, unique over processes. */
  readonly shell: string;
  /** Folder that holds the program `xz`; put in front of PATH. */
  readonly programFolder?: string;
}

/** Names whose value is a secret: what INTERFACE lists, and what is called a key, token, secret or password. */
const SECRET_NAME =
  /(^|_)((API|ACCESS|SECRET|PRIVATE)?_?KEY|ACCESS_KEY_ID|TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|BEARER|PAT)$/i;

/** What `git rev-parse --local-env-vars` names as the place of a repository. */
const GIT_PLACES = new Set(
  'GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_COMMON_DIR GIT_NAMESPACE GIT_PREFIX GIT_CONFIG GIT_GRAFT_FILE GIT_SHALLOW_FILE GIT_IMPLICIT_WORK_TREE GIT_REPLACE_REF_BASE GIT_QUARANTINE_PATH'.split(
    ' ',
  ),
);

/** Sourced by every bash, or what makes a word mean another path than the one that leave was given for, or xz's own to set. */
const DROPPED = new Set([
  'BASHOPTS',
  'SHELLOPTS',
  'GLOBIGNORE',
  'CDPATH',
  'BASH_ENV',
  'ENV',
  'PROMPT_COMMAND',
  'XZ_AGENT',
  'XZ_WORKSPACE',
  'XZ_PROCESS',
  'XZ_SHELL',
  'XZ_WAKEUP',
  'XZ_NODE',
  'XZ_FAULT',
]);

const QUIET: Readonly<Record<string, string>> = {
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_PAGER: 'cat',
  PAGER: 'cat',
  MANPAGER: 'cat',
  GH_PAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS_REQUIRE: 'never',
  GH_PROMPT_DISABLED: '1',
  GCM_INTERACTIVE: 'never',
  DEBIAN_FRONTEND: 'noninteractive',
  PIP_NO_INPUT: '1',
  TERM: 'dumb',
};

/** True when a variable of that name is kept from commands. */
function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Values of all variables that are kept from commands: what must be masked where it is printed. */
export function secretsOf(env: Environment): string[] {
  return Object.entries(env).flatMap(([name, value]) => (value && isSecretName(name) ? [value] : []));
}

/** The environment for one command. */
export function shellEnvironment(env: Environment, identity: ShellIdentity): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && !isSecretName(name) && !GIT_PLACES.has(name) && !DROPPED.has(name)) out[name] = value;
  const path = out.PATH || '/usr/local/bin:/usr/bin:/bin';
  return {
    ...out,
    ...QUIET,
    PATH: identity.programFolder === undefined ? path : `${identity.programFolder}${delimiter}${path}`,
    ...ceilingOf(out, identity),
    XZ_WORKSPACE: identity.workspace,
    XZ_AGENT: identity.agent,
    XZ_PROCESS: identity.process,
    XZ_SHELL: identity.shell,
    // What `xz` in the program folder runs on, whatever `node` is on the PATH.
    ...(identity.programFolder !== undefined && { XZ_NODE: process.execPath }),
  };
}

/** In a worktree that lost its `.git` file, git would climb on and commit in the person's checkout: it may not. */
function ceilingOf(env: Environment, { workspace, cwd }: ShellIdentity): Record<string, string> {
  const worktrees = join(workspace, '.worktrees');
  const below = relative(worktrees, cwd);
  if (below === '' || below === '..' || below.startsWith(`..${sep}`)) return {};
  const ceilings = [worktrees, env.GIT_CEILING_DIRECTORIES].filter((one) => one);
  return { GIT_CEILING_DIRECTORIES: ceilings.join(delimiter) };
}
