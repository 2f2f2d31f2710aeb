// A folder of JSON files that people edit while xz runs, kept in memory by their stat data: a file is read again only
// when it changed, and a bad one is moved aside once and named. Reads take no lock, since every write of ours is a
// rename.
import { type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { errnoOf, errorMessage, XzError } from '../errors.ts';
import { listNames, readText } from '../files.ts';
import { type Finding, quarantine } from '../quarantine.ts';

/** Times of a file come in steps of some milliseconds: one that changed within the last step may change again unseen. */
const TIME_STEP_MS = 50;
/** From this many files on, while the folder itself did not change, their stat data is compared once in `SWEEP_MS` only. */
const MANY = 1_000;
const SWEEP_MS = 1_000;

export interface JsonFolder<T> {
  /** Everything readable, by file name without `.json`. The same map as before when nothing changed. */
  all(): ReadonlyMap<string, T>;
  /** One file, read from disk now; undefined when it is absent or bad. */
  fresh(stem: string): T | undefined;
  pathOf(stem: string): string;
  /** Bad files that are still in the folder, and those moved aside by this process. */
  findings(): readonly Finding[];
}

export interface JsonFolderInput<T> {
  readonly folder: string;
  readonly clock: Clock;
  /** Throws `bad_file` for text that is not what it should be. */
  parse(text: string, stem: string, mtimeMs: number): T;
  /** Told once of each bad file; must not throw. */
  notice?: ((finding: Finding) => void) | undefined;
}

/** What tells one content of a file from the next, as numbers: text of them costs a cold list of ten thousand dearly. */
interface StatKey {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

interface Entry<T> {
  readonly key: StatKey;
  /** False when the file is bad, or so young that the same stat data could hide another change. */
  readonly trusted: boolean;
  readonly value: T | undefined;
}

/** Opens such a folder; nothing is read yet, and the folder need not exist. */
export function openJsonFolder<T>({ folder, clock, parse, notice }: JsonFolderInput<T>): JsonFolder<T> {
  const entries = new Map<string, Entry<T>>();
  const findings = new Map<string, Finding>();
  let names: { readonly key: StatKey; readonly stems: readonly string[] } | undefined;
  let values: ReadonlyMap<string, T> = new Map();
  let sweptAt = Number.NEGATIVE_INFINITY;

  const pathOf = (stem: string) => join(folder, `${stem}.json`);

  const report = (finding: Finding) => {
    const known = findings.get(finding.where);
    findings.set(finding.where, finding);
    if (known?.fix !== finding.fix || known?.what !== finding.what) notice?.(finding);
  };

  const load = (stem: string, stats: Stats): Entry<T> => {
    const path = pathOf(stem);
    const key = keyOf(stats);
    try {
      // A pipe would be waited for.
      if (!stats.isFile()) throw new XzError('bad_file', 'it is no file');
      const text = readText(path);
      const value = text === undefined ? undefined : parse(text, stem, stats.mtimeMs);
      findings.delete(path);
      return { key, trusted: value !== undefined && isSettled(stats, clock.now()), value };
    } catch (error) {
      if (error instanceof XzError && error.code === 'bad_file') report(quarantine(path, error.message, clock.now()));
      else if (UNREADABLE.has(errnoOf(error) ?? ''))
        report({ level: 'broken', where: path, what: `cannot be read (${errorMessage(error)})`, fix: 'check its owner and mode' });
      else throw error;
      return { key, trusted: false, value: undefined };
    }
  };

  /** The stems in the folder, and whether the list had to be read again. */
  const listing = (now: number): { stems: readonly string[]; same: boolean } => {
    const stats = statOf(folder);
    if (stats === undefined) {
      names = undefined;
      return { stems: [], same: false };
    }
    const key = keyOf(stats);
    if (names !== undefined && sameKey(names.key, key)) return { stems: names.stems, same: true };
    const stems = listNames(folder).flatMap((name) => (name.endsWith('.json') && !name.startsWith('.') ? [name.slice(0, -5)] : []));
    // A folder that changed just now is listed again next time.
    names = isSettled(stats, now) ? { key, stems } : undefined;
    return { stems, same: false };
  };

  const sweep = (stems: readonly string[]): boolean => {
    let changed = false;
    const gone = new Set(entries.keys());
    for (const stem of stems) {
      const known = entries.get(stem);
      const stats = statOf(pathOf(stem));
      if (stats === undefined) continue;
      gone.delete(stem);
      if (known?.trusted && sameKey(known.key, stats)) continue;
      const next = load(stem, stats);
      entries.set(stem, next);
      // A young file that was read again and is still the same is no change.
      if (known === undefined || !sameKey(known.key, next.key) || !sameValue(known.value, next.value)) changed = true;
    }
    for (const stem of gone) {
      entries.delete(stem);
      changed = true;
    }
    return changed;
  };

  return {
    pathOf,
    all() {
      const now = clock.now();
      const { stems, same } = listing(now);
      if (same && stems.length > MANY && Math.abs(now - sweptAt) < SWEEP_MS) return values;
      sweptAt = now;
      if (!sweep(stems)) return values;
      const next = new Map<string, T>();
      for (const [stem, { value }] of entries) if (value !== undefined) next.set(stem, value);
      values = next;
      return values;
    },
    fresh(stem) {
      const stats = statOf(pathOf(stem));
      return stats === undefined ? undefined : load(stem, stats).value;
    },
    findings: () => [...findings.values()],
  };
}

const UNREADABLE = new Set(['EACCES', 'EPERM', 'ELOOP', 'EIO']);

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR' || errnoOf(error) === 'ELOOP') return undefined;
    throw error;
  }
}

function keyOf({ ino, size, mtimeMs, ctimeMs }: Stats): StatKey {
  return { ino, size, mtimeMs, ctimeMs };
}

function sameKey(a: StatKey, b: StatKey): boolean {
  return a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size && a.ino === b.ino;
}

function isSettled(stats: Stats, now: number): boolean {
  return now - Math.max(stats.mtimeMs, stats.ctimeMs) > TIME_STEP_MS;
}

function sameValue(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
