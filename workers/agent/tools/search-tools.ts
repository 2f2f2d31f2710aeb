// glob and grep: what files there are and where a text is in them. Both respect .gitignore and never look into worktrees,
// git's own files, installed packages or xz's data. The engines are loaded at the first search.
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { Type } from 'typebox';
import { errnoOf, throwIfAborted, XzError } from '../../../store/errors.ts';
import { isClosed, isInside, type Place, placeOf, realTarget } from '../files/paths.ts';
import type { Found, Query } from '../search/query.ts';
import type { FoundEntry, FoundFile } from '../search/scope.ts';
import { pathRules } from './file-access.ts';
import type { Outputs } from './outputs.ts';
import { defineTool, type Tool, type ToolContext } from './tool.ts';

const DEFAULT_LIMIT = 100;
const MOST_FILES = 1_000;
/** `limit: 0` means all, which is still an amount that can be held. */
const ALL = 100_000;

export interface SearchToolDeps {
  readonly outputs: Outputs;
  /** The PATH on which `rg` is looked for; undefined: never use it. */
  readonly path: string | undefined;
  /** Absolute places that are not searched even below the root: `~/.xz`, credential files. */
  readonly closed?: readonly string[];
  /** Folders outside the root that may be searched; see PathRules. */
  readonly readable?: () => readonly string[];
  /** True for a path, relative to the root, that a rule forbids to read. */
  readonly denied?: (path: string) => boolean;
}

export function createSearchTools(deps: SearchToolDeps): Tool[] {
  let ripgrep: { readonly program: string | undefined } | undefined;
  const program = async () => {
    const { findRipgrep } = await import('../search/ripgrep-engine.ts');
    return (ripgrep ??= { program: findRipgrep(deps.path) }).program;
  };
  return [globTool(deps), grepTool(deps, program)];
}

const WHERE = Type.Optional(Type.String({ description: 'Folder or file to search, relative to the root; the root if not given' }));

function globTool(deps: SearchToolDeps): Tool {
  return defineTool({
    name: 'glob',
    description:
      'Lists files whose path fits a pattern such as src/**/*.ts; a pattern without a slash is held against the file name, at any depth. Ignored files, node_modules, .git and .worktrees are left out; links are listed when they lead to a file below the root, and never followed. Paths come back sorted, relative to the root, at most 1,000.',
    parameters: Type.Object({ pattern: Type.String({ description: 'Glob pattern' }), path: WHERE }),
    readOnly: true,
    keyed: false,
    async run(args, context) {
      if (args.pattern.trim() === '')
        throw new XzError('bad_input', 'glob: the pattern is empty', { hint: 'give one such as *.ts, or **/* for all files' });
      const { globTest } = await import('../search/query.ts');
      const start = startOf(deps, context, args.path);
      const fits = globTest(args.pattern);
      const names: string[] = [];
      const isOpen = openTest(deps, start.folder);
      const take = (name: string): boolean => {
        if (fits(name) && isOpen(name)) names.push(name);
        return names.length <= ALL;
      };
      if (start.file !== undefined) take(start.file);
      else {
        const { walkFilesAndLinks } = await import('../search/scope.ts');
        const leadsToFile = linkTest(deps, context, start.folder);
        await takeAll(walkFilesAndLinks(start.folder), context.signal, ({ name, isLink }) => (isLink && !leadsToFile(name)) || take(name));
      }
      if (names.length === 0) return { text: `no file fits ${args.pattern}${await leftOut(start)}` };
      const shown = names
        .sort()
        .slice(0, MOST_FILES)
        .map((name) => start.prefix + name);
      return { text: shown.join('\n') + (names.length > MOST_FILES ? `\n[more than ${MOST_FILES} files; use a narrower pattern]` : '') };
    },
  });
}

