// Waking whoever is told of new mail. In one process a nudge says what arrived; from other processes the folder's own
// watch does, one watch however many files lie there; and a slow poll catches what both missed.
import { type Stats, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { Clock } from '../store/clock.ts';
import { errorMessage, isAbsence } from '../store/errors.ts';
import { listNames } from '../store/files.ts';
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
 * Calls `onNew` with the name of each file that appears in an agent's `new/`, also for those that lie there at first: once
 * while it lies there, and again when it was changed, since what a person writes by hand may have been half a mail. For a
 * process that passes the word on and does not own the box. `onNew` must not throw. A folder that cannot be looked at is
 * told to `onTrouble` once and tried again at each poll. Resolves when the watch is on.
 */
export async function watchArrivals(input: {
  readonly mailbox: Mailbox;
  readonly agent: string;
  readonly clock: Clock;
  readonly onNew: (file: string) => void;
  readonly onTrouble?: (error: unknown) => void;
}): Promise<BoxWatch> {
  const { mailbox, agent, clock, onNew } = input;
  const folder = (): string => mailbox.ensureBox(agent).new;
  /** What was told, by name, and which content that was. */
  const told = new Map<string, string>();
  /** Told since the last poll: one of them may still be being written. */
  let young = new Set<string>();
  let trouble = '';
  const tell = (error: unknown): void => {
    if (errorMessage(error) !== trouble) input.onTrouble?.(error);
    trouble = errorMessage(error);
  };
  /** Runs what an event or a timer starts: nobody above it would catch an error. */
  const safely = (step: () => void): void => {
    try {
      step();
    } catch (error) {
      tell(error);
    }
  };
  const announce = (file: string): void => {
    if (!isMailName(file)) return;
    const content = contentOf(join(folder(), file));
    // A claim shows up as an event of the same name: then there is nothing to tell, and the name may come again.
    if (content === undefined) told.delete(file);
    else if (told.get(file) !== content) {
      told.set(file, content);
      young.add(file);
      onNew(file);
    }
  };
  const look = (): void => {
    const names = listNames(folder());
    const there = new Set(names);
    for (const name of told.keys()) if (!there.has(name)) told.delete(name);
    const unsettled = young;
    young = new Set();
    for (const name of names) if (!told.has(name) || unsettled.has(name)) announce(name);
    trouble = '';
  };

  let watcher: FSWatcher | undefined;
  let identity: string | undefined;
  const open = async (): Promise<void> => {
    const place = folder();
    identity = identityOf(place);
    const made = watch(place, { depth: 0, ignoreInitial: true, ignored: (path) => path !== place });
    watcher = made;
    // `raw` carries the name of the entry that changed; files are ignored, so no other event comes for them.
    made.on('raw', (_event, path) => safely(() => (typeof path === 'string' ? announce(basename(path)) : look())));
    made.on('error', () => safely(look));
    // A folder that cannot be watched is never ready: then the poll alone is left.
    await new Promise<void>((resolve) => made.once('ready', resolve).once('error', () => resolve()));
  };

  let cancel = () => {};
  let stopped = false;
  const poll = (): void => {
    cancel = clock.after(POLL_MS, () => {
      if (stopped) return;
      safely(() => {
        look();
        // A folder that was removed and made again is another one, and the old watch is deaf.
        if (identityOf(folder()) !== identity)
          void watcher
            ?.close()
            .then(() => (stopped ? undefined : open()))
            .catch(tell);
      });
      poll();
    });
  };

  await open();
  safely(look);
  poll();
  return {
    nudge: (file) => safely(() => announce(file)),
    async stop() {
      stopped = true;
      cancel();
      await watcher?.close();
    },
  };
}

/** Which folder it is: the number alone may be given to the next one that is made. */
function identityOf(folder: string): string | undefined {
  return ofStats(folder, ({ ino, birthtimeMs }) => `${ino} ${birthtimeMs}`);
}

/** What tells one content of a file from the next; links and renames change neither. */
function contentOf(file: string): string | undefined {
  return ofStats(file, ({ size, mtimeMs }) => `${size} ${mtimeMs}`);
}

function ofStats(path: string, read: (stats: Stats) => string): string | undefined {
  try {
    return read(statSync(path));
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}
