// The house rules of docs/design.md, section 1, read out of the imports.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const ROOMS = ['cli', 'lead', 'workers', 'mailbox', 'store'];

interface Import {
  readonly target: string;
  /** Erased by the compiler: a type-only import makes no cycle at run time. */
  readonly typeOnly: boolean;
  readonly names: string;
}

interface Source {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

function sourcesOf(room: string): Source[] {
  return readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const path = join(room, name);
      const text = readFileSync(join(ROOT, path), 'utf8');
      return { path, text, imports: importsOf(text) };
    });
}

function importsOf(text: string): Import[] {
  const found: Import[] = [];
  for (const m of text.matchAll(/^(?:import|export)\s+(type\s+)?([^'";]*?)\s*from\s+'([^']+)'/gms)) {
    const names = m[2] ?? '';
    const named = /^\{([\s\S]*)\}$/.exec(names.trim())?.[1];
    const allTypes = named?.split(',').every((part) => part.trim() === '' || part.trim().startsWith('type ')) === true;
    found.push({ target: m[3] ?? '', typeOnly: m[1] !== undefined || allTypes, names });
  }
  for (const m of text.matchAll(/^import\s+'([^']+)'/gm)) found.push({ target: m[1] ?? '', typeOnly: false, names: '' });
  // A dynamic import cannot make a cycle at load time, but it still must not go against the grain.
  for (const m of text.matchAll(/\bimport\('([^']+)'\)/g)) found.push({ target: m[1] ?? '', typeOnly: true, names: '' });
  return found;
}

const sources = ROOMS.flatMap(sourcesOf);
const byPath = new Map(sources.map((source) => [source.path, source]));
const local = (source: Source, target: string) => relative(ROOT, resolve(ROOT, dirname(source.path), target));

function offenders(check: (source: Source) => string | undefined): string[] {
  return sources.flatMap((source) => {
    const why = check(source);
    return why === undefined ? [] : [`${source.path}: ${why}`];
  });
}

describe('the rooms', () => {
  test('import only from rooms to their right', () => {
    const bad = sources.flatMap((source) =>
      source.imports
        .filter(({ target }) => target.startsWith('.'))
        .map(({ target }) => local(source, target).split('/')[0] ?? '')
        .filter((room) => !ROOMS.includes(room) || ROOMS.indexOf(room) < ROOMS.indexOf(source.path.split('/')[0] ?? ''))
        .map((room) => `${source.path} imports from ${room}`),
    );
    expect(bad).toEqual([]);
  });

  test('have no import cycle', () => {
    const cycles: string[] = [];
    const done = new Set<string>();
    const visit = (path: string, trail: readonly string[]): void => {
      const at = trail.indexOf(path);
      if (at >= 0) {
        cycles.push([...trail.slice(at), path].join(' -> '));
        return;
      }
      if (done.has(path)) return;
      const source = byPath.get(path);
      for (const { target, typeOnly } of source?.imports ?? []) {
        if (source !== undefined && !typeOnly && target.startsWith('.')) visit(local(source, target), [...trail, path]);
      }
      done.add(path);
    };
    for (const { path } of sources) visit(path, []);
    expect(cycles).toEqual([]);
  });

  test('write their relative imports with .ts and have no barrel', () => {
    const bad = offenders(({ text, imports }) => {
      if (imports.some(({ target }) => target.startsWith('.') && !target.endsWith('.ts'))) return 'an import without .ts';
      return /^export\s+(type\s+)?(\*|\{[^}]*\})\s*from/m.test(text) ? 're-exports' : undefined;
    });
    expect(bad).toEqual([]);
  });
});

describe('each power has one place', () => {
  const writers =
    /\b(write|writev|writeFile|appendFile|rename|rm|rmdir|unlink|mkdir|mkdtemp|link|symlink|copyFile|cp|truncate|ftruncate|chmod|fchmod|utimes|createWriteStream)(Sync)?\b/;

  test('fs writes: store/files.ts, folders.ts and temp-files.ts', () => {
    const bad = offenders(({ path, imports }) =>
      !['store/files.ts', 'store/folders.ts', 'store/temp-files.ts'].includes(path) &&
      imports.some(({ target, names }) => /^node:fs(\/promises)?$/.test(target) && (writers.test(names) || /\*|^\w+$/.test(names)))
        ? 'writes with fs'
        : undefined,
    );
    expect(bad).toEqual([]);
  });

  test('standard streams, process.exit and the environment: cli/', () => {
    const bad = offenders(({ path, text }) =>
      !path.startsWith('cli/') &&
      path !== 'workers/teammate.ts' &&
      /\bprocess\.(stdin|stdout|stderr|exit|env|cwd)\b|\bconsole\./.test(stripped(text))
        ? 'touches the process'
        : undefined,
    );
    expect(bad).toEqual([]);
  });

  test('what is of the whole process, not of a thread: folder, file mode and signals, in cli/ (L3)', () => {
    const bad = offenders(({ path, text }) =>
      !path.startsWith('cli/') && /\bprocess\.(chdir|umask|setuid|title\s*=|(on|once)\('(SIG|uncaught|unhandled))/.test(text)
        ? 'changes what all threads share'
        : undefined,
    );
    expect(bad).toEqual([]);
  });

  test('the model library: workers/agent/model/; the SQLite module: store/sqlite.ts; worker threads: not in store/', () => {
    const bad = offenders(({ path, imports }) => {
      if (imports.some((i) => i.target.startsWith('@mariozechner/pi-ai')) && !path.startsWith('workers/agent/model/'))
        return 'imports pi-ai';
      if (imports.some((i) => i.target.startsWith('better-sqlite3')) && path !== 'store/sqlite.ts') return 'imports better-sqlite3';
      if (imports.some((i) => i.target === 'terminal-kit') && !path.startsWith('cli/')) return 'imports terminal-kit';
      return undefined;
    });
    expect(bad).toEqual([]);
  });
});

test('files keep one idea: none is longer than 330 lines', () => {
  expect(offenders(({ text }) => (text.split('\n').length > 330 ? `${text.split('\n').length} lines` : undefined))).toEqual([]);
});

/** The text without comments and strings, so that words in them are not taken for code. */
function stripped(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '');
}
