// The loop of one turn: request, reply, tool calls, results, again, until the model has nothing more to call or a limit
// is reached. Every row is stored when it happens, so a kill at any instant leaves a turn that can be gone on with.
import type { Clock } from '../../../store/clock.ts';
import { XzError } from '../../../store/errors.ts';
import { type AssistantContent, callsOf, visibleText } from '../../../store/sessions/message.ts';
import type { Sessions, Spent, TurnRow } from '../../../store/sessions/sessions.ts';
import type { Context } from '../context/context.ts';
import type { History } from '../context/history.ts';
import { type EmitAgentEvent, retryNotice, type StopReason } from '../events.ts';
import type { MailSource, TakenMail } from '../mail-source.ts';
import { wasCutInCall } from '../model/convert.ts';
import { isAboutImages } from '../model/images.ts';
import type { Model } from '../model/model.ts';
import { replyWithRetry } from '../model/retry.ts';
import { NOT_AN_OBJECT } from '../model/wire-reply.ts';
import type { ToolFrame } from '../tools/frame.ts';
import { onlyLook, runBatch } from './batch.ts';
import { type Limits, limitReached } from './limits.ts';
import { answerUnanswered, unansweredCalls } from './unanswered.ts';
import { WRITTEN_CALL, writesCall } from './written-call.ts';

/** Why a running turn is told to stop. `suspend` leaves it open, to be gone on with by another process. */
export type StopCause = 'interrupt' | 'suspend' | 'timeout' | 'budget';

export interface TurnSetup {
  readonly sessions: Sessions;
  readonly turn: TurnRow;
  readonly agent: string;
  readonly root: string;
  readonly systemPrompt: string;
  readonly model: () => Promise<Model>;
  readonly frame: ToolFrame;
  readonly history: History;
  readonly context: Context;
  readonly mail: MailSource;
  readonly limits: Limits;
  /** What the session has cost so far, and how a new reply is added to it. */
  readonly account: { spent(): Spent; add(reply: AssistantContent): void };
  readonly emit: EmitAgentEvent;
  readonly clock: Clock;
  /** Fires with a StopCause. */
  readonly signal: AbortSignal;
  /** A reminder to add after a batch, such as a forgotten to-do; none most of the time. */
  readonly reminder?: () => string | undefined;
}

/** How the loop ended, before the turn's row says so. */
export interface LoopEnd {
  readonly stopReason: StopReason;
  readonly text: string;
  readonly error?: unknown;
}

/** A model that writes its calls as text, or calls that cannot be read, is told so this many times a turn. */
const MOST_CORRECTIONS = 3;
/** A reply that was cut by the output limit is asked to go on this many times. */
const MOST_CONTINUATIONS = 3;

/** Runs the loop of an open turn. Never throws for what the model, the network or a tool does. */
export async function runLoop(setup: TurnSetup): Promise<LoopEnd> {
  let text = '';
  try {
    await finishCrashedBatch(setup);
    let pieces = piecesBefore(setup);
    let continuations = 0;
    let empty = 0;
    let corrections = 0;
    for (let rounds = 0; ; rounds++) {
      const outOfBudget = (await setup.limits.outOfBudget?.()) ?? false;
      if (setup.signal.aborted) return stopped(setup.signal, text);
      const limit = limitReached(setup.limits, { rounds, costUsd: setup.account.spent().costUsd, now: setup.clock.now(), outOfBudget });
      if (limit !== undefined) return { stopReason: limit, text };
      const reply = await ask(setup);
      const said = visibleText(reply);
      const calls = callsOf(reply).map((call, index) => ({ call, index }));
      if (said.trim() === '' && calls.length === 0) {
        // Nothing is stored of an empty reply: it would only poison what is sent later.
        if (++empty > 1)
          return {
            stopReason: 'error',
            text,
            error: new XzError('model_failed', 'the model gave an empty reply twice', { hint: 'try again, or use another model' }),
          };
        continue;
      }
      empty = 0;
      // One sync a round: before anything is done that a power cut would leave without its reply, or else with the results.
      // A command's result waits for the next reply: what a power cut takes of it is told as "outcome unknown", as its
      // files may be.
      const looks = calls.length > 0 && onlyLook(calls, setup.frame);
      const row = setup.history.append(setup.turn, reply, [], looks ? 'with the next' : 'now');
      setup.account.add(reply);
      if (said.trim() !== '') text = pieces + said;
      pieces = isPiece(reply) ? pieces + said : '';
      emitUsage(setup, reply, await setup.model());
      if (reply.finish === 'length') {
        if (++continuations > MOST_CONTINUATIONS)
          return { stopReason: 'error', text, error: new XzError('model_failed', 'the reply was cut at the output limit again and again') };
        note(
          setup,
          'Your reply was cut at the output limit. Nothing of a half-written call was run. Go on exactly where it stopped, in smaller steps.',
        );
        continue;
      }
      if (calls.some(({ call }) => NOT_AN_OBJECT in call.arguments) && ++corrections > MOST_CORRECTIONS)
        return {
          stopReason: 'error',
          text,
          error: new XzError('model_failed', 'the model makes calls that cannot be read, again and again'),
        };
      if (calls.length > 0) {
        const { sessions, turn, frame, agent, root, signal, emit, clock } = setup;
        setup.history.take(
          await runBatch(
            { sessions, turn, row: row.id, frame, agent, root, signal, emit, now: clock.now, sync: looks ? 'now' : 'with the next' },
            calls,
          ),
        );
        const reminder = setup.reminder?.();
        if (reminder !== undefined) note(setup, reminder);
      }
      const mail = setup.signal.aborted ? [] : await setup.mail.takeMail();
      appendMail(setup, mail);
      if (calls.length > 0 || mail.length > 0) continue;
      if (!writesCall(said) || setup.frame.tools.length === 0 || ++corrections > MOST_CORRECTIONS) return { stopReason: 'done', text };
      note(setup, WRITTEN_CALL);
    }
  } catch (error) {
    if (setup.signal.aborted) return stopped(setup.signal, text);
    return { stopReason: 'error', text, error };
  }
}

