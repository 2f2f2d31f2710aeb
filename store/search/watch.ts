// Keeps the indexes fresh while a process lives: memory files that anyone changes, and messages that were appended, are
// indexed a moment later. A search does the same by itself; this only takes the wait out of it.
import { type FSWatcher, watch } from 'chokidar';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { pathExists } from '../files.ts';
import type { Layout } from '../layout.ts';
import type { Finding } from '../quarantine.ts';
import { catchUpHistory } from './history.ts';
import { refreshKnowledge } from './knowledge.ts';
import { upToDate, type WayNotice } from './ways.ts';

/** An editor writes in several steps: files are read this long after the last one. */
const QUIET_MS = 150;
/** For folders made later, and for what no event tells. */
const POLL_MS = 5_000;
/** Messages indexed at a time, so that a long backlog never holds up a screen. */
const MESSAGES_AT_ONCE = 200;

export interface IndexWatch {
  /** Resolves when nothing is watched any more. */
  stop(): Promise<void>;
}

export interface IndexWatchInput {
  readonly db: Database;
  readonly layout: Layout;
  readonly clock: Clock;
  /** Files that were indexed anew, and what stood in the way. Must not throw. */
  readonly onRefresh?: (changed: readonly string[], problems: readonly Finding[]) => void;
  /** The database cannot be written now; told once until it can again. Must not throw. */
  readonly onBehind?: (notice: WayNotice) => void;
  /** A fault of the database. The watch goes on; the next search reports it too. Must not throw. */
  readonly onFault?: (error: unknown) => void;
}

/** Watches the folders of knowledge and indexes what changes, with the messages that are new. */
export function watchIndexes(input: IndexWatchInput): IndexWatch {
  const { db, layout, clock } = input;
  const watchers = new Map<string, FSWatcher>();
  let stopped = false;
  let behind = false;
  let cancelQuiet = () => {};
  let cancelPoll = () => {};

  const refresh = () => {
    if (stopped) return;
    try {
      const notice = upToDate(() => {
        const { changed, problems } = refreshKnowledge(db, layout, clock.now());
        if (changed.length > 0) input.onRefresh?.(changed, problems);
        if (catchUpHistory(db, MESSAGES_AT_ONCE) === MESSAGES_AT_ONCE) soon();
      });
      if (notice !== undefined && !behind) input.onBehind?.(notice);
      behind = notice !== undefined;
    } catch (error) {
      input.onFault?.(error);
    }
  };
  const soon = () => {
    if (stopped) return;
    cancelQuiet();
    cancelQuiet = clock.after(QUIET_MS, refresh);
  };
  const open = () => {
    for (const folder of [layout.agents, layout.dailyLogs, layout.memory]) {
      if (watchers.has(folder) || !pathExists(folder)) continue;
      // One watch on the folder; its files are not watched one by one.
      const watcher = watch(folder, { depth: 0, ignoreInitial: true, ignored: (path) => path !== folder });
      watchers.set(folder, watcher);
      watcher.on('raw', soon);
      watcher.on('error', soon);
      watcher.on('unlinkDir', () => {
        watchers.delete(folder);
        void watcher.close();
      });
    }
  };
  const poll = () => {
    cancelPoll = clock.after(POLL_MS, () => {
      open();
      refresh();
      poll();
    });
  };
  open();
  poll();
  soon();
  return {
    async stop() {
      stopped = true;
      cancelQuiet();
      cancelPoll();
      await Promise.all(Array.from(watchers.values(), (watcher) => watcher.close()));
    },
  };
}
