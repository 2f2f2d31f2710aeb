// What happens to a file that cannot be read as what it should be: it is moved aside once, named to the person, and
// never overwritten with an empty state. A file younger than two seconds may still be being written by an editor.
import { lstatSync } from 'node:fs';
import { basename } from 'node:path';
import { errnoOf } from './errors.ts';
import { moveFile } from './files.ts';

/** Younger files are left where they are and only skipped. */
const SETTLED_AFTER_MS = 2_000;
/** A server's clock may be ahead of ours by so much; farther in the future lies only what a clock that was set back has left. */
const AHEAD_MS = 60_000;

/** What a store found wrong on disk. `doctor` prints these; other commands name them on stderr. */
export interface Finding {
  readonly level: 'warning' | 'broken';
  /** The file or thing it is about. */
  readonly where: string;
  /** What is wrong, in plain English. */
  readonly what: string;
  /** What to do, or what was done. */
  readonly fix?: string;
}

/**
 * Moves a bad file to `<name>.bad-<time>` when it has settled; says in the finding what was done. `broken`: it was moved;
 * `warning`: it is still there, or gone by itself.
 */
export function quarantine(path: string, why: string, now: number): Finding {
  const age = ageOf(path, now);
  if (age === undefined) return { level: 'warning', where: path, what: `${why}; it is gone now` };
  if (age < SETTLED_AFTER_MS && age > -AHEAD_MS)
    return { level: 'warning', where: path, what: why, fix: 'skipped for now: it was written a moment ago' };
  const aside = `${path}.bad-${new Date(now).toISOString().replace(/[:.]/g, '-')}`;
  try {
    moveFile(path, aside);
  } catch (error) {
    // In a folder that cannot be written it stays, and keeps nobody from reading the others.
    if (errnoOf(error) === undefined) throw error;
    return { level: 'warning', where: path, what: why, fix: `it cannot be moved aside (${errnoOf(error)}): mend or remove it` };
  }
  return { level: 'broken', where: path, what: why, fix: `moved aside to ${basename(aside)}; mend it and rename it back` };
}

/** True for the name of a file that was moved aside. */
export function isQuarantined(name: string): boolean {
  return /\.bad-\d{4}-/.test(name);
}

function ageOf(path: string, now: number): number | undefined {
  try {
    return now - lstatSync(path).mtimeMs;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