function grepTool(deps: SearchToolDeps, program: () => Promise<string | undefined>): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Searches the lines of text files for a regular expression (or plain text with literal: true) and returns path:line: text. include limits it to files that fit a glob such as *.ts. At most limit lines (100). Ignored files, node_modules, .git and .worktrees are left out.',
    parameters: Type.Object({
      pattern: Type.String({ description: 'Regular expression, case-sensitive; start with (?i) to ignore case' }),
      path: WHERE,
      include: Type.Optional(Type.String({ description: 'Glob for file names' })),
      literal: Type.Optional(Type.Boolean({ description: 'Take the pattern as plain text' })),
      limit: Type.Optional(Type.Integer({ description: 'Most lines to return, 100 if not given, 0 for all' })),
    }),
    readOnly: true,
    keyed: false,
    async run(args, context) {
      if (args.pattern === '') throw new XzError('bad_input', 'grep: the pattern is empty');
      if (args.pattern.includes('\0')) throw new XzError('bad_input', 'grep: the pattern holds a NUL character');
      const start = startOf(deps, context, args.path);
      const isDenied = (name: string) => deps.denied?.(start.prefix + name) === true;
      if (start.file !== undefined && isDenied(start.file))
        throw new XzError('refused', `a rule in [permissions] deny forbids to read ${start.prefix}${start.file}`);
      const limit = args.limit === undefined ? DEFAULT_LIMIT : args.limit <= 0 ? ALL : args.limit;
      const query: Query = { pattern: args.pattern, literal: args.literal === true, include: args.include, limit };
      const { searchWithNode } = await import('../search/node-engine.ts');
      const { searchWithRipgrep } = await import('../search/ripgrep-engine.ts');
      const rg = await program();
      const withNode = () => searchWithNode(start.folder, start.single, query, context.signal);
      const found =
        rg === undefined
          ? await withNode()
          : // What ripgrep does not take (looking around, back references) may still be a pattern for us.
            ((await searchWithRipgrep(rg, start.folder, start.file, query, context.signal)) ?? (await withNode()));
      const isOpen = openTest(deps, start.folder);
      const open = found.hits.filter((hit) => isOpen(hit.name));
      const hits = open.filter((hit) => !isDenied(hit.name));
      const notes =
        open.length === hits.length ? found.notes : [...found.notes, 'a rule in [permissions] deny forbids to read further files'];
      const more = hits.length === 0 ? await leftOut(start) : '';
      return { text: showFound({ ...found, hits, notes }, start.prefix, args.pattern, limit) + more };
    },
  });
}

/** Nothing found is no proof that nothing is there: what a search that found nothing left out, said after it. */
async function leftOut(start: Start): Promise<string> {
  const { leavesOut } = await import('../search/scope.ts');
  if (start.file !== undefined || !leavesOut(start.folder)) return '';
  return '\n[files that .gitignore names, node_modules, .git and .worktrees were left out; give such a folder as path to search it]';
}

function showFound(found: Found, prefix: string, pattern: string, limit: number): string {
  const lines = found.hits.map((hit) => `${prefix}${hit.name}:${hit.line}: ${hit.text}`);
  if (lines.length === 0) lines.push(`no line matches ${pattern.slice(0, 200)}`);
  if (found.cut) lines.push(`[only the first ${limit} lines; narrow the pattern, the path or include]`);
  return [...lines, ...found.notes.map((note) => `[${note}]`)].join('\n');
}

/** Which names below a folder are not in a closed place. */
function openTest(deps: SearchToolDeps, folder: string): (name: string) => boolean {
  const closed = (deps.closed ?? []).map((place) => realTarget(place)).filter((place) => isInside(place, folder));
  return (name) => !closed.some((place) => isInside(join(folder, name), place));
}

interface Start {
  /** Absolute. */
  readonly folder: string;
  /** The name of the one file that is searched. */
  readonly file: string | undefined;
  readonly single: FoundFile | undefined;
  /** Put before names so that they are relative to the root. */
  readonly prefix: string;
}

function startOf(deps: SearchToolDeps, context: ToolContext, path: string | undefined): Start {
  const place: Place = placeOf(pathRules(deps, context), path?.trim() || '.', 'read');
  if (!place.exists) throw new XzError('not_found', `there is no ${place.shown}`);
  const stat = lstatSync(place.real);
  if (stat.isDirectory())
    return { folder: place.real, file: undefined, single: undefined, prefix: place.shown === '.' ? '' : `${place.shown}/` };
  if (!stat.isFile()) throw new XzError('refused', `${place.shown} is neither a file nor a folder`);
  const name = basename(place.real);
  const shown = relative('.', dirname(place.shown));
  return {
    folder: dirname(place.real),
    file: name,
    single: { path: place.real, name },
    prefix: shown === '' ? '' : `${shown}/`,
  };
}

/** Which links lead to a regular file that may be read: below the root or the folder searched, and not closed. */
function linkTest(deps: SearchToolDeps, context: ToolContext, folder: string): (name: string) => boolean {
  const places = [realpathSync(context.root), folder];
  return (name) => {
    try {
      const real = realpathSync(join(folder, name));
      return places.some((place) => isInside(real, place)) && !isClosed(real, deps.closed ?? []) && lstatSync(real).isFile();
    } catch (error) {
      // Dangling, a loop, or not to be looked into.
      if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG'].includes(errnoOf(error) ?? '')) return false;
      throw error;
    }
  };
}

async function takeAll(found: Iterable<FoundEntry>, signal: AbortSignal, take: (entry: FoundEntry) => boolean): Promise<void> {
  let count = 0;
  for (const entry of found) {
    if (!take(entry)) return;
    if (++count % 500 === 0) {
      await new Promise((resolve) => setImmediate(resolve));
      throwIfAborted(signal);
    }
  }
}