/** True for a reply that the next one goes on with, in the middle of its text. */
function isPiece(reply: AssistantContent): boolean {
  return reply.finish === 'length' && !wasCutInCall(reply);
}

/** What an earlier process got of a reply that was still being written when it ended. */
function piecesBefore({ history, turn }: TurnSetup): string {
  const pieces: string[] = [];
  for (const { turn: of, content } of history.rows().toReversed()) {
    if (of !== turn.id || content.role === 'tool') break;
    if (content.role === 'user' && content.origin?.type === 'note') continue;
    if (content.role === 'user' || !isPiece(content)) break;
    pieces.unshift(visibleText(content));
  }
  return pieces.join('');
}

async function finishCrashedBatch(setup: TurnSetup): Promise<void> {
  const open = unansweredCalls(setup.history.rows().filter((row) => row.turn === setup.turn.id));
  if (open === undefined) return;
  const { sessions, turn, frame, agent, root, signal, emit, clock } = setup;
  await answerUnanswered({ sessions, turn, row: open.row, frame, agent, root, signal, emit, now: clock.now }, open);
  setup.history.reload();
}

async function ask(setup: TurnSetup): Promise<AssistantContent> {
  const model = await setup.model();
  await setup.context.makeRoom(model, setup.turn, setup.signal);
  try {
    return await request(setup, model);
  } catch (error) {
    if (isAboutImages(error) && !setup.signal.aborted && setup.context.dropImages()) return request(setup, model);
    // The provider knows its window better than our estimate: summarise once, then ask once more.
    if (!isOverflow(error) || setup.signal.aborted) throw error;
    if (await setup.context.summarise(model, setup.turn, setup.signal))
      return request(setup, model).catch((again: unknown) => {
        if (!isOverflow(again) || setup.signal.aborted || !setup.context.shrinkAll()) throw again;
        return request(setup, model);
      });
    if (!setup.context.shrinkAll())
      throw new XzError('model_failed', `${error.message}; there is nothing older to summarise`, {
        hint: `shorten the request or the files in .agents/, or set context_window in [models."${model.facts.model}"] to what the server takes`,
        cause: error,
      });
    return request(setup, model);
  }
}

function isOverflow(error: unknown): error is XzError {
  return error instanceof XzError && error.data.kind === 'overflow';
}

function request(setup: TurnSetup, model: Model): Promise<AssistantContent> {
  const { emit, clock, signal } = setup;
  return replyWithRetry(
    model,
    {
      systemPrompt: setup.systemPrompt,
      messages: setup.context.contents(),
      tools: setup.frame.tools,
      signal,
      session: setup.turn.session,
      onDelta: emit,
    },
    {
      clock,
      signal,
      onRetry: (...retry) => emit(retryNotice(...retry)),
      onRestart: () => emit({ type: 'notice', code: 'restart', text: 'the reply begins anew; what was shown of it is void' }),
    },
  );
}

function emitUsage(setup: TurnSetup, reply: AssistantContent, model: Model): void {
  const { input, cacheRead, cacheWrite, output } = reply.usage;
  setup.context.observe(input + cacheRead + cacheWrite + output);
  setup.emit({
    type: 'usage',
    usage: reply.usage,
    contextTokens: setup.context.tokens(),
    window: model.facts.window,
    costUsd: setup.account.spent().costUsd,
  });
}

/** A word from the harness to the model, in the person's place but marked as not theirs. */
function note(setup: TurnSetup, text: string): void {
  setup.history.append(setup.turn, { role: 'user', text: `[Note from the harness] ${text}`, origin: { type: 'note' } });
}

function appendMail(setup: TurnSetup, mail: readonly TakenMail[]): void {
  if (mail.length === 0) return;
  setup.history.append(
    setup.turn,
    { role: 'user', text: mail.map((one) => one.text).join('\n\n'), origin: { type: 'mail', mailIds: mail.map((one) => one.id) } },
    mail.map((one) => one.seen),
  );
}

function stopped(signal: AbortSignal, text: string): LoopEnd {
  const cause: unknown = signal.reason;
  return { stopReason: cause === 'timeout' || cause === 'budget' ? cause : 'interrupted', text };
}
