// Copies of memory files from before something was destroyed: `.MEMORY/.snapshots/<time>-<what>/`, the newest twenty. Undo
// puts the last one back, but never over what a person has written since.
import { basename, join } from 'node:path';
import { type Static, Type } from 'typebox';
import { isoWithOffset } from '../clock.ts';
import { XzError } from '../errors.ts';
import { ensureFolder, listNames, readBytes, readText, removeFile, removeTree, writeFileAtomic } from '../files.ts';
import { sortableId, stableHash } from '../ids.ts';
import type { Layout } from '../layout.ts';
import { parserOf } from '../schema.ts';
import type { OpenFiles } from './write.ts';

const MOST_SNAPSHOTS = 20;
const MOST_BYTES = 64 * 1024 * 1024;
const NOTE = 'snapshot.json';

const NoteSchema = Type.Object({
  version: Type.Literal(1),
  /** What was done after it: `forget`, `organize`, `resolve`, `merge`, `update`, `migrate`. */
  what: Type.String(),
  at: Type.String(),
  files: Type.Array(Type.Object({ file: Type.String(), before: Type.String(), after: Type.String() })),
});

const noteParser = parserOf(NoteSchema, NOTE);

export interface Undone {
  readonly what: string;
  readonly at: string;
  readonly files: readonly string[];
}

/** One file's change, whole: empty bytes stand for no file. */
export interface Replacement {
  readonly path: string;
  readonly before: Buffer;
  readonly after: Buffer;
}

/** Copies what is about to be replaced, then writes; a refused write leaves neither. */
export function replaceWithSnapshot(layout: Layout, now: number, what: string, files: OpenFiles, changes: readonly Replacement[]): void {
  const real = changes.filter(({ before, after }) => !before.equals(after));
  if (real.length === 0) return;
  const folder = takeSnapshot(layout, now, what, real);
  try {
    for (const { path, after } of real) files.write(path, after);
  } catch (error) {
    // Nothing is written when the first file has moved on; with later ones the copy is still needed.
    if (real.every(({ path, before }) => before.equals(readBytes(path) ?? Buffer.alloc(0)))) removeTree(folder);
    throw error;
  }
  prune(layout);
}

/** Copies files; returns the folder. */
export function takeSnapshot(layout: Layout, now: number, what: string, changes: readonly Replacement[]): string {
  const folder = join(layout.memorySnapshots, `${new Date(now).toISOString().replace(/[:.]/g, '-')}-${sortableId(now)}-${what}`);
  ensureFolder(folder);
  for (const { path, before } of changes) if (before.length > 0) writeFileAtomic(join(folder, basename(path)), before);
  const note: Static<typeof NoteSchema> = {
    version: 1,
    what,
    at: isoWithOffset(now),
    files: changes.map(({ path, before, after }) => ({ file: basename(path), before: hashOf(before), after: hashOf(after) })),
  };
  writeFileAtomic(join(folder, NOTE), `${JSON.stringify(note, null, 2)}\n`);
  return folder;
}

/**
 * Puts back the newest snapshot and removes it. A file that is as it was before needs nothing: a kill came before it was
 * written, or in the middle of an undo; a snapshot of such files alone is of something that never was. Throws `not_found`
 * without one, `conflict` when a file has been changed since: the copy stays, and the person decides.
 */
export function undoLast(layout: Layout, files: OpenFiles): Undone {
  for (const name of snapshotNames(layout).reverse()) {
    const folder = join(layout.memorySnapshots, name);
    const note = noteOf(folder);
    if (note === undefined || note.what === 'migrate') continue;
    const paths = note.files.map(({ file }) => join(layout.memory, basename(file)));
    const now = paths.map((path) => hashOf(files.read(path)));
    const changed = note.files.find(({ before, after }, n) => now[n] !== after && now[n] !== before);
    if (changed !== undefined)
      throw new XzError('conflict', `.MEMORY/${changed.file} has been changed since, so undoing "${note.what}" would lose that`, {
        hint: `the copy from before is in .MEMORY/.snapshots/${name}`,
      });
    const done = note.files.filter(({ before }, n) => now[n] !== before);
    for (const { file } of done) {
      const copy = readBytes(join(folder, basename(file)));
      const path = join(layout.memory, basename(file));
      if (copy === undefined) removeFile(path);
      else files.write(path, copy);
    }
    removeTree(folder);
    if (done.length > 0) return { what: note.what, at: note.at, files: done.map(({ file }) => `.MEMORY/${file}`) };
  }
  throw new XzError('not_found', 'there is nothing to undo', {
    hint: 'only what was destroyed in memory can be undone',
    data: { kind: 'undo' },
  });
}

function noteOf(folder: string): Static<typeof NoteSchema> | undefined {
  const text = readText(join(folder, NOTE));
  if (text === undefined) return undefined;
  try {
    return noteParser.parseJson(text);
  } catch (error) {
    // A folder that a person made or mended by hand: it is theirs, and nothing undo could use.
    if (error instanceof XzError && error.code === 'bad_file') return undefined;
    throw error;
  }
}

function snapshotNames(layout: Layout): string[] {
  return listNames(layout.memorySnapshots).filter((name) => /^\d{4}-\d\d-\d\dT/.test(name));
}

/** Removes the oldest, but never the newest. */
export function prune(layout: Layout): void {
  const names = snapshotNames(layout).reverse();
  let bytes = 0;
  for (const [n, name] of names.entries()) {
    const folder = join(layout.memorySnapshots, name);
    for (const file of listNames(folder)) bytes += n < MOST_SNAPSHOTS ? (readBytes(join(folder, file))?.length ?? 0) : 0;
    if (n >= MOST_SNAPSHOTS || (n > 0 && bytes > MOST_BYTES)) removeTree(folder);
  }
}

function hashOf(bytes: Buffer): string {
  return stableHash(bytes.toString('latin1'));
}
