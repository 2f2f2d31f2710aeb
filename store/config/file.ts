// Reads config.toml. The parser is imported only when the file is there, and a bad file is a problem with a line, never a
// crash.
import { errnoOf } from '../errors.ts';
import { readText } from '../files.ts';
import { keyOnLine } from './locate.ts';
import type { Problem } from './problem.ts';

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
  readonly tree: Readonly<Record<string, unknown>>;
}

/** The parsed file; undefined when there is none; a problem when it cannot be used at all. */
export async function readConfigFile(path: string): Promise<ConfigFile | Problem | undefined> {
  let text: string | undefined;
  try {
    text = readText(path);
  } catch (error) {
    return unreadable(path, error);
  }
  if (text === undefined) return undefined;
  return parseConfigText(path, text);
}

/** What is wrong with a config.toml whose bytes cannot be had, and what to do about it. */
export function unreadable(path: string, error: unknown): Problem {
  const code = errnoOf(error);
  const what =
    code === 'EISDIR' ? 'it is a folder, not a file: move it away' : `it cannot be read (${code ?? error}): check its owner and mode`;
  return { where: path, what };
}

/** Parses the text of a config.toml. */
export async function parseConfigText(path: string, text: string): Promise<ConfigFile | Problem> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    // Integers beyond 2^53 may stand under keys that are not ours; they must not make the file unreadable.
    return { path, text, tree: parse(text, { integersAsBigInt: 'asNeeded' }) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return parseProblem(path, text, error);
  }
}

/** A syntax error as a problem: its line, and the key that line sets. */
export function parseProblem(path: string, text: string, error: { readonly line: number; readonly message: string }): Problem {
  const key = keyOnLine(text, error.line);
  const [first = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
  return { where: path, line: error.line, what: `not valid TOML: ${first}`, ...(key === undefined ? {} : { key }) };
}
