// Contradictions that wait for the person, `.MEMORY/.conflicts.json`: what memory said, what was said now, and where each
// comes from. Until one is resolved the old words stay in their topic and the new ones here.
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { XzError } from '../errors.ts';
import type { Layout } from '../layout.ts';
import { type Finding, quarantine } from '../quarantine.ts';
import { parserOf } from '../schema.ts';
import { CategorySchema } from './categories.ts';

const SideSchema = Type.Object({
  text: Type.String(),
  /** `2026-03-03, 2026-03-03-abc123`; absent for what a person wrote into the file. */
  source: Type.Optional(Type.String()),
});

const ConflictSchema = Type.Object({
  id: Type.String({ minLength: 1 }),
  category: CategorySchema,
  topic: Type.String({ minLength: 1 }),
  old: SideSchema,
  new: SideSchema,
  at: Type.String(),
});

export type Conflict = Static<typeof ConflictSchema>;

const FileSchema = Type.Object({ version: Type.Literal(1), conflicts: Type.Array(ConflictSchema) });

const fileParser = parserOf(FileSchema, '.conflicts.json');

export type Keep = 'new' | 'old' | 'merge';

export function conflictsPath(layout: Layout): string {
  return join(layout.memory, '.conflicts.json');
}

/** The conflicts in a file's bytes; empty bytes hold none. Throws `bad_file`. */
export function parseConflicts(bytes: Buffer): Conflict[] {
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  return text.trim() === '' ? [] : fileParser.parseJson(text).conflicts;
}

export function conflictBytes(conflicts: readonly Conflict[]): Buffer {
  return Buffer.from(`${JSON.stringify({ version: 1, conflicts }, null, 2)}\n`);
}

/** The conflicts of the file; one that cannot be read is moved aside once, and named. */
export function readConflicts(layout: Layout, read: (path: string) => Buffer, now: number, report: (finding: Finding) => void): Conflict[] {
  const path = conflictsPath(layout);
  try {
    return parseConflicts(read(path));
  } catch (error) {
    if (!(error instanceof XzError) || error.code !== 'bad_file') throw error;
    report(quarantine(path, error.message, now));
    return [];
  }
}
