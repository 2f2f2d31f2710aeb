// Keeps what is sent within the model's window: shrink first, then summarise, and stop when summaries stop helping.
import type { Clock } from '../../../store/clock.ts';
import { errorMessage, XzError } from '../../../store/errors.ts';
import { type AssistantContent, type Content, visibleText } from '../../../store/sessions/message.ts';
import type { MessageRow, Sessions, TurnRow } from '../../../store/sessions/sessions.ts';
import { type EmitAgentEvent, retryNotice } from '../events.ts';
import { estimateContent } from '../model/estimate.ts';
import { withoutImages } from '../model/images.ts';
import type { Model } from '../model/model.ts';
import { ModelError } from '../model/model-error.ts';
import { replyWithRetry } from '../model/retry.ts';
import type { History } from './history.ts';
import { shrinkableThrough, shrunk } from './shrink.ts';
import { cutPoint, presentRequest, SUMMARY_SYSTEM, summaryPrompt, summaryText } from './summary.ts';

/** Above this many tokens a conversation is summarised even in a larger window: answers get slow and dear. */
const SUMMARISE_AT_TOKENS = 150_000;
const SUMMARISE_AT_SHARE = 0.75;
/** A summary that frees less than this share of the context was no gain. */
const LEAST_GAIN = 0.1;
const MOST_USELESS_SUMMARIES = 2;
/** Of one summary, each time of half as much as before, when a server takes less than we think. */
const MOST_SUMMARY_TRIES = 5;

export interface ContextSetup {
  readonly sessions: Sessions;
  readonly session: string;
  readonly history: History;
  readonly systemTokens: () => number;
  readonly emit: EmitAgentEvent;
  readonly clock: Clock;
  /** Told what a summary cost, taken or not. */
  readonly paid: (reply: AssistantContent) => void;
  /** Called with the rows about to be summarised, so that durable facts are kept first. Must not throw. */
  readonly beforeSummary?: (rows: readonly MessageRow[], signal: AbortSignal) => Promise<void>;
}

export interface Context {
  /** What to send now. */
  contents(): readonly Content[];
  /** Tokens the next request would carry, by real usage where known. */
  tokens(): number;
  /** Notes what a reply really used: input of the request, with the rows it was made of. */
  observe(inputTokens: number): void;
  /** Shrinks or summarises when the request would not fit; called before every request. */
  makeRoom(model: Model, turn: TurnRow, signal: AbortSignal): Promise<void>;
  /** Summarises now, whatever the size (an overflow reported by the provider, or the person's wish). False: nothing to summarise. */
  summarise(model: Model, turn: TurnRow, signal: AbortSignal): Promise<boolean>;
  /** The last resort: the newest results are shrunk too, which the model has not seen whole. False: that frees nothing. */
  shrinkAll(): boolean;
  /** Leaves out every picture so far: one that a provider refuses would spoil each later request. False: there is none. */
  dropImages(): boolean;
}

