// Which commands only look. In plan mode nothing else may be run; elsewhere the list has no say.
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
  if (part.needs !== 'self' && part.inner.length > 0) return true;
  if (name === 'git') return gitOnlyReads(args);
  if (name === 'find') return !args.some((arg) => /^-(delete|exec|execdir|ok|okdir|fprint.*|fls)$/.test(arg));
  if (name === 'sort') return !args.some((arg) => /^(-o|--output)/.test(arg));
  if (name === 'yq') return !args.some((arg) => /^(-i|--inplace)/.test(arg));
  if (name === 'date') return !args.some((arg) => /^(-s|--set)/.test(arg));
  return LOOKING.has(name);
}

function gitOnlyReads(args: readonly string[]): boolean {
  const { name, rest } = gitSubcommand(args);
  // `-c` can set an alias or a pager that runs anything.
  if (args.slice(0, args.length - rest.length - 1).some((arg) => arg === '-c' || arg.startsWith('--config-env'))) return false;
  if (
    rest.some(
      (arg) => arg.startsWith('--output') || arg.startsWith('--ext-diff') || arg.startsWith('--open-files-in-pager') || arg === '-O',
    )
  )
    return false;
  if (name === 'branch' || name === 'tag' || name === 'remote')
    return rest.every((arg) => /^(-v+|-a|-r|-l|--list|--show-current|--all|show)$/.test(arg));
  if (name === 'stash' || name === 'worktree') return rest[0] === 'list';
  return GIT_LOOKING.has(name);
}
