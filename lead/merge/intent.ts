// The intent of a fast-forward: written before the main checkout is touched, removed when it is done or was refused.
// One that is found at start tells which files a cut fast-forward may have left half written.
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { ensureFolder, readText, removeFile, writeFileAtomic } from '../../store/files.ts';
import { ensureStore, type Layout } from '../../store/layout.ts';
import { parserOf } from '../../store/schema.ts';

export const MergeIntentSchema = Type.Object({
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

/** The open intent, or undefined. Throws `bad_file` for one that cannot be read. */
export function readIntent(layout: Layout): MergeIntent | undefined {
  const text = readText(fileOf(layout));
  return text === undefined ? undefined : parser.parseJson(text);
}

export function writeIntent(layout: Layout, intent: MergeIntent): void {
  ensureStore(layout, 'agents');
  ensureFolder(layout.data, 0o700);
  writeFileAtomic(fileOf(layout), `${JSON.stringify(intent, null, 2)}\n`);
}

export function removeIntent(layout: Layout): void {
  removeFile(fileOf(layout));
}
