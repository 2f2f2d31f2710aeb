// What the person sent before, over all sessions: one JSON string a line, so that an entry may have lines of its own.
import { dirname } from 'node:path';
import { appendText, ensureFolder, readText, writeFileAtomic } from '../../store/files.ts';

const MOST_KEPT = 1_000;
/** A longer text is a paste of data and not something to be called back with an arrow key. */
const LONGEST_KEPT = 20_000;

/** Earlier inputs, oldest first, each once. A line that cannot be read is left out. */
export function readHistory(path: string): string[] {
  const kept = new Map<string, true>();
  for (const line of (readText(path) ?? '').split('\n')) {
    const text = parsedLine(line);
    if (text === undefined) continue;
    kept.delete(text);
    kept.set(text, true);
  }
  return [...kept.keys()].slice(-MOST_KEPT);
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

/** Adds an input, for this and later sessions. May throw when the home cannot be written. */
export function rememberInput(path: string, text: string): void {
  if (text.length > LONGEST_KEPT) return;
  ensureFolder(dirname(path), 0o700);
  appendText(path, `${JSON.stringify(text)}\n`, 0o600);
}

/** Rewrites a file that has grown far beyond what is kept. */
export function trimHistory(path: string): void {
  const lines = (readText(path) ?? '').split('\n').length;
  if (lines < MOST_KEPT * 2) return;
  writeFileAtomic(
    path,
    readHistory(path)
      .map((text) => `${JSON.stringify(text)}\n`)
      .join(''),
    { mode: 0o600 },
  );
}
