// The three identity files of a workspace, made once from templates. A file that is there, even empty, is the person's.
import { join } from 'node:path';
import { createFileExclusive, ensureFolder, pathExists } from '../files.ts';
import { ensureStore, type Layout } from '../layout.ts';

const IDENTITY_FILES = ['SOUL.md', 'USER.md', 'MEMORY.md'] as const;

export type IdentityTexts = Readonly<Record<(typeof IDENTITY_FILES)[number], string>>;

/** An empty file: that they were made once. */
const noteOf = (layout: Layout): string => join(layout.data, 'identity-made');

/** The identity files that are not there yet. */
export function missingIdentity(layout: Layout): string[] {
  return IDENTITY_FILES.filter((name) => !pathExists(join(layout.agents, name)));
}

/**
 * Makes all three in a workspace that never had any; returns the paths that were made. What the person has since removed
 * stays removed, and one of the three alone is a choice.
 */
export function createFirstIdentity(layout: Layout, texts: IdentityTexts): string[] {
  if (missingIdentity(layout).length < IDENTITY_FILES.length || pathExists(noteOf(layout))) return [];
  return createIdentity(layout, texts);
}

/** Makes the missing ones; returns the paths that were made. */
export function createIdentity(layout: Layout, texts: IdentityTexts): string[] {
  const missing = missingIdentity(layout);
  if (missing.length === 0) return [];
  ensureStore(layout, 'agents');
  ensureFolder(layout.data);
  createFileExclusive(noteOf(layout), '');
  return IDENTITY_FILES.filter((name) => missing.includes(name))
    .map((name) => [join(layout.agents, name), texts[name]] as const)
    .filter(([path, text]) => createFileExclusive(path, text))
    .map(([path]) => path);
}
