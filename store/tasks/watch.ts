// Telling that the graph changed, whoever changed it: this process, another one, or a person with an editor. One watch on
// the folder, read once more 150 ms after its last event, and a slow poll for what no event tells.
import { type FSWatcher, watch } from 'chokidar';
import type { Clock } from '../clock.ts';
import { errorMessage } from '../errors.ts';
import { pathExists } from '../files.ts';
import type { Layout } from '../layout.ts';
import type { TaskGraph } from './graph.ts';
import type { Tasks } from './tasks.ts';

/** An editor writes in several steps: the folder is read this long after the last one. */
const QUIET_MS = 150;
const POLL_MS = 2_000;

export interface TaskWatch {
  /** Resolves when nothing is watched any more. */
  stop(): Promise<void>;
}

/**
 * Calls `onChange` with each graph newer than `seen`; a change made before the watch began counts. A graph that cannot be
 * read now is told to `onTrouble` once, and looked for again at each event and poll.
 */
export function watchTasks(input: {
  readonly layout: Layout;
  readonly tasks: Tasks;
  readonly clock: Clock;
  /** The graph that the caller has shown already. */
  readonly seen: TaskGraph;
  readonly onChange: (graph: TaskGraph) => void;
  readonly onTrouble?: (error: unknown) => void;
}): TaskWatch {
  const { layout, tasks, clock, onChange, onTrouble } = input;
  let { seen } = input;
  let stopped = false;
  let watcher: FSWatcher | undefined;
  let cancelQuiet = () => {};
  let cancelPoll = () => {};

  let trouble = '';

  const look = () => {
    if (stopped) return;
    try {
      const graph = tasks.graph();
      trouble = '';
      if (graph === seen) return;
      seen = graph;
      onChange(graph);
    } catch (error) {
      // A timer or an event calls this: nobody above it would catch an error.
      if (errorMessage(error) !== trouble) onTrouble?.(error);
      trouble = errorMessage(error);
    }
  };
  const soon = () => {
    cancelQuiet();
    cancelQuiet = clock.after(QUIET_MS, look);
  };
  const open = () => {
    // The folder may not be there yet, or be another one by now; the poll tries again.
    if (watcher !== undefined || !pathExists(layout.tasks)) return;
    watcher = watch(layout.tasks, { depth: 0, ignoreInitial: true, ignored: (path) => path !== layout.tasks });
    watcher.on('raw', soon);
    watcher.on('error', soon);
    watcher.on('unlinkDir', () => {
      void watcher?.close();
      watcher = undefined;
    });
  };
  const poll = () => {
    cancelPoll = clock.after(POLL_MS, () => {
      open();
      look();
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
      await watcher?.close();
    },
  };
}
