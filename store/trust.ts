// Which folders the person trusts: `~/.xz/trust.json`. Only in those do a project's `.env`, its skills' scripts and its
// gate commands run. A file that cannot be read trusts nothing.
import { realpathSync } from 'node:fs';
import Type, { type Static } from 'typebox';
import { isoWithOffset } from './clock.ts';
import { errnoOf, errorMessage, XzError } from './errors.ts';
import { ensureFolder, pathExists, readText, writeFileAtomic } from './files.ts';
import type { Home, Layout } from './layout.ts';
import { isFile } from './links.ts';
import { type Finding, quarantine } from './quarantine.ts';
import { parserOf } from './schema.ts';

const TrustEntry = Type.Object({
  /** Real path of the folder. */
  path: Type.String(),
  /** ISO with offset. */
  at: Type.String(),
  /** Hash of the guarded lines of its `.env` that were approved. */
  env: Type.Optional(Type.String()),
});
const TrustFile = Type.Object({ version: Type.Literal(1), folders: Type.Array(TrustEntry) });

export type TrustEntry = Static<typeof TrustEntry>;

const parser = parserOf(TrustFile, 'trust.json');

/** True when the person trusts the workspace. */
export function isTrusted(layout: Layout): boolean {
  return trustOf(layout.home, layout.root) !== undefined;
}

/** What was trusted about a folder, or undefined. */
export function trustOf(home: Home, folder: string): TrustEntry | undefined {
  const path = realPath(folder);
  return entriesNow(home)?.find((entry) => entry.path === path);
}

/** Trusts a folder, with the hash of the approved `.env` lines if the person was asked about them. */
export function trust(home: Home, folder: string, now: number, env?: string): TrustEntry {
  const path = realPath(folder);
  const entries = readEntries(home);
  if (entries === undefined) {
    const found = quarantine(home.trust, 'it is not what xz wrote', now);
    if (found.level === 'warning') throw new XzError('bad_file', `${home.trust}: ${found.what}`, { hint: 'try again in a few seconds' });
  }
  const entry: TrustEntry = { path, at: isoWithOffset(now), ...(env === undefined ? {} : { env }) };
  ensureFolder(home.root, 0o700);
  const folders = [...(entries ?? []).filter((other) => other.path !== path), entry];
  writeFileAtomic(home.trust, `${JSON.stringify({ version: 1, folders }, undefined, 2)}\n`, { mode: 0o600 });
  return entry;
}

/** What `doctor` says about the file. */
export function checkTrust(home: Home): Finding[] {
  if (entriesNow(home) !== undefined) return [];
  return [
    {
      level: 'broken',
      where: home.trust,
      what: 'it cannot be read, so no folder is trusted',
      fix: 'mend or remove it, then run `xz config trust`',
    },
  ];
}

/** What can be read of it now; a read that fails trusts nothing, and is no reason to move the file aside. */
function entriesNow(home: Home): readonly TrustEntry[] | undefined {
  try {
    return readEntries(home);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Undefined for a file that is none of ours. */
function readEntries(home: Home): readonly TrustEntry[] | undefined {
  try {
    if (pathExists(home.trust) && !isFile(home.trust)) return undefined;
    const text = readText(home.trust);
    return text === undefined ? [] : parser.parseJson(text).folders;
  } catch (error) {
    if (error instanceof XzError && error.code === 'bad_file') return undefined;
    throw error;
  }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return folder;
    throw new XzError('bad_input', `${folder}: ${errorMessage(error)}`, { cause: error });
  }
}
