// One agent: a session, a model, tools, and turns run one at a time. The lead and every teammate are this.
import type { Clock } from '../../store/clock.ts';
import { type ErrorFacts, errorFacts, XzError } from '../../store/errors.ts';
import type { AssistantContent, Image, UserContent } from '../../store/sessions/message.ts';
import type { MessageRow, SeenMail, SessionRow, Sessions, Spent, TurnRow } from '../../store/sessions/sessions.ts';
import { openContext } from './context/context.ts';
import { openHistory } from './context/history.ts';
import type { EmitAgentEvent, StopReason } from './events.ts';
import type { MailSource, TakenMail } from './mail-source.ts';
import { estimateFixed } from './model/estimate.ts';
import type { Model } from './model/model.ts';
import type { ToolFrame } from './tools/frame.ts';
import type { Limits } from './turn/limits.ts';
import { noteOfWhatStays } from './turn/stays.ts';
import { runLoop, type StopCause } from './turn/turn.ts';
import { answerUnanswered, unansweredCalls } from './turn/unanswered.ts';

export type TurnInput =
  | { readonly kind: 'user'; readonly text: string; readonly images?: readonly Image[] }
  | { readonly kind: 'wakeup'; readonly text: string; readonly taskId: string }
  | { readonly kind: 'mail'; readonly mail: readonly TakenMail[] }
  /** A word from the harness that starts a turn, such as the reminder of work that has not landed. */
  | { readonly kind: 'note'; readonly text: string }
  /** Goes on with the turn that was open, or that a limit stopped. */
  | { readonly kind: 'resume' };

export interface TurnOutcome {
  readonly turn: number;
  readonly stopReason: StopReason;
  /** The last thing the agent said in the turn. */
  readonly text: string;
  /** Why it stopped, when an error was the reason. */
  readonly fault?: ErrorFacts;
}

export interface AgentSetup {
  readonly sessions: Sessions;
  readonly session: SessionRow;
  /** The agent's name. */
  readonly name: string;
  readonly root: string;
  /** Asked for every request, so that a switch takes effect at once. */
  readonly model: () => Promise<Model>;
  readonly frame: ToolFrame;
  readonly systemPrompt: string;
  readonly mail: MailSource;
  readonly limits: Limits;
  readonly emit: EmitAgentEvent;
  readonly clock: Clock;
  /** What the model is told with a new request: recalled topics, open tasks, team state. Must not throw. */
  readonly background?: (request: string, signal: AbortSignal, kind: TurnInput['kind']) => Promise<string | undefined>;
  readonly beforeSummary?: (rows: readonly MessageRow[], signal: AbortSignal) => Promise<void>;
  readonly reminder?: () => string | undefined;
  /** Told of each new request of a person, before its turn begins. */
  readonly onRequest?: () => void;
}

export interface Agent {
  readonly session: string;
  running(): boolean;
  /** Runs one turn to its end. Only one at a time; throws `conflict` otherwise, and what the stores throw. */
  run(input: TurnInput, limits?: Partial<Limits>): Promise<TurnOutcome>;
  /** Tells the running turn to stop; `run` then resolves. Nothing happens when none runs. */
  stop(cause: StopCause): void;
  /** What there is to resume: an open turn, or one that a limit stopped. */
  unfinished(): TurnRow | undefined;
  /** Summarises the conversation now; false when there is nothing older to summarise. */
  compact(): Promise<boolean>;
  /** US dollars of the session so far; null when any part of it is unknown or a subscription. */
  costUsd(): number | null;
  /** Tokens of the session so far. */
  tokens(): number;
}

const CAN_GO_ON: ReadonlySet<string> = new Set(['timeout', 'rounds', 'budget', 'error']);

