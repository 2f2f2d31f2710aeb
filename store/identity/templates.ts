// The three identity files of a workspace, made once from templates. A file that is there, even empty, is the person's.
import { join } from 'node:path';
import { createFileExclusive, pathExists } from '../files.ts';
import { ensureStore, type Layout } from '../layout.ts';

export const IDENTITY_FILES = ['SOUL.md', 'USER.md', 'MEMORY.md'] as const;

export type IdentityTexts = Readonly<Record<(typeof IDENTITY_FILES)[number], string>>;

/** The identity files that are not there yet. */
export function missingIdentity(layout: Layout): string[] {
  return IDENTITY_FILES.filter((name) => !pathExists(join(layout.agents, name)));
}

/** Makes the missing ones; returns the paths that were made. */
export function createIdentity(layout: Layout, texts: IdentityTexts): string[] {
  const missing = missingIdentity(layout);
  if (missing.length === 0) return [];
  ensureStore(layout, 'agents');
  return IDENTITY_FILES.filter((name) => missing.includes(name))
    .map((name) => [join(layout.agents, name), texts[name]] as const)
    .filter(([path, text]) => createFileExclusive(path, text))
    .map(([path]) => path);
}
