// Searching with ripgrep where it is on the PATH. The pattern is always data: it follows `-e`, and the place follows `--`.
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import { errnoOf, throwIfAborted } from '../../../store/errors.ts';
import { searchFiles } from './node-engine.ts';
import { type Found, globTest, type Hit, LARGEST_FILE, type Query, shownLine } from './query.ts';
import { isIgnoredFolder, SKIPPED_FOLDERS } from './scope.ts';

/** A search that takes longer is ended, with what was found. */
const LONGEST_MS = 30_000;

/** The path of `rg`, or undefined. Looked up once an agent; relative PATH entries are not trusted. */
export function findRipgrep(path: string | undefined): string | undefined {
  for (const folder of (path ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const program = join(folder, 'rg');
    try {
      accessSync(program, constants.X_OK);
      return program;
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) throw error;
    }
  }
  return undefined;
}

/** Lines taken before the search is ended. */
const TAKEN = 5_000;

/** Ignore rules as in git, also outside a repository; hidden files are searched. */
const SCOPE = [
  '--no-config',
  '--hidden',
  '--no-require-git',
  '--color=never',
  '--no-messages',
  ...SKIPPED_FOLDERS.map((name) => `--glob=!**/${name}/**`),
  '--glob=!**/.agents/data/**',
  '--glob=!.*.tmp',
];

/** In a folder that is ignored itself, what is in it was asked for. */
const scopeOf = (folder: string): readonly string[] => (isIgnoredFolder(folder) ? [...SCOPE, '--no-ignore-parent'] : SCOPE);

/** Searches below `folder`, or in one file of it. Undefined for a pattern that ripgrep does not take. */
export async function searchWithRipgrep(
  program: string,
  folder: string,
  file: string | undefined,
  query: Query,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const hits: Hit[] = [];
  // Sorting in ripgrep would cost its threads, so more than the limit is taken and sorted here: the same lines each time.
  const most = Math.max(query.limit, TAKEN);
  const fits = query.include === undefined ? () => true : globTest(query.include);
  const where = ['--', file === undefined ? '.' : `./${file}`];
  const args = [
    ...scopeOf(folder),
    '--no-heading',
    '--with-filename',
    '--line-number',
    '--column',
    '--null',
    '--crlf',
    `--max-filesize=${LARGEST_FILE}`,
    '--max-columns=20000',
    '--max-columns-preview',
    ...(query.literal ? ['--fixed-strings'] : []),
    '-e',
    query.pattern,
    ...where,
  ];
  const { code, error, timedOut } = await lines(program, args, folder, signal, (line) => {
    const found = /^(?:\.\/)?([^\0]*)\0(\d+):(\d+):(.*)$/s.exec(line);
    if (found === null) return true;
    const [, name = '', number = '0', column = '1', text = ''] = found;
    if (fits(name)) hits.push({ name, line: Number(number), text: shownLine(text, Number(column) - 1) });
    return hits.length <= most;
  });
  if (code === 2 && hits.length === 0 && error !== '') return undefined;
  const notes = timedOut ? ['the search took too long and was ended early'] : [];
  // ripgrep sees only bytes in what is not UTF-8, so it neither finds other letters than ASCII there nor shows them.
  const undecoded = new Set(hits.flatMap(({ name, text }) => (text.includes('\ufffd') ? [name] : [])));
  if (/[^\0-\x7f]/.test(query.pattern)) await notUtf8(program, where, folder, signal, (name) => fits(name) && undecoded.add(name));
  let cut = false;
  if (undecoded.size > 0) {
    const files = [...undecoded].sort().map((name) => ({ path: join(folder, name), name }));
    const decoded = await searchFiles(files, query, signal);
    hits.splice(0, hits.length, ...hits.filter(({ name }) => !undecoded.has(name)), ...decoded.hits);
    notes.push(...decoded.notes);
    cut = decoded.cut;
  }
  hits.sort((a, b) => (a.name === b.name ? a.line - b.line : a.name < b.name ? -1 : 1));
  return { hits: hits.slice(0, query.limit), cut: cut || hits.length > query.limit, notes };
}

/** Names of the text files with a line that is not UTF-8. */
async function notUtf8(program: string, where: readonly string[], folder: string, signal: AbortSignal, take: (name: string) => void) {
  const args = [...scopeOf(folder), '--files-with-matches', '--null', '--line-regexp', '--invert-match', '-e', '.*', ...where];
  const each = (name: string): true => {
    take(name.replace(/^\.\//, ''));
    return true;
  };
  await lines(program, args, folder, signal, each, '\0');
}

interface Outcome {
  readonly code: number | null;
  readonly error: string;
  readonly timedOut: boolean;
}

function lines(
  program: string,
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
  each: (line: string) => boolean,
  separator = '\n',
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const { stdout, stderr }: { readonly stdout: Readable | undefined; readonly stderr: Readable | undefined } = child;
    let held = '';
    let error = '';
    let timedOut = false;
    let enough = false;
    const stop = () => void child.kill('SIGKILL');
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, LONGEST_MS);
    signal.addEventListener('abort', stop, { once: true });
    // In a process that may open no more files there are none, and `error` says why.
    stdout?.setEncoding('utf8');
    stderr?.setEncoding('utf8');
    stdout?.on('data', (chunk: string) => {
      const parts = (held + chunk).split(separator);
      held = parts.pop() ?? '';
      for (const part of parts) {
        if (enough) return;
        if (!each(part)) {
          enough = true;
          stop();
        }
      }
    });
    stderr?.on('data', (chunk: string) => {
      error = (error + chunk).slice(0, 2_000);
    });
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    };
    child.once('error', (cause) => {
      settle();
      reject(cause);
    });
    child.once('close', (code) => {
      settle();
      if (!enough && held !== '') each(held);
      try {
        throwIfAborted(signal);
        resolve({ code, error: error.trim(), timedOut });
      } catch (aborted) {
        reject(aborted);
      }
    });
  });
}
