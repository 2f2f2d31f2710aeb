// Which folders no command may delete as a whole. Pure path arithmetic: nothing is looked up on disk.
import { dirname, posix } from 'node:path';
import { shellTest } from './rule.ts';
import { UNKNOWN } from './shell-parts.ts';

export interface Places {
  /** The agent's root, absolute. */
  readonly root: string;
  /** The person's home folder, absolute, when known. */
  readonly home: string | undefined;
  /** An absolute, normalised path for a word of a command line run in `cwd`. */
  resolve(cwd: string, word: string): string;
}

/** Places with the ordinary resolution: `~` and `$HOME` are the home; a variable nobody set is empty. */
export function placesOf(root: string, home: string | undefined): Places {
  return {
    root: posix.normalize(root),
    home: home === undefined ? undefined : posix.normalize(home),
    resolve(cwd, word) {
      const expanded = word
        .replace(/^~(?=\/|$)/, home ?? '~')
        .replace(/^~(\w[\w-]*)(?=\/|$)/, (all, name) => (name === 'root' ? '/root' : home?.endsWith(`/${name}`) ? home : all))
        .replace(/\$HOME\b|\$\{HOME([:?=+%-][^}]*)?\}/g, home ?? '$HOME')
        .replace(/\$\{?XZ_WORKSPACE\}?/g, root.replace(/\/\.worktrees\/.*$/, ''))
        .replace(/\$\{?PWD\}?|\$\(pwd\)|`pwd`/g, cwd)
        .replace(/\$\(git rev-parse --show-toplevel\)/g, root)
        .replace(/\$\{?[A-Za-z_]\w*\}?/g, '');
      return posix.resolve(cwd, expanded || '.');
    },
  };
}

const SYSTEM = new Set(
  [
    'bin',
    'boot',
    'dev',
    'etc',
    'home',
    'lib',
    'lib32',
    'lib64',
    'media',
    'mnt',
    'opt',
    'proc',
    'root',
    'run',
    'sbin',
    'srv',
    'sys',
    'usr',
    'var',
  ]
    .concat(['Users', 'System', 'Library', 'Applications', 'Volumes'])
    .map((name) => `/${name}`),
);

/** Below the root: history, tasks, mail and memory, which git cannot bring back. */
export const STORES = '.git .git/objects .git/refs .agents .agents/data .agents/memory .TASK .Mailbox .MEMORY .worktrees'.split(' ');

/** The name of the protected place that deleting `target` would take, or undefined. */
export function protectedPlace(target: string, cwd: string, places: Places): string | undefined {
  if (target.includes(UNKNOWN) || target === '') return undefined;
  const swept = target.replace(/\/+\.?\*+$|^\*+$|^\.\*$|\/\{?\*,\.\*\}?$/, (tail) => (tail.startsWith('/') ? '/' : '.'));
  const path = places.resolve(cwd, swept.replace(/(.)\/+$/, '$1'));
  if (path === '/') return variableOnly(target) ? `"${target}", which is / when the variable is empty` : 'the root folder /';
  if (!/[*?[]/.test(path)) return nameOf(path, places);
  const meant = placesIn(places).find((place) => standsFor(path, place));
  return meant === undefined ? undefined : `${nameOf(meant, places)}, which "${target}" stands for too`;
}

/** What a path is to the person when nothing may delete it, or undefined. */
function nameOf(path: string, places: Places): string | undefined {
  if (SYSTEM.has(path)) return `the system folder ${path}`;
  if (places.home !== undefined && isAtOrAbove(path, places.home)) return `the home folder ${path}`;
  if (path === places.root) return 'the whole workspace';
  if (isAtOrAbove(path, places.root)) return `${path}, which holds the workspace`;
  const store = STORES.find((name) => path === posix.join(places.root, name));
  if (store !== undefined) return `${store} of the workspace`;
  const gitFolder = /^(.*)\/\.git$/.exec(path)?.[1];
  // A nested repository may be thrown away; the one that holds the workspace may not.
  return gitFolder !== undefined && isAtOrAbove(gitFolder, places.root) ? `the repository ${path}` : undefined;
}

/** True when the folder is the path or holds it. */
export const isAtOrAbove = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** All places that have a name above. */
function placesIn({ root, home }: Places): string[] {
  const above = (path: string): string[] => (dirname(path) === path ? [] : [path, ...above(dirname(path))]);
  const holding = above(root);
  const stores = STORES.map((name) => posix.join(root, name));
  return [
    ...SYSTEM,
    ...(home === undefined ? [] : above(home)),
    ...stores,
    ...holding,
    ...holding.map((folder) => posix.join(folder, '.git')),
  ];
}

/** True when a shell could put in this path for the pattern. */
function standsFor(pattern: string, path: string): boolean {
  const names = path.split('/');
  const segments = pattern.split('/');
  return segments.length === names.length && segments.every((segment, at) => shellTest(segment)(names[at] ?? ''));
}

/** The same for a removal that does not descend: only a pattern that takes all files of a place counts. */
export function sweepsProtected(target: string, cwd: string, places: Places): string | undefined {
  return /(^|\/)\*+$/.test(target) ? protectedPlace(target, cwd, places) : undefined;
}

const variableOnly = (target: string): boolean => target.includes('$') && dirname(target) !== target;
