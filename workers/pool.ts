// The threads that teammates run in: one long piscina task each. A dead peer is an event here: what was in flight is
// rejected, and whoever started the teammate decides about a respawn.
import { MessageChannel } from 'node:worker_threads';
import type { Remote } from 'comlink';
import { Piscina } from 'piscina';
import { XzError } from '../store/errors.ts';
import { connect } from './channel.ts';
import type { LeadApi, TeammateApi, TeammateStart } from './protocol.ts';

/** Megabytes of old-generation heap a teammate may use before its thread is ended. */
const HEAP_LIMIT_MB = 1_024;
/** Of its young generation: V8's own bound is four times that, and a busy thread keeps it for good, full or not. */
const YOUNG_LIMIT_MB = 12;

export interface RunningTeammate {
  readonly api: Remote<TeammateApi>;
  /** Resolves when the thread has taken up its work; rejects when it died before. Always has a listener. */
  readonly ready: Promise<void>;
  /** Resolves when the thread's task ended by itself; rejects with what killed it. Always has a listener. */
  readonly done: Promise<void>;
  /** Ends the thread at once, also out of an endless loop. */
  kill(): void;
}

export interface TeammatePool {
  start(start: TeammateStart, lead: LeadApi): RunningTeammate;
  /** Ends every thread that is left. */
  close(): Promise<void>;
}

/** A pool for up to `max` teammates. `entry` is the built thread file, `env` what the threads see as their environment. The roster enforces the limit, not the pool. */
export function openPool(max: number, entry: URL, env: Readonly<Record<string, string | undefined>>): TeammatePool {
  // No `filename` here: a file that fails to import would poison the pool and hang its tasks. `atomics` would park the
  // thread's event loop between tasks.
  const pool = new Piscina({
    minThreads: 0,
    maxThreads: max,
    maxQueue: max,
    concurrentTasksPerWorker: 1,
    atomics: 'disabled',
    env: Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB, maxYoungGenerationSizeMb: YOUNG_LIMIT_MB },
  });
  // Without a listener the death of an idle thread would end the process; that of a busy one rejects its task.
  pool.on('error', () => {});
  return {
    start(start, lead) {
      const { port1, port2 } = new MessageChannel();
      const kill = new AbortController();
      let isReady = () => {};
      const started = new Promise<void>((resolve) => {
        isReady = resolve;
      });
      const ready = () => {
        isReady();
        lead.ready();
      };
      const api = connect<TeammateApi>(port1, { ...lead, ready });
      const run: Promise<unknown> = pool.run({ port: port2, start }, { filename: entry.href, transferList: [port2], signal: kill.signal });
      const done = run.then(() => undefined, rejectReadably).finally(() => port1.close());
      const died = done.then(() => {
        throw new XzError('internal', 'the thread ended before it was ready');
      });
      const isUp = Promise.race([started, died]);
      for (const promise of [done, died, isUp]) promise.catch(() => {});
      return { api, ready: isUp, done, kill: () => kill.abort() };
    },
    close: () => pool.destroy(),
  };
}

/** An error of a kind that no port carries arrives as an empty object. */
function rejectReadably(error: unknown): never {
  throw error instanceof Error ? error : new XzError('internal', 'its thread ended with an error that could not be sent');
}

/** The built thread file: beside the bundle, or in dist/ when the sources run. */
export function threadEntry(moduleUrl: string): URL {
  return new URL(moduleUrl.endsWith('.ts') ? '../dist/teammate.js' : './teammate.js', moduleUrl);
}