export function openContext(setup: ContextSetup): Context {
  const { history } = setup;
  let shrunkThrough = 0;
  /** Pictures up to this row are not sent any more. */
  let blindThrough = 0;
  let useless = 0;
  /** Real tokens of the last request, and how many rows it covered. */
  let anchor: { readonly tokens: number; readonly lastRow: number } | undefined;
  const counted = new WeakMap<Content, number>();
  const count = (content: Content): number => {
    let tokens = counted.get(content);
    if (tokens === undefined) counted.set(content, (tokens = estimateContent(content)));
    return tokens;
  };
  const sum = (contents: readonly Content[]) => contents.reduce((total, content) => total + count(content), 0);
  const contents = (): Content[] => {
    const rows = history.rows();
    const sent = shrunkThrough === 0 ? rows.map((row) => row.content) : shrunk(rows, shrunkThrough);
    return blindThrough === 0 ? sent : sent.map((content, at) => ((rows[at]?.id ?? 0) <= blindThrough ? withoutImages(content) : content));
  };
  const tokens = (): number => {
    // A turn that was rolled back took the row along which the figure is for.
    const at = history.rows().findLastIndex((row) => row.id === anchor?.lastRow);
    if (anchor === undefined || at < 0) return setup.systemTokens() + sum(contents());
    return (
      anchor.tokens +
      sum(
        history
          .rows()
          .slice(at + 1)
          .map((row) => row.content),
      )
    );
  };
  const notRolledBack = (): MessageRow[] => {
    const { sessions, session } = setup;
    const gone = new Set(sessions.turns(session).flatMap(({ id, state }) => (state === 'rolled_back' ? [id] : [])));
    return sessions.messages(session).filter((row) => !gone.has(row.turn));
  };
  const threshold = (model: Model) => Math.min(model.facts.window * SUMMARISE_AT_SHARE, SUMMARISE_AT_TOKENS);

  /** What a model makes of the rows: of less of them when they are too much for it, in fewer words when it was cut off. */
  const condensed = async (model: Model, older: readonly MessageRow[], signal: AbortSignal): Promise<string> => {
    // Half the window in characters is at most half of it in tokens, also for Chinese.
    let most = Math.floor(model.facts.window / 2);
    let wasCut = false;
    for (let tries = 1; ; tries++) {
      try {
        const reply = await replyWithRetry(
          model,
          {
            systemPrompt: SUMMARY_SYSTEM,
            messages: [{ role: 'user', text: summaryPrompt(older, most, wasCut) }],
            tools: [],
            signal,
            session: setup.session,
          },
          { clock: setup.clock, signal, onRetry: (...retry) => setup.emit(retryNotice(...retry)) },
        );
        setup.paid(reply);
        const text = visibleText(reply).trim();
        if (reply.finish !== 'length' || text === '') return text;
        if (wasCut) return `${text}\n[the summary was cut off here]`;
        wasCut = true;
      } catch (error) {
        if (!(error instanceof ModelError) || error.kind !== 'overflow' || tries >= MOST_SUMMARY_TRIES) throw error;
        most = Math.floor(most / 2);
      }
    }
  };

  const summarise = async (model: Model, turn: TurnRow, signal: AbortSignal): Promise<boolean> => {
    const rows = history.rows();
    const before = tokens();
    // A provider may say that far less is too much than we think: then a third of what there is must do.
    const through = cutPoint(rows, Math.min(threshold(model) / 4, before / 3), count);
    if (through === undefined) return false;
    const older = rows.filter((row) => row.id <= through);
    await setup.beforeSummary?.(older, signal);
    const text = await condensed(model, older, signal);
    // A summary longer than what it stands for, or none, is not taken: the old results are at least shrunk.
    const summary = text === '' || estimateContent({ role: 'user', text }) >= sum(older.map((row) => row.content)) ? undefined : text;
    if (summary !== undefined) {
      const request = presentRequest(notRolledBack(), through);
      setup.sessions.append(turn, {
        role: 'user',
        text: summaryText(summary, request),
        origin: { type: 'summary', throughMessage: through },
      });
      history.reload();
      anchor = undefined;
    }
    const after = tokens();
    useless = after > before * (1 - LEAST_GAIN) ? useless + 1 : 0;
    setup.emit({
      type: 'notice',
      code: 'compaction',
      text:
        summary === undefined
          ? 'the summary was of no use and was not taken'
          : `conversation summarised: about ${before} tokens became ${after}`,
    });
    return true;
  };

  /** As `summarise`; while there is room left, a summary that cannot be had is told and done without. */
  const summariseIfPossible: typeof summarise = async (model, turn, signal) => {
    try {
      return await summarise(model, turn, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof ModelError) || tokens() >= model.facts.window) throw error;
      setup.emit({ type: 'notice', code: 'compaction', text: `the conversation could not be summarised: ${errorMessage(error)}` });
      return false;
    }
  };

  const shrinkAll = (): boolean => {
    const last = history.rows().findLast(({ content }) => content.role === 'tool')?.id ?? 0;
    const before = sum(contents());
    if (last <= shrunkThrough || sum(shrunk(history.rows(), last)) > before * (1 - LEAST_GAIN)) return false;
    shrunkThrough = last;
    anchor = undefined;
    setup.emit({
      type: 'notice',
      code: 'compaction',
      text: 'the last results are too much for the window together: only their ends are sent',
    });
    return true;
  };

  return {
    contents,
    tokens,
    observe(inputTokens) {
      const last = history.rows().at(-1);
      if (inputTokens > 0 && last !== undefined) anchor = { tokens: inputTokens, lastRow: last.id };
    },
    async makeRoom(model, turn, signal) {
      const most = threshold(model);
      while (tokens() > most) {
        const through = shrinkableThrough(history.rows());
        if (through > shrunkThrough) {
          shrunkThrough = through;
          anchor = undefined;
          if (tokens() <= most * 0.8) return;
        }
        if (useless >= MOST_USELESS_SUMMARIES || !(await summariseIfPossible(model, turn, signal))) {
          if (tokens() < model.facts.window || (shrinkAll() && tokens() < model.facts.window)) return;
          throw new XzError(
            'model_failed',
            `the conversation needs about ${tokens()} tokens and the window of ${model.facts.model} has ${model.facts.window}; summarising does not help any more`,
            {
              hint: 'start a new session, shorten the files in .agents/, or use a model with a larger window',
              data: { kind: 'overflow' },
            },
          );
        }
      }
    },
    summarise,
    shrinkAll,
    dropImages() {
      if (!contents().some((content) => content.role !== 'assistant' && (content.images?.length ?? 0) > 0)) return false;
      blindThrough = history.rows().at(-1)?.id ?? 0;
      setup.emit({ type: 'notice', code: 'images', text: 'the pictures were refused and are not sent any more' });
      return true;
    },
  };
}
