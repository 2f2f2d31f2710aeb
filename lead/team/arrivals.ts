// Mail that comes from outside this process (`xz mail send`, a file written by hand): the lead's process watches every
// box of its team and passes the word on, so that no thread needs a watch of its own.
import { errorMessage } from '../../store/errors.ts';
import { type Crew, note } from './crew.ts';

export interface Arrivals {
  stop(): Promise<void>;
}

/** Calls `onNew` for each file that appears in the box of `agent`. Without a watch the slow way remains: the next turn. */
export function watchFor(crew: Crew, agent: string, onNew: (file: string) => void): Arrivals {
  const watching = import('../../mailbox/watch.ts')
    .then(({ watchArrivals }) => watchArrivals({ mailbox: crew.mailbox, agent, clock: crew.parts.clock, onNew }))
    .catch((error: unknown) => {
      note(crew, 'mail', agent, `its box cannot be watched: ${errorMessage(error)}`);
      return undefined;
    });
  return { stop: async () => (await watching)?.stop() };
}