export function createAgent(setup: AgentSetup): Agent {
  const { sessions, emit } = setup;
  const session = setup.session.id;
  const history = openHistory(sessions, session);
  const account = openAccount(sessions, session);
  const context = openContext({
    sessions,
    session,
    history,
    systemTokens: () => estimateFixed({ systemPrompt: setup.systemPrompt, tools: setup.frame.tools }),
    emit,
    clock: setup.clock,
    paid(reply) {
      sessions.spend(session, 'summary', reply);
      account.add(reply);
    },
    ...(setup.beforeSummary !== undefined && { beforeSummary: setup.beforeSummary }),
  });
  let controller: AbortController | undefined;

  const unfinished = (): TurnRow | undefined => {
    const open = sessions.openTurnOf(session);
    if (open !== undefined) return open;
    const last = sessions.lastTurn(session);
    return last?.state === 'done' && CAN_GO_ON.has(last.stopReason ?? '') ? last : undefined;
  };

  /** Opens the turn and stores what it starts with, in one transaction. */
  const begin = async (input: TurnInput, signal: AbortSignal): Promise<TurnRow> => {
    if (input.kind === 'resume') {
      const turn = unfinished();
      if (turn === undefined) throw new XzError('conflict', 'there is no turn to go on with');
      return turn.state === 'open' ? turn : sessions.reopenTurn(turn.id);
    }
    await settleOpenTurn();
    if (input.kind === 'user' || input.kind === 'wakeup') setup.onRequest?.();
    const { content, seen } = firstContent(input);
    const background = await setup.background?.(content.text, signal, input.kind);
    const undone = sessions.lastTurn(session)?.state === 'rolled_back';
    const note = undone ? noteOfWhatStays(sessions.turns(session), sessions.messages(session)) : undefined;
    const turn = await storeWithMail(input.kind === 'mail' ? [] : setup.mail.goAlong(), (mail) =>
      sessions.together(() => {
        const opened = sessions.openTurn(session);
        if (note !== undefined) sessions.append(opened, { role: 'user', text: note, origin: { type: 'note' } });
        if (mail.length > 0) sessions.append(opened, mailContent(mail), seenOf(mail));
        sessions.append(opened, background === undefined ? content : { ...content, background }, seen);
        return opened;
      }),
    );
    history.reload();
    return turn;
  };

  /** What was taken and could not be stored goes back: acknowledged with a later turn it would be lost unread. */
  const storeWithMail = async (mail: readonly TakenMail[], store: (mail: readonly TakenMail[]) => TurnRow): Promise<TurnRow> => {
    try {
      return store(mail);
    } catch (error) {
      if (mail.length > 0) await setup.mail.turnEnded('rolled_back');
      throw error;
    }
  };

  /** A turn that a crash left open when the person goes on with a new request: its calls are answered, then it ends. */
  const settleOpenTurn = async (): Promise<void> => {
    const open = sessions.openTurnOf(session);
    if (open === undefined) return;
    const calls = unansweredCalls(history.rows().filter((row) => row.turn === open.id));
    if (calls !== undefined) {
      const signal = controller?.signal ?? new AbortController().signal;
      const { frame, name, root, clock } = setup;
      await answerUnanswered({ sessions, turn: open, row: calls.row, frame, agent: name, root, signal, emit, now: clock.now }, calls);
    }
    await end(open, 'interrupted', 'settled');
  };

  const end = async (turn: TurnRow, stopReason: StopReason, cause: unknown): Promise<void> => {
    if (stopReason === 'interrupted' && cause !== 'settled') {
      // Suspended: the turn stays open and its mail unacknowledged, for the process that resumes.
      if (cause === 'suspend') return;
      sessions.endTurn(turn.id, 'rolled_back', stopReason);
      history.reload();
      await setup.mail.turnEnded('rolled_back');
      return;
    }
    sessions.endTurn(turn.id, 'done', stopReason);
    await setup.mail.turnEnded('done');
  };

  return {
    session,
    running: () => controller !== undefined,
    async run(input, limits = {}) {
      if (controller !== undefined) throw new XzError('conflict', `${setup.name} is already in a turn`);
      const current = new AbortController();
      controller = current;
      try {
        const turn = await begin(input, current.signal);
        emit({ type: 'turn_start', session: turn.session, turn: turn.id, prompt: promptOf(input), origin: originOf(input) });
        const { stopReason, text, error } = await runLoop({
          ...setup,
          agent: setup.name,
          turn,
          history,
          context,
          limits: { ...setup.limits, ...limits },
          account,
          signal: current.signal,
        });
        await end(turn, stopReason, current.signal.reason);
        const fault = error === undefined ? undefined : errorFacts(error);
        if (fault !== undefined) emit({ type: 'error', ...fault });
        emit({ type: 'turn_end', turn: turn.id, stopReason, text });
        return {
          turn: turn.id,
          stopReason,
          text,
          ...(fault !== undefined && { fault }),
        };
      } finally {
        controller = undefined;
      }
    },
    stop: (cause) => controller?.abort(cause),
    unfinished,
    async compact() {
      if (controller !== undefined) throw new XzError('conflict', `${setup.name} is in a turn`);
      // The summary joins the newest turn: one of its own would hide that the last was interrupted, or can be resumed.
      const turn = sessions.turns(session).findLast(({ state }) => state !== 'rolled_back');
      if (turn === undefined) return false;
      const current = new AbortController();
      controller = current;
      try {
        return await context.summarise(await setup.model(), turn, current.signal);
      } finally {
        controller = undefined;
      }
    },
    costUsd: () => account.spent().costUsd,
    tokens: () => account.spent().tokens,
  };
}

interface Account {
  spent(): Spent;
  add(reply: AssistantContent): void;
}

/** What the session has cost: read once, then added to, since it is asked before every call. */
function openAccount(sessions: Sessions, session: string): Account {
  let total: Spent | undefined;
  const spent = () => (total ??= sessions.spent(session));
  return {
    spent,
    add(reply) {
      // The row is stored already; a total not read yet will count it.
      if (total === undefined) return;
      const costUsd = total.costUsd === null || reply.costUsd === null ? null : total.costUsd + reply.costUsd;
      total = { tokens: total.tokens + reply.usage.total, costUsd };
    },
  };
}

function firstContent(input: Exclude<TurnInput, { kind: 'resume' }>): { content: UserContent; seen: readonly SeenMail[] } {
  switch (input.kind) {
    case 'user':
      return { content: { role: 'user', text: input.text, ...(input.images !== undefined && { images: [...input.images] }) }, seen: [] };
    case 'wakeup':
      return { content: { role: 'user', text: input.text, origin: { type: 'wakeup', taskId: input.taskId } }, seen: [] };
    case 'note':
      return { content: { role: 'user', text: input.text, origin: { type: 'note' } }, seen: [] };
    case 'mail':
      return { content: mailContent(input.mail), seen: seenOf(input.mail) };
  }
}

const seenOf = (mail: readonly TakenMail[]): readonly SeenMail[] => mail.map((one) => one.seen);

function mailContent(mail: readonly TakenMail[]): UserContent {
  return { role: 'user', text: mail.map((one) => one.text).join('\n\n'), origin: { type: 'mail', mailIds: mail.map((one) => one.id) } };
}

function promptOf(input: TurnInput): string {
  return input.kind === 'resume' ? '' : firstContent(input).content.text;
}

function originOf(input: TurnInput): TurnInput['kind'] {
  return input.kind;
}
