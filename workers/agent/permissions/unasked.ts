// Which shell commands need no question: every part is known to only read, and only below the root. What cannot be told
// for sure is asked about as before.
import { posix } from 'node:path';
import { gitSubcommand } from './git-danger.ts';
import { onlyReads } from './read-only.ts';
import { type ShellPart, type ShellScript, UNKNOWN } from './shell-parts.ts';
import { isTelling } from './telling.ts';

export interface ReadingPlace {
  /** A path from the root (`cwd` is relative to it) as it really is: relative to the root, absolute when outside. */
  readonly real: (path: string) => string;
  /**
   * What a shell's pattern stands for in a folder (relative to the root, or absolute), as the pattern writes it. Undefined:
   * too much to look at.
   */
  readonly matching: (folder: string, pattern: string) => readonly string[] | undefined;
  /** True when a rule forbids to read the path. */
  readonly denied: (path: string) => boolean;
  /** True when there is such a rule at all. */
  readonly deniesSome: boolean;
}

/** They tell about the machine and its secrets, not about the workspace. */
const TELLS_OF_MACHINE = new Set(['env', 'printenv', 'ps', 'less', 'more', 'man', 'jq', 'yq']);
const PATTERN_FIRST = new Set(['grep', 'egrep', 'fgrep', 'rg']);
/** Options by which a command follows links out of the workspace, or reads the files that a list names. */
const LEADS_OUT: Readonly<Record<string, RegExp>> = {
  ls: /^(-[a-zA-Z]*[LH]|--deref)/,
  grep: /^(-[a-zA-Z]*R|--deref)/,
  egrep: /^(-[a-zA-Z]*R|--deref)/,
  fgrep: /^(-[a-zA-Z]*R|--deref)/,
  rg: /^(-[a-zA-Z]*L|--follow)/,
  fd: /^(-[a-zA-Z]*L|--follow)/,
  find: /^-(L|H|follow|files0)/,
  tree: /^-[a-zA-Z]*l/,
  diff: /^(-[a-zA-Z]*r|--rec|--(from|to)-f)/,
  du: /^(-[a-zA-Z]*[LDH]|--(deref|files))/,
  sort: /^--fi/,
  wc: /^--f/,
};
/** The only commands that may carry another one. */
const CARRIERS = new Set(['timeout', 'nice']);

