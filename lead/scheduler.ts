// The scheduler of a screen, a REPL or a daemon: looks for what is due, starts it, records how it ended. What a run is
// (a wake-up in a conversation, a child process) is the host's own affair; that a slot runs once is the claims'.
import { type Clock, sleep } from '../store/clock.ts';
import { errorMessage } from '../store/errors.ts';
import type { Home } from '../store/layout.ts';
import type { Claims } from '../store/schedule/claims.ts';
import { appendRunLine, runLine } from '../store/schedule/run-log.ts';
import type { Schedule } from '../store/schedule/schedule.ts';
import type { Claim, Execution, RunResult } from '../store/schedule/task.ts';
import type { EverySecond } from './tick.ts';

/** A tick that comes a little early still counts, or two seconds would become three. */
const EARLY_MS = 500;
/** After the grace of `stop`, an aborted run has this long to unwind. */
const UNWIND_MS = 2_000;

export interface SchedulerInput {
  /** The workspace's root, for the log of runs. */
  readonly workspace: string;
  readonly home: Home;
  readonly schedule: Schedule;
  readonly claims: Claims;
  readonly clock: Clock;
  readonly everySecond: EverySecond;
  /** `[scheduler] check_interval_ms` */
  readonly checkIntervalMs: number;
  /** How many more runs may start now. */
  readonly room: () => number;
  /** Runs one claimed slot to its end; a throw is a failed run. The signal fires when the host stops. */
  readonly run: (claim: Claim, signal: AbortSignal) => Promise<RunResult>;
  /** Told what a person should know: a database that cannot be read, a log that cannot be written. Each text once in a row. */
  readonly onProblem: (text: string) => void;
  /** Told of every run that ended, and of every row that was skipped or found interrupted. */
  readonly onEnd?: (execution: Execution) => void;
}

export interface Scheduler {
  /** Looks for due work now. Never throws. */
  look(): void;
  running(): readonly Claim[];
  /** Stops ticking, waits for runs up to `graceMs`, aborts the rest and records them as interrupted. */
  stop(graceMs: number): Promise<void>;
}

export function startScheduler(input: SchedulerInput): Scheduler {
  const { claims, clock, schedule } = input;
  const going = new Map<Claim, Promise<void>>();
  const abort = new AbortController();
  let ended = false;
  let lastLook = Number.NEGATIVE_INFINITY;
  let lastProblem = '';

  const problem = (error: unknown): void => {
    const text = errorMessage(error);
    if (text !== lastProblem) input.onProblem(text);
    lastProblem = text;
  };
  const record = (execution: Execution): void => {
    try {
      appendRunLine(input.home, runLine(input.workspace, execution, schedule.get(execution.task)?.timeZone ?? 'UTC', clock.now()));
    } catch (error) {
      problem(error);
    }
    input.onEnd?.(execution);
  };
  const finish = (claim: Claim, result: RunResult): void => {
    if (ended) return;
    try {
      record(claims.finish(claim, result));
    } catch (error) {
      problem(error);
    }
  };
  const begin = (claim: Claim): void => {
    // The first await lets the map be filled before anything can end.
    const run = Promise.resolve()
      .then(() => input.run(claim, abort.signal))
      .catch((error: unknown): RunResult => ({ status: 'failed', output: '', error: errorMessage(error) }))
      .then((result) => {
        finish(claim, result);
        going.delete(claim);
      });
    going.set(claim, run);
  };

  const look = (): void => {
    if (abort.signal.aborted || ended) return;
    lastLook = clock.now();
    try {
      for (const execution of claims.settle()) record(execution);
      const { claims: taken, skipped } = claims.due(input.room());
      for (const claim of taken) begin(claim);
      for (const execution of skipped) record(execution);
      lastProblem = '';
    } catch (error) {
      problem(error);
    }
  };
  try {
    claims.prune();
  } catch (error) {
    problem(error);
  }
  const stopTicking = input.everySecond(() => {
    const passed = clock.now() - lastLook;
    // A clock that was set back must not make the next look wait for the old time.
    if (passed < 0 || passed >= input.checkIntervalMs - EARLY_MS) look();
  });

  return {
    look,
    running: () => [...going.keys()],
    async stop(graceMs) {
      stopTicking();
      const all = (): Promise<unknown> => Promise.all(going.values());
      const waiting = new AbortController();
      if (going.size > 0) await Promise.race([all(), sleep(clock, graceMs, waiting.signal)]);
      abort.abort();
      if (going.size > 0) await Promise.race([all(), sleep(clock, UNWIND_MS, waiting.signal)]);
      waiting.abort();
      for (const claim of going.keys()) finish(claim, { status: 'interrupted', output: '', error: 'xz was stopped while it ran' });
      ended = true;
    },
  };
}
