// Which git commands are refused: those that delete ignored files (xz's stores are ignored), and in a worktree those that
// reach what all checkouts share: stash, worktree list, remote, the branch itself.

/** Options before the subcommand that take a value. */
const VALUE_OPTIONS = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--super-prefix', '--exec-path', '--config-env']);

/** The subcommand and its arguments, past git's own options. */
export function gitSubcommand(args: readonly string[]): { readonly name: string; readonly rest: readonly string[] } {
  let at = 0;
  while (at < args.length && (args[at] ?? '').startsWith('-')) at += VALUE_OPTIONS.has(args[at] ?? '') ? 2 : 1;
  return { name: args[at] ?? '', rest: args.slice(at + 1) };
}

/** Why a git command is refused, or undefined. `args` come after the word `git`. */
export function gitDanger(args: readonly string[], input: { readonly inWorktree: boolean }): string | undefined {
  const { name, rest } = gitSubcommand(args);
  const flags = rest
    .filter((arg) => /^-[A-Za-z]+$/.test(arg))
    .join('')
    .replaceAll('-', '');
  const dryRun = flags.includes('n') || rest.includes('--dry-run');
  if (name === 'clean' && /x/i.test(flags) && !dryRun)
    return 'git clean with -x or -X also deletes ignored files: the history, tasks and memory of this workspace';
  if (name === 'stash' && (rest.includes('--all') || /a/.test(flags)) && !isStashListing(rest))
    return 'git stash --all takes ignored files away: the history, tasks and memory of this workspace';
  return input.inWorktree ? worktreeDanger(name, rest, flags) : undefined;
}

const isStashListing = (rest: readonly string[]): boolean => rest[0] === 'list' || rest[0] === 'show';

function worktreeDanger(name: string, rest: readonly string[], flags: string): string | undefined {
  if (name === 'stash' && !isStashListing(rest)) return 'the stash is shared by all worktrees; commit on your branch instead';
  if (name === 'worktree' && rest[0] !== 'list') return 'worktrees are made and removed by xz';
  if (name === 'push') return 'a teammate does not push; its branch is merged by xz';
  if (name === 'switch') return 'a teammate stays on its branch';
  if (name === 'symbolic-ref' && rest.filter((arg) => !arg.startsWith('-')).length > 1) return 'a teammate stays on its branch';
  if (name === 'checkout' && !rest.includes('--') && !rest.includes('.') && !/p/.test(flags))
    return 'a teammate stays on its branch; for files use `git restore PATH` or `git checkout -- PATH`';
  return undefined;
}
