// Memory as the lead has it: background for a request, and upkeep after a turn. Turns are looked at one after the other,
// beside the conversation; what is not done when xz ends is owed, and done by the next conversation.
import { errorFacts } from '../../store/errors.ts';
import type { Owed } from '../../store/memory/owed.ts';
import type { MessageRow, Sessions } from '../../store/sessions/sessions.ts';
import type { MemoryTrouble, TellMemory } from './notice.ts';
import { createRecall, type RecallSetup } from './recall.ts';
import { keepFacts, type UpkeepSetup } from './upkeep.ts';

export interface LeadMemorySetup extends Omit<RecallSetup, 'notice'>, Omit<UpkeepSetup, 'notice'> {
  readonly sessions: Sessions;
  readonly owed: Owed;
  /** Whether turns are looked at as soon as they end; otherwise when `settle` is called. */
  readonly atOnce: boolean;
  /** `[memory] enabled`, and `/memory on|off` of this session. */
  readonly enabled: () => boolean;
  readonly emit: TellMemory;
}

export interface LeadMemory {
  background(request: string, signal: AbortSignal): Promise<string | undefined>;
  recalled(): readonly string[];
  /** A turn that a person began has ended; returns at once. */
  turnEnded(turn: number): void;
  /** Rows are about to be summarised: what was said in them is kept first, within a bounded time. */
  beforeSummary(rows: readonly MessageRow[], signal: AbortSignal): Promise<void>;
  /** Takes over old layouts and does what earlier processes owe; returns at once. Once is enough. */
  start(): void;
  /** Looks at what is left of this process's turns, and of others' in an unattended run, for at most `ms`. */
  settle(ms: number): Promise<void>;
  /** Ends all work; what is not done stays owed. */
  stop(): Promise<void>;
}

/** A turn to look at; `taken` when an earlier process owes it. */
interface WaitingTurn {
  readonly turn: number;
  readonly session: string;
  readonly taken?: true | undefined;
}

/** Another process may be at work on a turn that ended less than this ago. */
const OTHERS_MS = 120_000;
const MOST_OWED = 5;
const SUMMARY_MS = 20_000;

export function createLeadMemory(setup: LeadMemorySetup): LeadMemory {
  const said = new Set<string>();
  /** The same trouble is told once, not after every turn. */
  const notice: TellMemory = (told) => {
    const key = JSON.stringify(told);
    if (said.has(key)) return;
    said.add(key);
    setup.emit(told);
  };
  /** What only keeps the books of owed turns: a disk that refuses it ends no conversation. */
  const book = (what: MemoryTrouble, write: () => void): void => {
    try {
      write();
    } catch (error) {
      notice({ kind: 'trouble', what, why: errorFacts(error) });
    }
  };
  const recall = createRecall({ ...setup, notice });
  const upkeep: UpkeepSetup = { ...setup, notice };
  const stopped = new AbortController();
  const waiting: WaitingTurn[] = [];
  const looked = new Set<number>();
  let work: Promise<void> = Promise.resolve();
  let busy = false;
  let ready: Promise<void> = Promise.resolve();

  const giveBack = ({ turn, taken }: WaitingTurn): void => {
    if (taken === true) book('give_back', () => setup.owed.giveBack(turn));
  };

  const lookAt = async ({ turn, session, taken }: WaitingTurn): Promise<void> => {
    const rows = setup.sessions.messages(session).filter((row) => row.turn === turn && !looked.has(row.id));
    const done = await keepFacts(
      upkeep,
      session,
      rows.map(({ content }) => content),
      stopped.signal,
    );
    if (stopped.signal.aborted) return giveBack({ turn, session, taken });
    for (const { id } of rows) looked.add(id);
    if (done !== 'failed') setup.owed.settled(turn);
  };

  /** What earlier processes owe waits behind this one's turns. */
  const takeOwed = (): void => {
    book('take_owed', () => {
      const owed = setup.owed.take(setup.now() - OTHERS_MS, MOST_OWED);
      waiting.push(...owed.map((one) => ({ ...one, taken: true as const })));
    });
  };

  const drain = (): void => {
    if (busy) return;
    busy = true;
    work = (async () => {
      try {
        for (let next = waiting.shift(); next !== undefined && !stopped.signal.aborted; next = waiting.shift()) await lookAt(next);
      } catch (error) {
        notice({ kind: 'trouble', what: 'upkeep', why: errorFacts(error) });
      } finally {
        busy = false;
      }
    })();
  };

  return {
    async background(request, signal) {
      if (!setup.enabled()) return undefined;
      // Topics of an older layout are recalled as soon as they are topics.
      await ready;
      return recall.background(request, signal);
    },
    recalled: recall.recalled,
    turnEnded(turn) {
      if (!setup.enabled()) return;
      const session = setup.session();
      book('note_owed', () => setup.owed.note({ turn, session }, setup.now()));
      waiting.push({ turn, session });
      if (setup.atOnce) drain();
    },
    async beforeSummary(rows, signal) {
      const fresh = rows.filter(({ id }) => !looked.has(id));
      if (!setup.enabled() || fresh.length === 0) return;
      const limit = AbortSignal.any([signal, stopped.signal, AbortSignal.timeout(SUMMARY_MS)]);
      const done = await keepFacts(
        upkeep,
        setup.session(),
        fresh.map(({ content }) => content),
        limit,
      );
      if (done !== 'failed') for (const { id } of fresh) looked.add(id);
    },
    start() {
      if (!setup.enabled()) return;
      const begin = async (): Promise<void> => {
        const taken = await setup.memory.takeOver(stopped.signal);
        if (taken.length > 0) notice({ kind: 'taken_over', files: taken });
        if (!setup.atOnce) return;
        const waitingNow = setup.memory.conflicts().length;
        if (waitingNow > 0) notice({ kind: 'waiting', count: waitingNow });
        takeOwed();
      };
      busy = true;
      ready = begin()
        .catch((error: unknown) => notice({ kind: 'trouble', what: 'start', why: errorFacts(error) }))
        .finally(() => {
          busy = false;
          if (setup.atOnce) drain();
        });
      work = ready;
    },
    async settle(ms) {
      await work;
      // Nobody has a next turn that this could be in the way of.
      if (!setup.atOnce && setup.enabled()) takeOwed();
      drain();
      let cancel = () => {};
      const late = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        cancel = () => clearTimeout(timer);
      });
      await Promise.race([work, late]);
      cancel();
    },
    async stop() {
      stopped.abort();
      await work;
      waiting.splice(0).forEach(giveBack);
    },
  };
}
