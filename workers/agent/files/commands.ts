// What the commands of an agent mean for the files it knows: what changes while one runs is taken as its doing, what had
// changed before is not, and in a shared folder the other agents are asked.
import type { SeenFiles } from './seen-files.ts';
import type { SharedFolder } from './shared-folder.ts';

/** Called when a command begins; the answer is called when it has ended. */
export type WatchCommand = () => () => Promise<void>;

export function watchCommands(seen: SeenFiles, shared: SharedFolder | undefined): WatchCommand {
  let running = 0;
  return () => {
    // While another command of this agent runs, what changed may be its doing.
    if (running++ === 0) seen.commandBegins();
    const command = shared?.beginCommand();
    return async () => {
      running--;
      const ended = command?.end();
      seen.commandEnded(ended?.isOwn);
      await ended?.takeChanged();
    };
  };
}
