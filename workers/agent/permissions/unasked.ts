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
  /** True when a rule forbids to read the path. */
  readonly denied: (path: string) => boolean;
}

/** They tell about the machine and its secrets, not about the workspace. */
const TELLS_OF_MACHINE = new Set(['env', 'printenv', 'ps', 'less', 'more', 'man', 'jq', 'yq']);
const PATTERN_FIRST = new Set(['grep', 'egrep', 'fgrep', 'rg']);
/** Options by which a command follows links out of the workspace, or reads the files that a list names. */
const LEADS_OUT: Readonly<Record<string, RegExp>> = {
  grep: /^(-[a-zA-Z]*R|--deref)/,
  egrep: /^(-[a-zA-Z]*R|--deref)/,
  fgrep: /^(-[a-zA-Z]*R|--deref)/,
  rg: /^(-[a-zA-Z]*L|--follow)/,
  fd: /^(-[a-zA-Z]*L|--follow)/,
  find: /^-(L|H|follow|files0)/,
  tree: /^-[a-zA-Z]*l/,
  diff: /^(-[a-zA-Z]*r|--rec)/,
  du: /^(-[a-zA-Z]*[LDH]|--(deref|files))/,
  sort: /^--fi/,
  wc: /^--f/,
};
/** The only commands that may carry another one. */
const CARRIERS = new Set(['timeout', 'nice']);

/** True when the command may run unasked. `command` is the text the script was made of. */
export function readsInside(command: string, script: ShellScript, place: ReadingPlace): boolean {
  if (!script.parsed || script.writes.length > 0 || script.parts.length === 0) return false;
  // What is read by redirection is no word of a part.
  if (/<\s*["']?[~/$]|<[^|;&\n]*\.\./.test(command)) return false;
  const folders = ['.'];
  return script.parts.every((part) => partReadsInside(part, folders, place));
}

function partReadsInside(part: ShellPart, folders: string[], place: ReadingPlace): boolean {
  // A variable such as PATH, LESSOPEN or GIT_EXTERNAL_DIFF makes any command another one.
  if (!part.assigns.every((name) => /^([a-z_][a-z0-9_]*|LANG|LC_[A-Z]+|TZ)$/.test(name) && !isTelling(name))) return false;
  if (!onlyReads(part)) return false;
  const [name = '', ...args] = part.words;
  if (part.unsure || TELLS_OF_MACHINE.has(name)) return false;
  // What is carried is held to all of this itself.
  if (part.inner.length > 0) return CARRIERS.has(name) && part.inner.every((inner) => partReadsInside(inner, folders, place));
  if (args.some((arg) => LEADS_OUT[name]?.test(arg))) return false;
  if (name === 'cd') return entersInside(args, folders, place);
  // The settings of a repository can name programs; only those of the workspace itself are known.
  if (name === 'git' && (folders.length > 1 || !hasPlainOptions(args))) return false;
  if (name === 'echo' || name === 'printf') return !args.some((arg) => arg === '-v');
  return pathsIn(name, args).every((path) => isInside(path, folders, place));
}

function hasPlainOptions(args: readonly string[]): boolean {
  const before = args.slice(0, args.length - gitSubcommand(args).rest.length - 1);
  return before.every((arg) => arg === '--no-pager' || arg === '-P' || arg === '--no-optional-locks');
}

/** A later command may or may not run in the folder (subshells, `||`): its paths must be inside from either. */
function entersInside(args: readonly string[], folders: string[], place: ReadingPlace): boolean {
  const [folder] = args;
  if (args.length !== 1 || folder === undefined || folder.startsWith('-') || !isInside(folder, folders, place)) return false;
  folders.push(...folders.map((from) => posix.join(from, folder)));
  return folders.length <= 16;
}

/** The words that could be paths: all but the pattern of a search. */
function pathsIn(name: string, args: readonly string[]): readonly string[] {
  if (!PATTERN_FIRST.has(name) || args.some((arg) => /^(-\w*[ef]|--[rf])/.test(arg))) return args;
  const pattern = args.findIndex((arg) => !arg.startsWith('-'));
  return args.filter((_, at) => at !== pattern);
}

function isInside(word: string, folders: readonly string[], place: ReadingPlace): boolean {
  if (word === '/dev/null') return true;
  if (word.startsWith('-')) return !/[=\w]\/|[=\w]~|\.\.\/|\$[\w{(]|`/.test(word);
  if (word.startsWith('~') || word.includes(UNKNOWN) || /\$[\w{(]|`|\{.*(,|\.\.).*\}/.test(word)) return false;
  return folders.every((folder) => {
    const path = place.real(posix.isAbsolute(word) ? word : posix.join(folder, word));
    return !/^(\.\.(\/|$)|\/)/.test(path) && !path.split('/').includes('.xz') && !place.denied(path);
  });
}
