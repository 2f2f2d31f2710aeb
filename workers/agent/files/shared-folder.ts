// The main folder as several agents work in it side by side, without worktrees: writes take turns, each file has whoever
// changed it last as its holder, and a command's changes are its agent's unless somebody else may have made them.
import { lstatSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../../../store/clock.ts';
import { errnoOf } from '../../../store/errors.ts';
import { readBytes } from '../../../store/files.ts';
import type { Locks } from '../../../store/lock.ts';
import type { SharedFilesRecord } from '../../../store/team/shared-files.ts';
import { walkFiles } from '../search/scope.ts';
import { hashOf } from './seen-files.ts';

export interface SharedFolder {
  /** Runs `write`, which puts `bytes` into a file, while no other agent writes; the file is then this agent's. */
  write(real: string, bytes: Uint8Array, signal: AbortSignal, write: () => void): Promise<void>;
  /** The other agent that changed a file last, if one did. */
  otherHolder(real: string): string | undefined;
  /** A command of this agent begins; `end` is called when it has ended. */
  beginCommand(): { end(): EndedCommand };
}

export interface EndedCommand {
  /** False when another agent may have changed the file, which this one last knew as `known`. */
  isOwn(real: string, known: string): boolean;
  /** Notes the files that changed while it ran as this agent's. */
  takeChanged(): Promise<void>;
}

export interface SharedFolderSetup {
  readonly root: string;
  readonly agent: { readonly name: string; readonly session: string };
  readonly record: SharedFilesRecord;
  readonly locks: Locks;
  readonly clock: Clock;
  /** Whether anybody else works in the folder just now; absent: always. Nobody asks who changed what in one's own. */
  readonly inCompany?: () => boolean;
}

/** Files looked at after a command; in a larger folder some changes have no holder. The rule itself needs none. */
const MOST_FILES = 20_000;
/** Bytes of a file that is read to know it again. */
const LARGEST_BYTES = 8_000_000;
/** The kernel stamps files with the time of its last tick, ms. */
const TICK_MS = 20;

export function openSharedFolder({ root, agent, record, locks, clock, inCompany = () => true }: SharedFolderSetup): SharedFolder {
  const realRoot = realpathSync(root);
  const nameOf = (real: string) => relative(realRoot, real);
  const take = (path: string, hash: string) => record.note({ path: nameOf(path), agent: agent.name, session: agent.session, hash });
  const isOthers = (session: string | undefined) => session !== undefined && session !== agent.session;

  const takeChanged = async (since: number): Promise<void> => {
    if (!inCompany()) return;
    let seen = 0;
    for (const { path } of walkFiles(realRoot)) {
      if (++seen > MOST_FILES) return;
      // Other work of this thread goes on meanwhile.
      if (seen % 500 === 0) await nextTick();
      const hash = changedSince(path, since);
      if (hash !== undefined && record.lastChange(nameOf(path))?.hash !== hash) take(path, hash);
    }
  };

  return {
    async write(real, bytes, signal, write) {
      await locks.withLock('shared-files', signal, () => {
        write();
        take(real, hashOf(bytes));
      });
    },
    otherHolder(real) {
      const last = record.lastChange(nameOf(real));
      return last !== undefined && isOthers(last.session) ? last.agent : undefined;
    },
    beginCommand() {
      const began = clock.now();
      const command = record.beginCommand(agent.session);
      return {
        end() {
          const overlapped = record.endCommand(command);
          return {
            isOwn(real, known) {
              const last = record.lastChange(nameOf(real));
              return !overlapped && !(isOthers(last?.session) && last?.hash !== known);
            },
            takeChanged: () => takeChanged(began - TICK_MS),
          };
        },
      };
    },
  };
}

/** The hash of a file that changed after a time (ms since the epoch); undefined for any other. */
function changedSince(path: string, since: number): string | undefined {
  try {
    const { ctimeMs, size } = lstatSync(path);
    const bytes = ctimeMs < since || size > LARGEST_BYTES ? undefined : readBytes(path);
    return bytes === undefined ? undefined : hashOf(bytes);
  } catch (error) {
    // Gone again, or not to be read: nobody's.
    if (errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}
