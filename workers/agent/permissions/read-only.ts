// Which commands only look. In plan mode nothing else may be run; what looks only below the root runs unasked (unasked.ts).
import { gitSubcommand } from './git-danger.ts';
import type { ShellPart } from './shell-parts.ts';

const LOOKING = new Set(
  'ls cat head tail wc grep egrep fgrep rg find fd tree pwd stat file du df which type whoami id date uname echo printf sort uniq cut tr diff cmp comm nl od xxd hexdump strings basename dirname realpath readlink jq yq column true false test [ cd ps env printenv hostname sleep seq expr md5sum sha1sum sha256sum cksum man tac rev fold paste join less more'.split(
    ' ',
  ),
);
const GIT_LOOKING = new Set(
  'status log diff show blame ls-files ls-tree rev-parse describe shortlog grep cat-file merge-base rev-list name-rev for-each-ref show-ref count-objects whatchanged'.split(
    ' ',
  ),
);

/** True when the part and all it would run only read. */
export function onlyReads(part: ShellPart): boolean {
  if (part.inner.length > 0 && !part.inner.every(onlyReads)) return false;
  const [name = '', ...args] = part.words;
  if (name === '') return true;
  const writes = WRITING[name];
  if (writes !== undefined && args.some((arg) => writes.test(arg))) return false;
  if (part.needs !== 'self' && part.inner.length > 0) return true;
  if (name === 'git') return gitOnlyReads(args);
  // Their second file is written; one word may become two.
  if (name === 'uniq' || name === 'xxd')
    return !args.some((arg) => /[*?[{$`]/.test(arg)) && args.filter((arg) => !arg.startsWith('-')).length < 2;
  // A bare number sets the clock; after these options it is a moment or a file.
  if (name === 'date')
    return args.every((arg, at) => !/^\d/.test(arg) || /^(-[a-zA-Z]*[dfr]|--(date|file|reference))$/.test(args[at - 1] ?? ''));
  if (name === 'hostname') return args.every((arg) => arg.startsWith('-') && !/[*?[{$`]/.test(arg));
  return LOOKING.has(name) && !runsName(part.words);
}

/** `test -v` runs what is in the brackets of a name. */
export function runsName([name = '', ...args]: readonly string[]): boolean {
  return (name === 'test' || name === '[') && args.some((arg, at) => args[at - 1] === '-v' && !/^\w+$/.test(arg));
}

/** Options by which a looking command writes a file, sets something or runs another program; short ones also in a group. */
const WRITING: Readonly<Record<string, RegExp>> = {
  env: /^(-[a-zA-Z]*S|--s)/,
  find: /^-(delete|ok|okdir|fprint.*|fls)$/,
  sort: /^(-[a-zA-Z]*o|--o|--comp)/,
  yq: /^(-[a-zA-Z]*[is]|--in|--split)/,
  date: /^(-[uR]*s|--s)/,
  rg: /^--(pre|hostname-bin)/,
  fd: /^(-[a-zA-Z]*[xX]|--exec)/,
  tree: /^(-[a-zA-Z]*[oR]|--output)/,
  file: /^(-[a-zA-Z]*C|--comp)/,
  xxd: /^-(r|revert)/,
  less: /^(-[a-zA-Z]*[oOk]|--(log|LOG|lesskey)|\+)/,
  man: /^(-[a-zA-Z]*[PHXCM]|--(pa|ht|gxd|con|man))/,
  printf: /^-v/,
  hostname: /^(-[a-zA-Z]*[Fb]|--file|--boot)/,
};

/** True when a git command only reads; `args` come after the word `git`. */
export function gitOnlyReads(args: readonly string[]): boolean {
  const { name, rest } = gitSubcommand(args);
  // `-c` can set an alias or a pager that runs anything, and `--exec-path` says which programs git is made of.
  if (args.slice(0, args.length - rest.length - 1).some((arg) => arg === '-c' || /^--(config-env|exec-path)/.test(arg))) return false;
  // Long options may be shortened.
  if (rest.some((arg) => /^(--ou|--ext|--op|-O)/.test(arg))) return false;
  if (name === 'branch' || name === 'tag' || name === 'remote')
    return rest.every((arg) => /^(-v+|-a|-r|-l|--list|--show-current|--all|show)$/.test(arg));
  if (name === 'stash' || name === 'worktree') return rest[0] === 'list';
  return GIT_LOOKING.has(name);
}
