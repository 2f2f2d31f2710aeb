// One group kept ready, so that the next command does not wait for a shell to start: it is made while the command before
// runs. It serves only a command that would get the very same environment in the very same folder.
import { statSync } from 'node:fs';
import type { Clock } from '../../../store/clock.ts';
import { FRESH_MS, Group, type GroupPlace } from './group.ts';

/** A group, and the mark in its environment. */
export interface MarkedGroup {
  readonly mark: string;
  readonly group: Group;
}

export interface SparePlace {
  readonly cwd: string;
  readonly agent: string;
}

export interface Spares {
  /** A group for one command of this place, started already where there is a fitting one. */
  take(place: SparePlace): MarkedGroup;
  /** Starts the next one; call it when the command has been given out. Nothing happens when that fails. */
  makeReady(place: SparePlace): void;
  /** Ends what nobody took; resolves when it is gone. */
  close(): Promise<void>;
}

interface Spare extends MarkedGroup {
  readonly key: string;
  readonly since: number;
}

/** `prepare` gives the environment for a place, with a mark that no other group has. */
export function createSpares(clock: Clock, prepare: (place: SparePlace) => GroupPlace & { readonly mark: string }): Spares {
  let spare: Spare | undefined;
  let closed = false;

  const open = (place: SparePlace): MarkedGroup => {
    const { mark, ...where } = prepare(place);
    return { mark, group: new Group(where) };
  };
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
        return ready;
      }
      void dismiss();
      return open(place);
    },
    makeReady(place) {
      if (closed) return;
      void dismiss();
      try {
        const key = keyOf(place);
        const made: Spare = { ...open(place), key, since: clock.now() };
        spare = made;
        // One that gave up, or that something else ended, is let go as a whole.
        void made.group.broken.then(() => {
          if (spare === made) void dismiss();
        });
      } catch (error) {
        // No more processes or files just now: the next command will say so itself.
        if (!(error instanceof Error)) throw error;
      }
    },
    close() {
      closed = true;
      return dismiss();
    },
  };
}

/** A folder that was removed and made again has the same name and is another one. */
function keyOf({ cwd, agent }: SparePlace): string {
  const { dev, ino } = statSync(cwd, { bigint: true });
  return `${agent}\0${cwd}\0${dev}:${ino}`;
}
