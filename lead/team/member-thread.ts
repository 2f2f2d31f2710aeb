// One teammate's thread as the lead sees it: started, watched, respawned after a crash, stopped within the deadline.
// The roster entry is written here and nowhere else while the thread lives.
import { LEAD } from '../../mailbox/senders.ts';
import { errorMessage } from '../../store/errors.ts';
import type { AgentEvent } from '../../workers/agent/events.ts';
import type { RunningTeammate } from '../../workers/pool.ts';
import type { LeadApi, MemberStatus, PermissionRequest, TeammateStart } from '../../workers/protocol.ts';
import { watchFor } from './arrivals.ts';
import { type Crew, note } from './crew.ts';

/** Thread crashes after which a teammate is not started again. A kill of the whole process counts nothing. */
export const MOST_CRASHES = 3;
/** How long a thread may take to be ready, ms; then it is ended, which counts as a crash. */
export const READY_DEADLINE_MS = 30_000;
/** How long a thread may take to stop before it is ended, ms. */
export const STOP_DEADLINE_MS = 2_500;

export interface MemberThread {
  readonly name: string;
  status(): MemberStatus;
  wake(file?: string): void;
  interrupt(): void;
  /** Asks the thread to stop with its turn left open, and ends it after the deadline. */
  stop(): Promise<void>;
  /** Resolves when the thread has ended for good, however. */
  readonly over: Promise<void>;
  /** What there is to tell of its end, once it has ended by itself and was settled. */
  farewell(): string | undefined;
  /** True while it works, starts, or has been given something it has not looked at. */
  busy(): boolean;
}

