// The lead: an agent on the process's main thread that a person talks to and that may have a team. Turns run one at a
// time, in the order of turn-queue.ts; mail from the team wakes an idle lead.
import { errorFacts, errorMessage, XzError } from '../store/errors.ts';
import { preloadIdentity } from '../store/identity/preload.ts';
import type { SessionRow } from '../store/sessions/sessions.ts';
import type { TurnInput, TurnOutcome } from '../workers/agent/agent.ts';
import { type AgentParts, type BuiltAgent, buildAgent } from '../workers/agent/build.ts';
import type { StopReason } from '../workers/agent/events.ts';
import type { AskPermission } from '../workers/agent/tools/frame.ts';
import type { Tool } from '../workers/agent/tools/tool.ts';
import type { Limits } from '../workers/agent/turn/limits.ts';
import type { Conversation } from './conversation.ts';
import type { EmitLeadEvent } from './events.ts';
import type { Inbox } from './inbox.ts';
import type { LeadMemory } from './memory/lead-memory.ts';
import type { ModeInForce } from './mode.ts';
import type { ModelChoice } from './models.ts';
import type { SessionWriter } from './session-writer.ts';
import { openTasksBackground, taskGuidance } from './task-background.ts';
import { sharedWith, type TeamSide } from './team/side.ts';
import { titleOf } from './title.ts';
import { createTurnQueue, type Pending } from './turn-queue.ts';

export const LEAD_NAME = 'Lead';

export interface LeadSetup {
  readonly parts: AgentParts;
  readonly session: SessionRow;
  readonly models: ModelChoice;
  readonly team: TeamSide;
  readonly inbox: Inbox;
  /** Whether a person can be asked. */
  readonly attended: boolean;
  /** Tools of the lead beside the standard ones and the team's. */
  readonly tools: readonly Tool[];
  readonly aliases: Readonly<Record<string, string>>;
  readonly mode: ModeInForce;
  readonly limits: Limits;
  readonly emit: EmitLeadEvent;
  /** Absent when it is off in the settings and nobody is there to switch it on. */
  readonly memory?: LeadMemory;
  readonly writer: SessionWriter;
}

export interface Lead extends Omit<Conversation, 'listen'> {
  /** Runs one turn and waits for it; typed text and mail that arrive meanwhile stay queued. */
  run(input: TurnInput, limits?: Partial<Limits>): Promise<TurnOutcome>;
  /** True when there is something `--resume` would finish. */
  unfinished(): boolean;
  /** Goes on with what was open; resolves when it has ended. */
  finishOpen(limits?: Partial<Limits>): Promise<TurnOutcome | undefined>;
  /** The outcome of the last turn. */
  lastOutcome(): TurnOutcome | undefined;
  /** Stops the running turn, leaving it open for another process. */
  suspend(cause: 'suspend' | 'timeout'): void;
}

