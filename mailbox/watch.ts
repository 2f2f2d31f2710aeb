// Waking whoever is told of new mail. In one process a nudge says what arrived; from other processes the folder's own
// watch does, one watch however many files lie there; and a slow poll catches what both missed.
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { Clock } from '../store/clock.ts';
import { errnoOf } from '../store/errors.ts';
import { listNames, pathExists } from '../store/files.ts';
import type { Box } from './box.ts';
import type { Mailbox } from './mailbox.ts';
import { isMailName } from './read.ts';

/** How often the folder is looked at without any event. */
export const POLL_MS = 2_000;

export interface BoxWatch {
  /** Told from inside the process: a mail was published, under this name. */
  nudge(file: string): void;
  /** Resolves when nothing is watched any more. */
  stop(): Promise<void>;
}

/**
 * Calls `onNew` with the name of each file that appears in an agent's `new/`, once while it lies there; also for those
 * that lie there at first. For a process that passes the word on and does not own the box. `onNew` must not throw.
 * Resolves when the watch is on.
 */
export async function watchArrivals(input: {
  readonly mailbox: Mailbox;
  readonly agent: string;
  readonly clock: Clock;
  readonly onNew: (file: string) => void;
}): Promise<BoxWatch> {
  const { mailbox, agent, clock, onNew } = input;
  const folder = (): string => mailbox.ensureBox(agent).new;
  let told = new Set<string>();
  const announce = (file: string): void => {
    if (!isMailName(file)) return;
    // A claim shows up as an event of the same name: then there is nothing to tell, and the name may come again.
    if (!pathExists(join(folder(), file))) told.delete(file);
    else if (!told.has(file)) {
      told.add(file);
      onNew(file);
    }
  };
  const look = (): void => {
    const names = listNames(folder());
    const there = new Set(names);
    told = new Set([...told].filter((name) => there.has(name)));
    for (const name of names) announce(name);
  };

  let watcher: FSWatcher | undefined;
  let identity: string | undefined;
  const open = async (): Promise<void> => {
    const place = folder();
    identity = identityOf(place);
    const made = watch(place, { depth: 0, ignoreInitial: true, ignored: (path) => path !== place });
    watcher = made;
    // `raw` carries the name of the entry that changed; files are ignored, so no other event comes for them.
    made.on('raw', (_event, path) => (typeof path === 'string' ? announce(basename(path)) : look()));
    made.on('error', look);
    await new Promise<void>((resolve) => made.once('ready', resolve));
  };

  let cancel = () => {};
  let stopped = false;
  const poll = (): void => {
    cancel = clock.after(POLL_MS, () => {
      if (stopped) return;
      look();
      // A folder that was removed and made again is another one, and the old watch is deaf.
      if (identityOf(folder()) !== identity) void watcher?.close().then(() => (stopped ? undefined : open()));
      poll();
    });
  };

  await open();
  look();
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

/**
 * The same for the owner: the box is told first, so a claim inside `onNew` sees the mail. A file that is not whole yet
 * is looked at again at every poll, which is how a broken one is moved aside in the end.
 */
export async function watchBox(input: {
  readonly mailbox: Mailbox;
  readonly box: Box;
  readonly clock: Clock;
  readonly onNew: () => void;
}): Promise<BoxWatch> {
  const { mailbox, box, clock, onNew } = input;
  const watched = await watchArrivals({
    mailbox,
    agent: box.agent,
    clock,
    onNew: (file) => {
      box.arrived(file);
      onNew();
    },
  });
  let cancel = () => {};
  const again = (): void => {
    cancel = clock.after(POLL_MS, () => {
      const before = box.waiting();
      box.arrived();
      const after = box.waiting();
      if (after.work !== before.work || after.notices !== before.notices) onNew();
      again();
    });
  };
  again();
  return {
    nudge: watched.nudge,
    async stop() {
      cancel();
      await watched.stop();
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
