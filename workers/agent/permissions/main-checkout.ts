// What a teammate in a worktree may do with the person's checkout: read it. A git command that would change it is refused
// however its place is named, and so is a file written there by one of the usual commands. Best effort, against mistakes:
// a program that is run may write where it likes. Pure: nothing is looked up on disk.
import { posix } from 'node:path';
import { gitSubcommand } from './git-danger.ts';
import type { Places } from './places.ts';
import { gitOnlyReads } from './read-only.ts';
import type { ShellPart } from './shell-parts.ts';

/** The worktree an agent works in, and the checkout that it belongs to. */
interface Checkouts {
  readonly main: string;
  readonly own: string;
}

/** From the agent's root; undefined when that is in no worktree of xz. */
function checkoutsOf(root: string): Checkouts | undefined {
  const found = /^(.+?)\/\.worktrees\/([^/]+)(\/|$)/.exec(posix.normalize(root));
  return found?.[1] === undefined ? undefined : { main: found[1], own: `${found[1]}/.worktrees/${found[2]}` };
}

/** True for the person's checkout, what is below it or holds it, and other worktrees; not for the agent's own. */
function isTheirs(path: string, { main, own }: Checkouts): boolean {
  if (isBelow(path, own)) return false;
  return isBelow(path, main) || isBelow(main, path);
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

const GIT_WORDS =
  'it would change the checkout of the person; work on your own branch in your worktree, and leave merging to xz (reading it is fine)';

/** Where a command is run, and the text that set variables for it. */
export interface Standing {
  readonly cwd: string;
  readonly env: string;
}

/** Why a git command is refused because of where it works, or undefined. */
export function gitElsewhere(part: ShellPart, { cwd, env }: Standing, places: Places): string | undefined {
  const checkouts = checkoutsOf(places.root);
  if (checkouts === undefined) return undefined;
  const args = part.words.slice(1);
  if (gitOnlyReads(args)) return undefined;
  const variables = part.assigns.length > 0 ? `${env} ${part.source}` : env;
  const theirs = gitPlaces(args, variables, cwd, checkouts, places).find((path) => isTheirs(path, checkouts));
  return theirs === undefined ? undefined : `in ${theirs} ${GIT_WORDS}`;
}

/** The folders a git command works on: where it is run, or what its options and variables name instead. */
function gitPlaces(args: readonly string[], variables: string, cwd: string, checkouts: Checkouts, places: Places): string[] {
  const before = args.slice(0, args.length - gitSubcommand(args).rest.length);
  let at = cwd;
  const named: string[] = [];
  for (const [index, arg] of before.entries()) {
    if (arg === '-C') at = places.resolve(at, before[index + 1] ?? '.');
    const given = /^--(git-dir|work-tree)(?:=(.*))?$/s.exec(arg);
    if (given !== null) named.push(given[2] ?? before[index + 1] ?? '');
  }
  for (const [, value = ''] of variables.matchAll(/\bGIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR)=("[^"]*"|'[^']*'|[^\s;]*)/g))
    named.push(value.replace(/^["']|["']$/g, ''));
  const paths = named.filter((value) => value !== '').map((value) => places.resolve(at, commonDir(value, checkouts)));
  return paths.length === 0 ? [at] : paths.filter((path) => !isOwnGitFolder(path, checkouts));
}

/** What git keeps for the agent's own worktree lies in the main repository. */
const isOwnGitFolder = (path: string, { main, own }: Checkouts): boolean => isBelow(path, `${main}/.git/worktrees/${posix.basename(own)}`);

const commonDir = (value: string, { main }: Checkouts): string =>
  value.replace(/\$\(git rev-parse (?:--path-format=absolute )?--git-common-dir\)/g, `${main}/.git`);

/** Commands that write their last operand, and those that write or remove every one. */
const WRITE_LAST = new Set(['cp', 'mv', 'ln', 'install', 'rsync']);
const WRITE_ALL = new Set(['tee', 'touch', 'mkdir', 'rm', 'rmdir', 'unlink', 'truncate', 'shred']);

/** Why a command or a redirection is refused because of the file it writes, or undefined. */
export function writesElsewhere(part: ShellPart, cwd: string, places: Places): string | undefined {
  const checkouts = checkoutsOf(places.root);
  if (checkouts === undefined) return undefined;
  for (const target of [...part.writes, ...written(part.words)]) {
    const path = places.resolve(cwd, target);
    // Above the checkout there are other things than the checkout.
    if (isTheirs(path, checkouts) && isBelow(path, checkouts.main)) return wordsFor(path);
  }
  return undefined;
}

/** The same for a redirection of more than one command, whose folder is not known: only an absolute path counts. */
export function redirectsElsewhere(target: string, places: Places): string | undefined {
  const checkouts = checkoutsOf(places.root);
  const path = places.resolve(places.root, target);
  return checkouts !== undefined && /^[/~$]/.test(target) && isTheirs(path, checkouts) && isBelow(path, checkouts.main)
    ? wordsFor(path)
    : undefined;
}

const wordsFor = (path: string): string => `it writes ${path}, which is outside your worktree; write the file in your worktree instead`;

function written(words: readonly string[]): string[] {
  const name = words[0]?.replace(/^.*\//, '') ?? '';
  const operands = words.slice(1).filter((word) => !word.startsWith('-') && word !== '');
  if (WRITE_LAST.has(name)) {
    const into = words.findIndex((word) => word === '-t' || word === '--target-directory');
    return into > 0 ? words.slice(into + 1, into + 2) : operands.slice(-1);
  }
  if (WRITE_ALL.has(name)) return operands;
  const inPlace = (name === 'sed' || name === 'perl') && words.some((word) => /^(-[a-zA-Z]*i|--in-place)/.test(word));
  // The script is no path, and as one it would be a strange name in the folder of the command.
  return inPlace ? operands.slice(1) : [];
}
