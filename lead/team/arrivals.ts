// Mail that comes from outside this process (`xz mail send`, a file written by hand): the lead's process watches every
// box of its team and passes the word on, so that no thread needs a watch of its own.
import { errorMessage } from '../../store/errors.ts';
import { type Crew, note } from './crew.ts';

export interface Arrivals {
  stop(): Promise<void>;
}

/** Calls `onNew` for each file that appears in the box of `agent`. Without a watch the slow way remains: the next turn. */
export function watchFor(crew: Crew, agent: string, onNew: (file: string) => void): Arrivals {
  const onTrouble = (error: unknown): undefined => {
    const text = `the box of ${agent} cannot be watched: ${errorMessage(error)}`;
    note(crew, 'mail', agent, text);
    crew.emit({ type: 'notice', agent, code: 'team', text });
  };
  const watching = import('../../mailbox/watch.ts')
    .then(({ watchArrivals }) => watchArrivals({ mailbox: crew.mailbox, agent, clock: crew.parts.clock, onNew, onTrouble }))
    .catch(onTrouble);
  return { stop: async () => (await watching)?.stop() };
}