/** True when the command may run unasked. `command` is the text the script was made of. */
export function readsInside(command: string, script: ShellScript, place: ReadingPlace): boolean {
  if (!script.parsed || script.writes.length > 0 || script.parts.length === 0) return false;
  if (/<\s*["']?[~/$]|<[^|;&\n]*\.\./.test(command.replace(/<\s*\/dev\/null(?![^\s;|&)])/g, ''))) return false;
  const at: Reading = { folders: ['.'], patterns: script.patterns, place };
  // A redirection is read from a folder that was entered before it, or after: it must be inside from any.
  return script.parts.every((part) => partReadsInside(part, at)) && script.reads.every((path) => isInside(path, at));
}

/** Where a script reads: the folders that its commands may be run in, and what it leaves to the shell to find. */
interface Reading {
  readonly folders: string[];
  readonly patterns: ReadonlyMap<string, string | undefined>;
  readonly place: ReadingPlace;
}

function partReadsInside(part: ShellPart, at: Reading): boolean {
  // A variable such as PATH, LESSOPEN or GIT_EXTERNAL_DIFF makes any command another one.
  if (!part.assigns.every((name) => /^([a-z_][a-z0-9_]*|LANG|LC_[A-Z]+|TZ)$/.test(name) && !isTelling(name))) return false;
  if (!onlyReads(part)) return false;
  const [name = '', ...args] = part.words;
  if (part.unsure || TELLS_OF_MACHINE.has(name)) return false;
  // What is carried is held to all of this itself.
  if (part.inner.length > 0) return CARRIERS.has(name) && part.inner.every((inner) => partReadsInside(inner, at));
  if (args.some((arg) => LEADS_OUT[name]?.test(arg))) return false;
  // What they find below a folder they read, whatever its name is.
  if (at.place.deniesSome && readsBelow(name, args)) return false;
  const replaced = part.words.filter((word) => at.patterns.has(word));
  if (name === 'cd') return replaced.length === 0 && entersInside(args, at);
  // The settings of a repository can name programs; only those of the workspace itself are known.
  if (name === 'git' && (at.folders.length > 1 || !hasPlainOptions(args))) return false;
  if (name === 'echo' || name === 'printf')
    return !args.some((arg) => arg === '-v') && replaced.filter((word) => /[*?[]/.test(word)).every((word) => isInside(word, at));
  // It follows links in the folders that it compares.
  if (name === 'diff' && args.some((arg) => !arg.startsWith('-') && isFolder(arg, at))) return false;
  return replaced.every((word) => isInside(word, at)) && pathsIn(name, args).every((path) => isInside(path, at));
}

const readsBelow = (name: string, args: readonly string[]): boolean =>
  name === 'rg' ||
  (PATTERN_FIRST.has(name) && args.some((arg) => /^(-[a-zA-Z]*[rR]|--(deref|rec))/.test(arg))) ||
  (name === 'git' && /^(grep|log|show|diff|blame|cat-file|whatchanged)$/.test(gitSubcommand(args).name));

/** In a folder that can be read `.*` has at least itself. */
const isFolder = (path: string, { folders, place }: Reading): boolean =>
  folders.some((folder) => place.matching(folder, `${path}/.*`)?.length !== 0);

function hasPlainOptions(args: readonly string[]): boolean {
  const before = args.slice(0, args.length - gitSubcommand(args).rest.length - 1);
  return before.every((arg) => arg === '--no-pager' || arg === '-P' || arg === '--no-optional-locks');
}

/** A later command may or may not run in the folder (subshells, `||`): its paths must be inside from either. */
function entersInside(args: readonly string[], at: Reading): boolean {
  const { folders } = at;
  const [folder] = args;
  if (args.length !== 1 || folder === undefined || folder.startsWith('-') || !isInside(folder, at)) return false;
  // A shell goes up from a link to where it came from, not to where the link leads.
  if (/[^./][^/]*\/+\.\.(\/|$)/.test(folder)) return false;
  folders.push(...folders.map((from) => posix.join(from, folder)));
  return folders.length <= 16;
}

/** The words that could be paths: all but the pattern of a search. */
function pathsIn(name: string, args: readonly string[]): readonly string[] {
  if (!PATTERN_FIRST.has(name) || args.some((arg) => /^(-\w*[ef]|--[rf])/.test(arg))) return args;
  const pattern = args.findIndex((arg) => !arg.startsWith('-'));
  return args.filter((_, at) => at !== pattern);
}

function isInside(word: string, at: Reading): boolean {
  if (word === '/dev/null') return true;
  if (at.patterns.has(word) && !areInside(at.patterns.get(word), at)) return false;
  if (word.startsWith('-'))
    return !/[=\w]\/|[=\w]~|\.\.\/|\$[\w{(]|`|\{.*(,|\.\.).*\}/.test(word) && optionPaths(word).every((path) => leadsInside(path, at));
  if (word.startsWith('~') || word.includes(UNKNOWN) || /\$[\w{([@*]|`|\{.*(,|\.\.).*\}/.test(word)) return false;
  return leadsInside(word, at);
}

/** True when all that a pattern stands for is inside, and nothing of it would be taken for an option. */
function areInside(pattern: string | undefined, at: Reading): boolean {
  if (pattern === undefined) return false;
  return at.folders.every((folder) => {
    const paths = at.place.matching(folder, pattern);
    return paths?.every((path) => !path.startsWith('-') && leadsInside(path, { ...at, folders: [folder] })) ?? false;
  });
}

/** What an option could name: a file called like it (after `--`), the value after `=`, and what follows its letters. */
function optionPaths(word: string): string[] {
  const values = word.startsWith('--') ? word.split('=').slice(1) : [...word.slice(2, 80)].map((_, index) => word.slice(index + 2));
  return [word, ...values].filter((path) => path !== '');
}

function leadsInside(path: string, { folders, place }: Reading): boolean {
  return folders.every((folder) => {
    const real = whereItLeads(path, folder, place.real);
    return !/^(\.\.(\/|$)|\/)/.test(real) && !real.split('/').includes('.xz') && !place.denied(real);
  });
}

/** Where a path leads in a shell: `link/..` is the folder above the link's target. `folder` and the result are as `real` has them. */
export function whereItLeads(path: string, folder: string, real: ReadingPlace['real']): string {
  let at = posix.isAbsolute(path) ? '/' : folder;
  if (!/(^|\/)\.\.(\/|$)/.test(path)) return real(posix.join(at, path));
  for (const name of path.split('/')) at = name === '..' ? posix.join(real(at), '..') : posix.join(at, name);
  return real(at);
}
