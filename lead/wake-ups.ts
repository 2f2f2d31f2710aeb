// The schedule of a screen or a REPL: what falls due enters the conversation as a wake-up, behind the turn that runs.
import type { Clock } from '../store/clock.ts';
import type { Database } from '../store/database/database.ts';
import type { Layout } from '../store/layout.ts';
import type { Locks } from '../store/lock.ts';
import { openClaims } from '../store/schedule/claims.ts';
import { sweepPresence, takePresence } from '../store/schedule/presence.ts';
import { openSchedule } from '../store/schedule/schedule.ts';
import { type Claim, type Execution, type RunResult, wakeupText } from '../store/schedule/task.ts';
import type { Conversation } from './conversation.ts';
import { startScheduler } from './scheduler.ts';
import { type EverySecond, everySecond } from './tick.ts';

export interface WakeUpsInput {
  readonly conversation: Pick<Conversation, 'wake' | 'session'>;
  readonly layout: Layout;
  readonly locks: Locks;
  readonly db: Database;
  readonly clock: Clock;
  /** `[scheduler] check_interval_ms` */
  readonly checkIntervalMs: number;
  readonly onProblem: (text: string) => void;
  /** Told of every run that ended, so that a screen can draw the schedule again. */
  readonly onEnd?: (execution: Execution) => void;
  /** node-cron by default. */
  readonly ticks?: EverySecond;
}

export interface WakeUps {
  /** Stops looking; a wake-up that has not ended within `graceMs` is recorded as interrupted. Called before the conversation is closed. */
  stop(graceMs: number): Promise<void>;
}

/** A conversation runs one turn at a time, so a few wake-ups may wait in its queue; more stay due for other hosts. */
const MOST_WAITING = 3;

export function startWakeUps(input: WakeUpsInput): WakeUps {
  const { layout, locks, db, clock, conversation } = input;
  sweepPresence(locks, layout, clock.now());
  const presence = takePresence(locks, layout, 'scheduler');
  const scheduler = startScheduler({
    workspace: layout.root,
    home: layout.home,
    schedule: openSchedule(db, clock),
    claims: openClaims({ db, clock, lease: presence.lease, isFree: (name) => locks.isFree(name) }),
    clock,
    checkIntervalMs: input.checkIntervalMs,
    everySecond: input.ticks ?? everySecond(false),
    room: () => MOST_WAITING - scheduler.running().length,
    run: (claim) => wake(conversation, claim),
    onProblem: input.onProblem,
    ...(input.onEnd === undefined ? {} : { onEnd: input.onEnd }),
  });
  // What fell due while xz was closed is looked for at once.
  scheduler.look();
  return {
    async stop(graceMs) {
      await scheduler.stop(graceMs);
      presence.release();
    },
  };
}

async function wake(conversation: Pick<Conversation, 'wake' | 'session'>, claim: Claim): Promise<RunResult> {
  const { id, mode } = claim.task;
  const { stopReason, text } = await conversation.wake({
    taskId: id,
    description: wakeupText(claim),
    ...(mode === undefined ? {} : { mode }),
  });
  const base = { output: text, session: conversation.session() };
  if (stopReason === 'done') return { ...base, status: 'success' };
  return { ...base, status: stopReason === 'interrupted' ? 'interrupted' : 'failed', error: `stopped: ${stopReason}` };
}
