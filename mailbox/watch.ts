// Waking the owner of a box. In one process a nudge says what arrived; from other processes the folder's own watch
// does, one watch however many files lie there; and a slow poll catches what both missed.
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { Clock } from '../store/clock.ts';
import { errnoOf } from '../store/errors.ts';
import type { Box } from './box.ts';
import type { Mailbox } from './mailbox.ts';

/** How often the folder is looked at without any event. */
export const POLL_MS = 2_000;

export interface BoxWatch {
  /** Told from inside the process: a mail was published, under this name when it is known. */
  nudge(file?: string): void;
  /** Resolves when nothing is watched any more. */
  stop(): Promise<void>;
}

/**
 * Calls `onNew` (which must not throw) whenever mail may have come to a box; it may be called in vain. The box is told
 * first, so a claim inside `onNew` sees the mail. Resolves when the watch is on; mail from before is announced once.
 */
export async function watchBox(input: {
  readonly mailbox: Mailbox;
  readonly box: Box;
  readonly clock: Clock;
  readonly onNew: () => void;
}): Promise<BoxWatch> {
  const { mailbox, box, clock, onNew } = input;
  const folder = (): string => mailbox.ensureBox(box.agent).new;
  const announce = (file?: string): void => {
    if (!box.arrived(file)) return;
    const { work, notices } = box.waiting();
    if (work + notices > 0) onNew();
  };

  let watcher: FSWatcher | undefined;
  let identity: string | undefined;
  const open = async (): Promise<void> => {
    const place = folder();
    identity = identityOf(place);
    const made = watch(place, { depth: 0, ignoreInitial: true, ignored: (path) => path !== place });
    watcher = made;
    // `raw` carries the name of the entry that changed; files are ignored, so no other event comes for them.
    made.on('raw', (_event, path) => announce(typeof path === 'string' ? basename(path) : undefined));
    made.on('error', () => announce());
    await new Promise<void>((resolve) => made.once('ready', resolve));
  };

  let cancel = () => {};
  let stopped = false;
  const poll = (): void => {
    cancel = clock.after(POLL_MS, () => {
      if (stopped) return;
      announce();
      // A folder that was removed and made again is another one, and the old watch is deaf.
      if (identityOf(folder()) !== identity) void watcher?.close().then(() => (stopped ? undefined : open()));
      poll();
    });
  };

  await open();
  announce();
  poll();
  return {
    nudge: announce,
    async stop() {
      stopped = true;
      cancel();
      await watcher?.close();
    },
  };
}

/** Which folder it is: the number alone may be given to the next one that is made. */
function identityOf(folder: string): string | undefined {
  try {
    const { ino, birthtimeMs } = statSync(folder);
    return `${ino} ${birthtimeMs}`;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
