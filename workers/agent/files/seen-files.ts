// What this agent last knew of each file, as a hash of its bytes: a whole-file write is refused over content it has not
// seen. Hashes, not times: touching a file does not matter, a change within the same second does.
import { createHash } from 'node:crypto';
import { errnoOf } from '../../../store/errors.ts';
import { readBytes } from '../../../store/files.ts';

export interface SeenFiles {
  /** Notes the content the agent has read or written; `commanded`: an edit of what a command of its own had changed. */
  note(real: string, bytes: Uint8Array, commanded?: boolean): void;
  /**
   * What the agent knows of a file with these bytes now. `commanded`: a command of its own changed what it had seen, so
   * it may edit a place it quotes exactly, and must read before it writes the whole.
   */
  compare(real: string, bytes: Uint8Array): 'same' | 'commanded' | 'changed' | 'unseen';
  /** A command of this agent is about to run: what has changed by now of the files it knows was not done by it. */
  commandBegins(): void;
  /**
   * The command has ended: what changed meanwhile of the files the agent knows is its own doing, where `isOwn` agrees.
   */
  commandEnded(isOwn?: (real: string, known: string, now: string) => boolean): void;
}

interface Known {
  readonly hash: string;
  readonly commanded: boolean;
  /** Somebody else changed it since: no command of this agent makes that its own. */
  readonly stale?: true;
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

/** Empty at the start of a session: a resumed agent reads again before it overwrites. */
export function createSeenFiles(): SeenFiles {
  const known = new Map<string, Known>();
  /** Calls `change` for each known file whose bytes are others now. */
  const compareAll = (change: (real: string, last: Known, hash: string) => void): void => {
    for (const [real, last] of known) {
      const bytes = last.stale === true ? undefined : contentOf(real);
      const hash = bytes === undefined ? undefined : hashOf(bytes);
      if (hash !== undefined && hash !== last.hash) change(real, last, hash);
    }
  };
  return {
    note: (real, bytes, commanded = false) => void known.set(real, { hash: hashOf(bytes), commanded }),
    compare(real, bytes) {
      const last = known.get(real);
      if (last === undefined) return 'unseen';
      if (last.hash !== hashOf(bytes)) return 'changed';
      return last.commanded ? 'commanded' : 'same';
    },
    commandBegins: () => compareAll((real, last) => known.set(real, { ...last, stale: true })),
    commandEnded: (isOwn = () => true) =>
      compareAll((real, last, hash) => {
        known.set(real, isOwn(real, last.hash, hash) ? { hash, commanded: true } : { ...last, stale: true });
      }),
  };
}

/** The bytes of a file, or undefined for one that cannot be read now: it is looked at when it is next used. */
function contentOf(real: string): Buffer | undefined {
  try {
    return readBytes(real);
  } catch (error) {
    if (errnoOf(error) !== undefined) return undefined;
    throw error;
  }
}
