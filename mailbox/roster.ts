// The roster: one `agent.json` a teammate, beside its mail. It is written before the effect it announces, so that a
// half-done spawn or release is found and continued.
import { basename, join } from 'node:path';
import { type Static, Type } from 'typebox';
import type { Clock } from '../store/clock.ts';
import { isoWithOffset } from '../store/clock.ts';
import { errnoOf, errorMessage, XzError } from '../store/errors.ts';
import { listNames, pathExists, readText, removeFile, writeFileAtomic } from '../store/files.ts';
import { isMailboxName } from '../store/ids.ts';
import type { Layout } from '../store/layout.ts';
import { isFile } from '../store/links.ts';
import { type Finding, quarantine } from '../store/quarantine.ts';
import { parserOf } from '../store/schema.ts';
import { boxPaths, makeBox } from './paths.ts';

const RosterEntrySchema = Type.Object({
  name: Type.String(),
  /** The stored session it speaks in; the same over every respawn. */
  session: Type.String(),
  /** Minted when spawned, kept over respawn and resume. */
  epoch: Type.String(),
  state: Type.Union([
    Type.Literal('starting'),
    Type.Literal('idle'),
    Type.Literal('working'),
    Type.Literal('ending'),
    Type.Literal('ended'),
    Type.Literal('crashed'),
  ]),
  /** Id of the task it has in hand. */
  task: Type.Optional(Type.String()),
  role: Type.Optional(Type.String()),
  model: Type.Optional(Type.String()),
  /**
   * Folder of its worktree, absolute; absent when it works in the main folder. Written as `.worktrees/<folder>`, so that a
   * workspace that was moved or copied finds its own.
   */
  worktree: Type.Optional(Type.String()),
  branch: Type.Optional(Type.String()),
  /** Commit its branch started from. */
  base: Type.Optional(Type.String()),
  /** Branch the main checkout was on when it was spawned; absent for a detached HEAD. */
  mainBranch: Type.Optional(Type.String()),
  /** What its prompt says of its folder; there once the folder is ready, and not before. */
  place: Type.Optional(Type.String()),
  /** Thread crashes so far. */
  crashes: Type.Optional(Type.Integer({ minimum: 0 })),
  /** True once its branch has landed in the main checkout. */
  landed: Type.Optional(Type.Boolean()),
  /** Why its worktree stayed when it went, and the files that are the reason; absent when nothing stayed. */
  kept: Type.Optional(Type.Object({ why: Type.String(), files: Type.Array(Type.String()) })),
  createdAt: Type.String(),
  updatedAt: Type.String(),
});

export type RosterEntry = Static<typeof RosterEntrySchema>;

const parser = parserOf(RosterEntrySchema, 'agent.json');

export interface Roster {
  /** The entry of one teammate, or undefined when there is none (or it was moved aside as unreadable). */
  read(name: string): RosterEntry | undefined;
  /** All entries, ended ones too, by name. */
  list(): RosterEntry[];
  /** Writes an entry whole; `updatedAt` is set here. */
  write(entry: Omit<RosterEntry, 'updatedAt'>): RosterEntry;
  /** Changes some fields of an entry; an explicit undefined removes one. Throws `not_found` when there is none. */
  change(name: string, fields: { readonly [K in keyof RosterEntry]?: RosterEntry[K] | undefined }): RosterEntry;
  /** Removes the entry; the box and its mail stay. */
  remove(name: string): void;
}

/** The roster of a workspace. `report` is told of an entry that cannot be read. */
export function openRoster(input: {
  readonly layout: Layout;
  readonly clock: Clock;
  readonly report?: (finding: Finding) => void;
}): Roster {
  const { layout, clock } = input;
  const read = (name: string): RosterEntry | undefined => {
    const path = boxPaths(layout, name).entry;
    try {
      const text = entryText(layout, name);
      return text === undefined ? undefined : placedHere(layout, parser.parseJson(text));
    } catch (error) {
      // A read that fails (too many open files) says nothing of the entry, and one that is there must not pass for none.
      if (!(error instanceof XzError) || error.code !== 'bad_file') throw error;
      input.report?.(quarantine(path, error.message, clock.now()));
      return undefined;
    }
  };
  const write = (entry: Omit<RosterEntry, 'updatedAt'>): RosterEntry => {
    const path = makeBox(layout, entry.name).entry;
    const whole = parser.parse({ ...entry, updatedAt: isoWithOffset(clock.now()) });
    const { worktree } = whole;
    const stored = worktree === undefined ? whole : { ...whole, worktree: `${basename(layout.worktrees)}/${basename(worktree)}` };
    writeFileAtomic(path, `${JSON.stringify(stored, null, 2)}\n`);
    return whole;
  };
  return {
    read,
    list: () => boxNames(layout).flatMap((name) => read(name) ?? []),
    write,
    change(name, fields) {
      const entry = read(name);
      if (entry === undefined) throw new XzError('not_found', `there is no teammate "${name}"`);
      const next = Object.entries({ ...entry, ...fields }).filter(([, value]) => value !== undefined);
      return write(parser.parse(Object.fromEntries(next)));
    },
    remove: (name) => void removeFile(boxPaths(layout, name).entry),
  };
}

/**
 * An entry as it is meant in this workspace. A worktree is always a folder of `.worktrees` here, whatever path was written:
 * an absolute one, as older entries have it, may lead into the workspace that this one was copied from.
 */
function placedHere(layout: Layout, entry: RosterEntry): RosterEntry {
  if (entry.worktree === undefined) return entry;
  const folder = basename(entry.worktree);
  return { ...entry, worktree: join(layout.worktrees, /^[A-Za-z][A-Za-z0-9_-]*$/.test(folder) ? folder : entry.name) };
}

/** Names of the boxes on disk that may be an agent's, sorted. */
export function boxNames(layout: Layout): string[] {
  return listNames(layout.mailbox).filter(isMailboxName);
}

/** All entries that can be read; the others stay where they are, untouched. */
export function readableEntries(layout: Layout): RosterEntry[] {
  return boxNames(layout).flatMap((name) => {
    const text = entryFault(layout, name) === undefined ? entryText(layout, name) : undefined;
    return text === undefined ? [] : [placedHere(layout, parser.parseJson(text))];
  });
}

/** What is wrong with a teammate's entry, or undefined. Reads without moving anything. */
export function entryFault(layout: Layout, name: string): string | undefined {
  try {
    const text = entryText(layout, name);
    if (text !== undefined) parser.parseJson(text);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

/** True when a box has an entry that says its agent has ended: nobody reads it any more. Reads without moving anything. */
export function hasEnded(layout: Layout, name: string): boolean {
  return /"state"\s*:\s*"ended"/.test(wordsOf(layout, name));
}

/** The epoch an entry states, or undefined. Reads without moving anything. */
export function epochOf(layout: Layout, name: string): string | undefined {
  return /"epoch"\s*:\s*"([^"\\]+)"/.exec(wordsOf(layout, name))?.[1];
}

/** The text of an entry, or undefined when there is none. Throws for what cannot be read as a file. */
function entryText(layout: Layout, name: string): string | undefined {
  const path = boxPaths(layout, name).entry;
  if (pathExists(path) && !isFile(path)) throw new XzError('bad_file', 'agent.json: it is no file');
  return readText(path);
}

/** The same for who only looks for a word in it: what cannot be read says nothing. */
function wordsOf(layout: Layout, name: string): string {
  try {
    return entryText(layout, name) ?? '';
  } catch (error) {
    if (error instanceof XzError || errnoOf(error) !== undefined) return '';
    throw error;
  }
}