export async function createLead(setup: LeadSetup): Promise<Lead> {
  const { parts, emit, team, inbox, models } = setup;
  const queue = createTurnQueue();
  let session = setup.session;
  const preload = () => preloadIdentity(parts.layout, parts.config.context, parts.clock.now());
  let preloaded = await preload();
  let built = build();
  let turn: Promise<TurnOutcome> | undefined;
  let last: TurnOutcome | undefined;
  let looking = false;
  /** What the pump runs now, and its turn. */
  let step: Promise<boolean> | undefined;
  let stepTurn: Promise<TurnOutcome> | undefined;
  let pumping: Promise<void> = Promise.resolve();
  let closed = false;
  let memory = parts.config.memory.enabled;

  function build(): BuiltAgent {
    const ask: AskPermission = async (question, signal) => {
      const answer = await inbox.ask(question, { agent: LEAD_NAME }, signal);
      return answer.verdict === 'refuse' ? { refuse: answer.reason } : answer.verdict;
    };
    return buildAgent(parts, {
      kind: 'lead',
      session,
      name: LEAD_NAME,
      root: parts.layout.root,
      inWorktree: false,
      guidance: [taskGuidance, team.guidance()],
      extraTools: [...setup.tools, ...team.tools()],
      aliases: setup.aliases,
      model: () => models.model('main'),
      window: () => models.facts().window,
      acceptsImages: models.images,
      permissions: () => ({ mode: setup.mode.inForce(), allow: parts.config.permissions.allow, deny: parts.config.permissions.deny }),
      ...(setup.attended && { ask }),
      ...sharedWith(team, { name: LEAD_NAME, session: session.id }),
      secrets: models.secrets,
      mail: team,
      limits: setup.limits,
      emit: (event) => emit({ ...event, agent: LEAD_NAME }),
      background,
      preload: () => preloaded,
      beforeSummary: async (...rows) => (memory ? setup.memory?.beforeSummary(...rows) : undefined),
    });
  }

  /** Open tasks, team state and recalled memory for a request; guidance that the stored prompt of the session lacks. */
  async function background(request: string, signal: AbortSignal, kind: TurnInput['kind']): Promise<string | undefined> {
    const prompt = parts.sessions.get(session.id)?.systemPrompt ?? '';
    const guidance = team.guidance();
    const told = [
      prompt.includes(guidance) ? undefined : guidance,
      openTasksBackground(parts.tasks),
      await team.background(),
      memory && (kind === 'user' || kind === 'wakeup') ? await setup.memory?.background(request, signal) : undefined,
    ].filter((part) => part !== undefined && part !== '');
    return told.length === 0 ? undefined : told.join('\n\n');
  }

  const run = async (input: TurnInput, limits?: Partial<Limits>): Promise<TurnOutcome> => {
    // One turn at a time: what resumes an open turn and what was queued meanwhile wait for each other.
    while (turn !== undefined) await turn.catch(() => undefined);
    if (input.kind === 'user' && parts.sessions.get(session.id)?.title === '') parts.sessions.setTitle(session.id, titleOf(input.text));
    turn = built.agent.run(input, limits);
    try {
      last = await turn;
      if (memory && last.stopReason === 'done' && ['user', 'resume'].includes(input.kind)) setup.memory?.turnEnded(last.turn);
      return last;
    } finally {
      turn = undefined;
    }
  };

  /** Runs what waits until nothing does. Only one at a time; it never rejects. */
  const pump = (): Promise<void> => {
    if (!looking) {
      looking = true;
      pumping = drain();
    }
    return pumping;
  };
  const drain = async (): Promise<void> => {
    do step = next();
    while (await step);
  };
  /** In the same tick that found nothing to do: what is queued a moment later must not lean on a pump that has looked. */
  const rest = (): false => {
    looking = false;
    return false;
  };
  /** Runs one thing that waits; false when there was none, or when the person stopped it. Never rejects. */
  const next = async (): Promise<boolean> => {
    while (turn !== undefined) await turn.catch(() => undefined);
    if (closed) return rest();
    const item = queue.next();
    const input = item === undefined ? team.nextMail() : inputOf(item);
    if (input === undefined) return rest();
    setup.mode.narrow(item?.kind === 'wakeup' ? item.mode : undefined);
    try {
      const running = run(input);
      stepTurn = turn;
      const outcome = await running;
      // After an interrupt the person decides what comes next; queued text, mail and the wake-up itself wait for that.
      if (outcome.stopReason === 'interrupted') {
        if (item?.kind === 'wakeup') queue.giveBack(item);
        return rest();
      }
      if (item?.kind === 'wakeup') item.settle(outcome.stopReason, outcome.text);
    } catch (error) {
      if (item?.kind === 'wakeup') item.settle('error', errorMessage(error));
      report(error);
    } finally {
      setup.mode.narrow(undefined);
    }
    return true;
  };
  const report = (error: unknown): void => {
    emit({ type: 'error', agent: LEAD_NAME, ...errorFacts(error) });
  };
  team.onMail(() => {
    if (turn === undefined && !closed) void pump();
  });

  const replaceSession = async (next: SessionRow): Promise<void> => {
    if (turn !== undefined) throw new XzError('conflict', 'a turn is running', { hint: 'wait for it, or interrupt it first' });
    team.leaveSession();
    setup.writer.take(next.id);
    await built.close();
    session = next;
    await team.enterSession();
    preloaded = await preload();
    built = build();
  };

  return {
    session: () => session.id,
    model: models.facts,
    mode: setup.mode.get,
    setMode: setup.mode.set,
    setModel: (model, provider) => models.switchTo(model, provider),
    submit(text) {
      queue.add({ kind: 'user', text });
      void pump();
    },
    wake({ taskId, description, mode }) {
      return new Promise((resolve) => {
        const settle = (stopReason: StopReason, text: string) => resolve({ stopReason, text });
        queue.add({ kind: 'wakeup', text: `[Scheduled Task: ${description}]`, taskId, mode, settle });
        void pump();
      });
    },
    queued: queue.typed,
    takeBack: queue.takeBack,
    running: () => turn !== undefined,
    async interrupt() {
      // Nothing new starts while the person looks at what was stopped: mail the turn took is back in its box by then.
      const stopped = turn;
      built.agent.stop('interrupt');
      await stopped?.catch(() => undefined);
      // What is typed from now on must find the pump at rest, or it would wait with what the interrupt holds back.
      if (stopped !== undefined && stopped === stepTurn) await step;
    },
    questions: inbox.open,
    answer: inbox.answer,
    rows: () => parts.sessions.messages(session.id),
    async compact() {
      const before = parts.sessions.sent(session.id).length;
      const done = await built.agent.compact();
      return done ? `summarised ${before} messages` : 'there is nothing older to summarise';
    },
    startNew: () => replaceSession(parts.sessions.create({ kind: 'lead', agent: LEAD_NAME, title: '' })),
    async resume(id) {
      const row = parts.sessions.get(id);
      if (row === undefined) throw new XzError('not_found', `no session "${id}"`, { data: { kind: 'session', given: id } });
      await replaceSession(row);
    },
    memoryOn: () => memory,
    setMemory: (on) => {
      memory = on;
      if (on) setup.memory?.start();
    },
    cost: () => [
      { agent: LEAD_NAME, tokens: built.agent.tokens(), costUsd: built.agent.costUsd() },
      ...team.cost(),
      ...parts.sessions.spentBeside(session.id),
    ],
    todos: () => built.tools.todos(),
    team: {
      ...team.control,
      async on() {
        await team.control.on();
        await rebuildTools();
      },
      async off() {
        const kept = await team.control.off();
        await rebuildTools();
        return kept;
      },
    },
    async idle() {
      for (;;) {
        await pump();
        await team.idle();
        const resting = queue.empty() && turn === undefined && !looking;
        // What an interrupt put back waits for the person.
        if (resting && (closed || last?.stopReason === 'interrupted' || !team.hasMail())) return;
      }
    },
    async close() {
      closed = true;
      built.agent.stop('suspend');
      await turn?.catch(() => undefined);
      await pumping;
      await Promise.all([built.close(), team.close()]);
    },
    run,
    unfinished: () => built.agent.unfinished() !== undefined,
    async finishOpen(limits) {
      const outcome = built.agent.unfinished() === undefined ? undefined : await run({ kind: 'resume' }, limits);
      // Results that came in before the last process ended are read without waiting for the next one.
      void pump();
      return outcome;
    },
    lastOutcome: () => last,
    suspend: (cause) => built.agent.stop(cause),
  };

  /** A frame's tools are fixed, so switching the team on or off builds the agent anew on the same session. */
  async function rebuildTools(): Promise<void> {
    await turn?.catch(() => undefined);
    await built.close();
    built = build();
  }
}

function inputOf(item: Pending): TurnInput {
  return item.kind === 'user' ? { kind: 'user', text: item.text } : { kind: 'wakeup', text: item.text, taskId: item.taskId };
}
