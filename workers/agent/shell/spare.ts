// Groups that wait for another command, so that it does not wait for a shell to start. One serves only a command that would
// get the very same environment in the very same folder, after one that left nothing behind.
import { statSync } from 'node:fs';
import type { Clock } from '../../../store/clock.ts';
import { FRESH_MS, Group, type GroupPlace } from './group.ts';

export interface SparePlace {
  readonly cwd: string;
  readonly agent: string;
}

export interface Spares {
  /** A group for one command of this place, started already where there is a fitting one. */
  take(place: SparePlace): Group;
  /** Keeps the group for the next command of this place, or lets it go. */
  giveBack(group: Group, place: SparePlace): void;
  /** Ends what nobody took; resolves when it is gone. */
  close(): Promise<void>;
}

interface Spare {
  readonly group: Group;
  readonly key: string;
  readonly since: number;
}

/** `prepare` gives the environment for a place. */
export function createSpares(clock: Clock, prepare: (place: SparePlace) => GroupPlace): Spares {
  let spare: Spare | undefined;
  let closed = false;
  /** The folder each group stands in, which may have been replaced under its name since. */
  const standing = new WeakMap<Group, string | undefined>();

  const dismiss = (): Promise<void> => {
    const group = spare?.group;
    spare = undefined;
    group?.kill();
    return group?.exited ?? Promise.resolve();
  };

  return {
    take(place) {
      const ready = spare;
      if (ready?.group.waiting === true && ready.key === keyOf(place) && clock.now() - ready.since < FRESH_MS) {
        spare = undefined;
        return ready.group;
      }
      void dismiss();
      const group = new Group(prepare(place));
      standing.set(group, keyOf(place));
      // One that gave up, or that something else ended, is let go as a whole.
      void group.broken.then(() => {
        if (spare?.group === group) void dismiss();
      });
      return group;
    },
    giveBack(group, place) {
      const key = keyOf(place);
      if (closed || spare !== undefined || key === undefined || key !== standing.get(group) || !group.waiting) return group.release();
      spare = { group, key, since: clock.now() };
      group.rest();
    },
    close() {
      closed = true;
      return dismiss();
    },
  };
}

/** A folder that was removed and made again has the same name and is another one; undefined when there is none. */
function keyOf({ cwd, agent }: SparePlace): string | undefined {
  const found = statSync(cwd, { bigint: true, throwIfNoEntry: false });
  return found && `${agent}\0${cwd}\0${found.dev}:${found.ino}`;
}
