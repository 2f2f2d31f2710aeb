// The intent of a fast-forward: written before the main checkout is touched, removed when it is done or was refused.
// One that is found at start tells which files a cut fast-forward may have left half written.
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { XzError } from '../../store/errors.ts';
import { ensureFolder, pathExists, readText, removeFile, writeFileAtomic } from '../../store/files.ts';
import { ensureStore, type Layout } from '../../store/layout.ts';
import { isFile } from '../../store/links.ts';
import { quarantine } from '../../store/quarantine.ts';
import { parserOf } from '../../store/schema.ts';

const MergeIntentSchema = Type.Object({
  /** The teammate. */
  name: Type.String(),
  branch: Type.String(),
  /** HEAD of the main checkout before: H. */
  from: Type.String(),
  /** The merge commit: M. */
  to: Type.String(),
  /** Branch the main checkout was on at spawn, the only one it may land on; absent when its HEAD was detached. */
  mainBranch: Type.Optional(Type.String()),
  /** Paths that differ between H and M, relative to the top of the repository. */
  paths: Type.Array(Type.String()),
});
export type MergeIntent = Static<typeof MergeIntentSchema>;

const parser = parserOf(MergeIntentSchema, 'merge-intent.json');

function fileOf(layout: Layout): string {
  return join(layout.data, 'merge-intent.json');
}

/**
 * The open intent, or undefined. One that cannot be read is moved aside and thrown as `bad_file`, once: what it may have
 * left half written is then the person's to look at, and git's own checks keep it from the next merge.
 */
export function readIntent(layout: Layout, now: number): MergeIntent | undefined {
  const path = fileOf(layout);
  try {
    if (pathExists(path) && !isFile(path)) throw new XzError('bad_file', 'merge-intent.json: it is no file');
    const text = readText(path);
    return text === undefined ? undefined : parser.parseJson(text);
  } catch (error) {
    if (!(error instanceof XzError) || error.code !== 'bad_file') throw error;
    const { where, what, fix } = quarantine(path, error.message, now);
    throw new XzError('bad_file', `${where}: ${what} (${fix ?? 'it is gone now'})`, {
      cause: error,
      hint: 'a merge may have been cut there: look at `git status`, then merge again',
    });
  }
}

export function writeIntent(layout: Layout, intent: MergeIntent): void {
  ensureStore(layout, 'agents');
  ensureFolder(layout.data, 0o700);
  writeFileAtomic(fileOf(layout), `${JSON.stringify(intent, null, 2)}\n`);
}

export function removeIntent(layout: Layout): void {
  removeFile(fileOf(layout));
}
