// The files that are knowledge: `.agents/*.md`, the daily logs, `.MEMORY/*.md`, and how they are named to people. A name
// that would leave these folders, also through a link, names nothing.
import { realpathSync, type Stats, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { localDay } from '../clock.ts';
import { errnoOf } from '../errors.ts';
import { listNames, readText } from '../files.ts';
import type { Layout } from '../layout.ts';
import { isQuarantined } from '../quarantine.ts';

export interface Source {
  /** As search prints it and `memory get` takes it: `MEMORY.md`, `memory/2026-03-03.md`, `.MEMORY/work.md`. */
  readonly name: string;
  readonly path: string;
  /** The day of a daily log. */
  readonly day: string | undefined;
}

/** Larger files are not knowledge that somebody wrote. */
const LARGEST_SOURCE = 10 * 1024 * 1024;

const isMarkdown = (name: string) => name.endsWith('.md') && !name.startsWith('.') && !isQuarantined(name);

function folders(layout: Layout): ReadonlyArray<readonly [prefix: string, folder: string]> {
  return [
    ['', layout.agents],
    ['memory/', layout.dailyLogs],
    ['.MEMORY/', layout.memory],
  ];
}

/** All sources, in a fixed order. */
export function listSources(layout: Layout): Source[] {
  return folders(layout).flatMap(([prefix, folder]) =>
    listNames(folder)
      .filter(isMarkdown)
      .map((name) => sourceOf(prefix, folder, name)),
  );
}

/** The source that `name` names, whether or not it is there; undefined when it is not the name of one. */
export function sourceNamed(layout: Layout, name: string): Source | undefined {
  // The longest prefix first: '' would take every name.
  for (const [prefix, folder] of [...folders(layout)].reverse()) {
    const file = name.slice(prefix.length);
    if (name.startsWith(prefix) && isMarkdown(file) && !/[/\\\u0000]/.test(file)) return sourceOf(prefix, folder, file);
  }
  return undefined;
}

export type SourceState =
  | { readonly kind: 'file'; readonly stats: Stats }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly why: string };

/** What stands at a source's path: only a regular file inside the folder itself is read. */
export function inspectSource(source: Source): SourceState {
  try {
    const folder = realpathSync(join(source.path, '..'));
    const real = realpathSync(source.path);
    if (!real.startsWith(folder + sep)) return { kind: 'refused', why: 'it is a link that leads out of the memory folders' };
    const stats = statSync(real);
    if (!stats.isFile()) return { kind: 'refused', why: 'it is not a file' };
    if (stats.size > LARGEST_SOURCE) return { kind: 'refused', why: `it is larger than ${LARGEST_SOURCE / 1024 / 1024} MB` };
    return { kind: 'file', stats };
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' };
    if (code === 'EACCES' || code === 'EPERM' || code === 'ELOOP') return { kind: 'refused', why: `it cannot be read (${code})` };
    throw error;
  }
}

/** The text of a source, or why there is none. */
export function readSource(source: Source): { readonly text: string; readonly why?: undefined } | { readonly why: string } {
  const state = inspectSource(source);
  if (state.kind !== 'file') return { why: state.kind === 'absent' ? 'it is not there' : state.why };
  try {
    const text = readText(source.path);
    return text === undefined ? { why: 'it is not there' } : { text };
  } catch (error) {
    if (errnoOf(error) === 'EACCES' || errnoOf(error) === 'EISDIR') return { why: `it cannot be read (${errnoOf(error)})` };
    throw error;
  }
}

function sourceOf(prefix: string, folder: string, file: string): Source {
  const date = file.slice(0, -'.md'.length);
  return { name: prefix + file, path: join(folder, file), day: prefix === 'memory/' && localDay(date) !== undefined ? date : undefined };
}
