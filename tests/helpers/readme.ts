// The commands that a README shows: the lines of its `sh` blocks, and commands of xz that stand in its sentences.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

export interface Shown {
  /** Lines of each block, comments left out. */
  readonly blocks: ReadonlyArray<readonly string[]>;
  /** `xz …` in backticks. */
  readonly inline: readonly string[];
  /** `npm run NAME` and `npm test`, wherever they stand. */
  readonly scripts: readonly string[];
  /** Headings, without their words: their levels in order. */
  readonly headings: readonly number[];
}

/** Reads a file of the project's root. */
export function shownIn(file: string): Shown {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((block) =>
    (block[1] ?? '')
      .split('\n')
      .map((line) => line.replace(/(^|\s)# .*$/, '').trim())
      .filter((line) => line !== ''),
  );
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
  return {
    blocks,
    inline: [...prose.matchAll(/`(xz [a-z][^`]*)`/g)].map((found) => found[1] ?? ''),
    scripts: [...text.matchAll(/npm (?:run )?([a-z][a-z-]*)/g)].map((found) => found[1] ?? ''),
    headings: [...prose.matchAll(/^(#+) /gm)].map((found) => found[1]?.length ?? 0),
  };
}

/** A command with the words of a person left out: what is the same in every language. */
export function withoutWords(command: string): string {
  return command.replace(/"[^"]*"/g, '"…"');
}
