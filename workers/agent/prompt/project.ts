// AGENTS.md or CLAUDE.md of the project, as instructions: the first that is there, bounded.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../store/errors.ts';
import { readText } from '../../../store/files.ts';
import { beginningOf } from '../beginning.ts';

const FILES = ['AGENTS.md', 'CLAUDE.md'];
const MOST_CHARS = 24_000;

/** The text with its file's name, or undefined when the project has none. What is cut or cannot be read is said in it. */
export function projectInstructions(root: string): string | undefined {
  const unread: string[] = [];
  for (const name of FILES) {
    const text = textOf(join(root, name), (errno) => unread.push(`(${name} cannot be read: ${errno})`));
    if (!text) continue;
    const cut = text.length > MOST_CHARS ? `\n[${name} is longer; the rest was not loaded: read it with read_file]` : '';
    return [...unread, `(from ${name})`, `${beginningOf(text, MOST_CHARS)}${cut}`].join('\n');
  }
  return unread.length === 0 ? undefined : unread.join('\n');
}

function textOf(path: string, unreadable: (errno: string) => void): string | undefined {
  try {
    return isFile(path) ? readText(path)?.trim() : undefined;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    unreadable(errno);
    return undefined;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}
