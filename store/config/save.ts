// Changes settings in config.toml and nothing else: comments, unknown keys, order, line ends and the byte order mark
// stay. What was written is proved by parsing it again before it replaces the file; a file that does not parse is never
// touched. The file is private from its first byte.
import { isDeepStrictEqual } from 'node:util';
import { XzError } from '../errors.ts';
import { ensureFolder, readBytes, writeFileAtomic } from '../files.ts';
import type { Home } from '../layout.ts';
import type { Locks } from '../lock.ts';
import { editToml } from './edit.ts';
import { type ConfigFile, parseProblem, unreadable } from './file.ts';
import { isTable, keyText } from './key.ts';
import { badConfig } from './problem.ts';

export type TomlValue = string | number | boolean | readonly string[] | Readonly<Record<string, string | number | boolean>>;

export interface Change {
  /** The parts of the key, unquoted. */
  readonly path: readonly string[];
  /** Undefined removes the key. */
  readonly value: TomlValue | undefined;
}

/**
 * Makes the changes in `home.config`, one writer at a time; returns false when the file already said so. `check` sees
 * the file as it will be, before anything is written, and throws to leave it as it is.
 */
export async function saveSettings(
  home: Home,
  locks: Locks,
  changes: readonly Change[],
  check?: (file: ConfigFile) => void,
): Promise<boolean> {
  const edit = await editor(home.config);
  return locks.withLock('config', undefined, () => {
    const before = textAt(home.config);
    const { text: after, tree } = edit(before, changes);
    check?.({ path: home.config, text: after, tree });
    if (after === before) return false;
    ensureFolder(home.root, 0o700);
    writeFileAtomic(home.config, after, { private: true });
    return true;
  });
}

/** The text with the changes made. Throws `bad_config` when it does not parse. */
export async function editConfigText(path: string, text: string, changes: readonly Change[]): Promise<string> {
  return (await editor(path))(text, changes).text;
}

function textAt(path: string): string {
  try {
    return readBytes(path)?.toString('utf8') ?? '';
  } catch (error) {
    throw badConfig([unreadable(path, error)]);
  }
}

/** Loads the two parsers; the edit itself is synchronous, so that it can be made under a lock. */
async function editor(path: string): Promise<(text: string, changes: readonly Change[]) => Pick<ConfigFile, 'text' | 'tree'>> {
  const [{ parse, TomlError }, { parseTOML }] = await Promise.all([import('smol-toml'), import('toml-eslint-parser')]);
  const read = (text: string): Record<string, unknown> => parse(text, { integersAsBigInt: 'asNeeded' });
  return (before, changes) => {
    const mark = before.startsWith('\uFEFF') ? '\uFEFF' : '';
    const start = before.slice(mark.length);
    let expected: Record<string, unknown>;
    try {
      expected = read(start);
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      throw badConfig([parseProblem(path, start, error)]);
    }
    let text = start;
    for (const change of changes) {
      text = editToml(text, change.path, change.value, parseTOML);
      place(expected, change.path, change.value);
    }
    const tree = read(text);
    if (!isDeepStrictEqual(plain(tree), plain(expected)))
      throw new XzError(
        'internal',
        `${path}: ${changes.map((change) => keyText(change.path)).join(', ')} cannot be changed without touching more`,
        {
          hint: 'nothing was written; change it in an editor',
        },
      );
    return { text: mark + text, tree };
  };
}

/** Sets or removes a value deep in a tree, making the tables on the way. */
function place(tree: Record<string, unknown>, path: readonly string[], value: TomlValue | undefined): void {
  let at = tree;
  for (const part of path.slice(0, -1)) {
    const next = at[part];
    if (isMutableTable(next)) {
      at = next;
      continue;
    }
    if (value === undefined) return;
    const made: Record<string, unknown> = {};
    at[part] = made;
    at = made;
  }
  const last = path.at(-1) ?? '';
  if (value === undefined) delete at[last];
  else at[last] = value;
}

function isMutableTable(value: unknown): value is Record<string, unknown> {
  return isTable(value);
}

/** Without prototypes and library classes, so that two parses compare by what they hold. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}
