// What the person sent before, over all sessions: one JSON string a line, so that an entry may have lines of its own.
import { dirname } from 'node:path';
import { errnoOf, XzError } from '../../store/errors.ts';
import { appendText, ensureFolder, readText, writeFileAtomic } from '../../store/files.ts';

const MOST_KEPT = 1_000;
/** A longer text is a paste of data and not something to be called back with an arrow key. */
const LONGEST_KEPT = 20_000;

/** Earlier inputs, oldest first, each once. A line that cannot be read is left out; so is a file, which keeps nobody from talking. */
export function readHistory(path: string): string[] {
  const kept = new Map<string, true>();
  for (const line of linesOf(path)) {
    const text = parsedLine(line);
    if (text === undefined) continue;
    kept.delete(text);
    kept.set(text, true);
  }
  return [...kept.keys()].slice(-MOST_KEPT);
}

function linesOf(path: string): string[] {
  try {
    return (readText(path) ?? '').split('\n');
  } catch (error) {
    if (isOfDisk(error)) return [];
    throw error;
  }
}

function isOfDisk(error: unknown): boolean {
  return errnoOf(error) !== undefined || error instanceof XzError;
}

function parsedLine(line: string): string | undefined {
  if (!line.startsWith('"')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' && value !== '' ? value : undefined;
  } catch {
    // Two processes may have written at once, or a kill cut a line: the other lines are still good.
    return undefined;
  }
}

/** The way to keep inputs for later sessions; `tell` is given the first reason why one could not be kept. */
export function inputKeeper(path: string, tell: (error: unknown) => void): (text: string) => void {
  let told = false;
  return (text) => {
    if (text.length > LONGEST_KEPT) return;
    try {
      ensureFolder(dirname(path), 0o700);
      appendText(path, `${JSON.stringify(text)}\n`, 0o600);
    } catch (error) {
      if (!told) tell(error);
      told = true;
    }
  };
}

/** Rewrites a file that has grown far beyond what is kept; one that cannot be written only stays long. */
export function trimHistory(path: string): void {
  if (linesOf(path).length < MOST_KEPT * 2) return;
  const kept = readHistory(path).map((text) => `${JSON.stringify(text)}\n`);
  try {
    writeFileAtomic(path, kept.join(''), { mode: 0o600 });
  } catch (error) {
    if (!isOfDisk(error)) throw error;
  }
}