/** Starts a teammate's thread. `onCrash` is called when it has crashed once too often. */
export function startMember(
  crew: Crew,
  start: TeammateStart,
  onGone: (how: 'ended' | 'stopped' | 'crashed', why: string) => Promise<string | undefined>,
): MemberThread {
  const { name } = start;
  let status: MemberStatus = { state: 'idle', activity: 'waiting', since: crew.parts.clock.now(), tokens: 0, costUsd: null, files: [] };
  let starting = true;
  let nudged = false;
  let farewell: string | undefined;
  let stopping = false;
  /** Why this side ended the thread itself. */
  let late: string | undefined;
  let lastCrash = '';
  let running: RunningTeammate;
  /** Withdraws the question that it asked last. */
  let asked = new AbortController();

  const lead: LeadApi = {
    // Being up says nothing yet: the first status tells whether it found work to go on with.
    ready: () => crew.changed(),
    event(event: AgentEvent) {
      crew.emit({ ...event, agent: name });
    },
    status(next) {
      const moved = starting || next.state !== status.state || next.task !== status.task;
      status = next;
      starting = false;
      nudged = false;
      if (moved) keepState(next);
      emitStatus();
      crew.changed();
    },
    ask(request: PermissionRequest) {
      asked = new AbortController();
      const from = { agent: name, worktree: start.branch === undefined ? undefined : start.root };
      return crew.inbox.ask(request, from, asked.signal);
    },
    withdraw: () => asked.abort(),
    mailed: (file, to) => (to === LEAD ? crew.mailed(file) : crew.threads.get(to)?.wake(file)),
    outOfBudget: () => crew.outOfBudget(),
  };

  /** Entry and record follow; that they cannot (a full disk, an entry that a person removed) must not let everybody wait. */
  const keepState = ({ state, task }: MemberStatus): void => {
    try {
      const entry = crew.roster.read(name);
      if (state !== 'ended' && entry !== undefined) crew.roster.change(name, { state, task: task ?? entry.task });
      note(crew, 'state', name, task === undefined ? state : `${state} on ${task}`);
    } catch (error) {
      crew.emit({ type: 'notice', agent: name, code: 'team', text: `how ${name} stands cannot be noted: ${errorMessage(error)}` });
    }
  };

  const emitStatus = (): void => {
    const entry = crew.roster.read(name);
    crew.emit({
      type: 'teammate',
      name,
      state: starting ? 'starting' : status.state,
      activity: status.activity,
      since: status.since,
      tokens: status.tokens,
      costUsd: status.costUsd,
      files: status.files,
      ...(status.detail !== undefined && { detail: status.detail }),
      ...(status.task !== undefined && { task: status.task }),
      ...(entry?.branch !== undefined && { branch: entry.branch }),
      ...(entry?.worktree !== undefined && { worktree: entry.worktree }),
    });
  };

  /** A thread that never becomes ready would have everybody wait for it. */
  const begin = (): RunningTeammate => {
    const life = crew.pool().start(start, lead);
    late = undefined;
    const cancel = crew.parts.clock.after(READY_DEADLINE_MS, () => {
      late = `it was not ready within ${READY_DEADLINE_MS / 1000} s`;
      life.kill();
    });
    // What ended it early is told by `done`.
    life.ready.catch(() => undefined).finally(cancel);
    return life;
  };

  /** One life after another, until one ends by itself or the crashes are used up. */
  const lives = async (): Promise<'ended' | 'stopped' | 'crashed'> => {
    for (;;) {
      try {
        // However it ended, nobody waits for an answer any more.
        await running.done.finally(() => asked.abort());
        return status.state === 'ended' ? 'ended' : 'stopped';
      } catch (error) {
        if (stopping) return 'stopped';
        const wasEnding = crew.roster.read(name)?.state === 'ending';
        const crashes = (crew.roster.read(name)?.crashes ?? 0) + 1;
        const why = late ?? errorMessage(error);
        lastCrash = why;
        note(crew, 'crash', name, `thread crashed (${crashes} of ${MOST_CRASHES}): ${why}`);
        crew.emit({
          type: 'notice',
          agent: name,
          code: 'team',
          text: `${name} crashed (${crashes} of ${MOST_CRASHES}): ${why}`,
        });
        crew.roster.change(name, { state: wasEnding ? 'ending' : 'crashed', crashes });
        crew.files.endCommands(start.session);
        // Asked to end, it has nothing left to start again for: what it leaves is settled without it.
        if (wasEnding) return 'ended';
        // What it had in hand without showing it had a failed delivery; the third sets that mail aside.
        crew.mailbox
          .openBox(name)
          .countFailedDeliveries((mailId) => crew.parts.sessions.turnThatSaw({ agent: name, epoch: start.epoch, mailId }) !== undefined);
        if (crashes >= MOST_CRASHES) return 'crashed';
        starting = true;
        crew.roster.change(name, { state: 'starting' });
        running = begin();
      }
    }
  };

  running = begin();
  emitStatus();
  const wake = (file?: string): void => {
    nudged = true;
    running.api.wake(file).catch(() => undefined);
  };
  const arrivals = watchFor(crew, name, wake);
  const settleEnd = async (): Promise<void> => {
    const why = await lives();
    // Also one that was ended in the middle of its work: nobody may wait for it any more.
    crew.threads.delete(name);
    await arrivals.stop();
    if (why !== 'stopped' || !stopping) farewell = await onGone(why, lastCrash);
  };
  // Nobody awaits this while all is well: a full disk at the wrong moment must reach the person, not end the process.
  const over = settleEnd()
    .catch((error: unknown) => {
      crew.threads.delete(name);
      crew.emit({ type: 'notice', agent: name, code: 'team', text: `${name} has gone and could not be settled: ${errorMessage(error)}` });
    })
    .then(() => crew.changed());
  return {
    name,
    status: () => status,
    wake,
    interrupt: () => void running.api.interrupt().catch(() => undefined),
    async stop() {
      stopping = true;
      running.api.stop().catch(() => undefined);
      const cancel = crew.parts.clock.after(STOP_DEADLINE_MS, () => running.kill());
      await over.finally(cancel);
    },
    over,
    farewell: () => farewell,
    busy: () => starting || nudged || status.state === 'working' || status.state === 'ending',
  };
}
