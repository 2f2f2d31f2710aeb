// AGENTS.md or CLAUDE.md of the project, as instructions: the first that is there, bounded.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../store/errors.ts';
import { readText } from '../../../store/files.ts';

const FILES = ['AGENTS.md', 'CLAUDE.md'];
const MOST_CHARS = 24_000;

/** The text with its file's name, or undefined when the project has none. A cut is said in the text itself. */
export function projectInstructions(root: string): string | undefined {
  for (const name of FILES) {
    const text = isFile(join(root, name)) ? readText(join(root, name))?.trim() : undefined;
    if (!text) continue;
    const cut = text.length > MOST_CHARS ? `\n[${name} is longer; the rest was not loaded: read it with read_file]` : '';
    return `(from ${name})\n${text.slice(0, MOST_CHARS)}${cut}`;
  }
  return undefined;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}
