// Memory's own questions to the cheap model: one request without tools, bounded in time, answered with one JSON object.
// Everything else that comes back is nonsense, and nonsense is a value here: memory then does without.
import type { Static, TSchema } from 'typebox';
import type { Clock } from '../../store/clock.ts';
import { errorMessage, XzError } from '../../store/errors.ts';
import { parserOf } from '../../store/schema.ts';
import { type AssistantContent, visibleText } from '../../store/sessions/message.ts';
import type { Model } from '../../workers/agent/model/model.ts';

export interface MemoryQuestion<S extends TSchema> {
  readonly system: string;
  readonly prompt: string;
  /** What the answer must be. */
  readonly schema: S;
  /** Longest wait in ms. */
  readonly ms: number;
  readonly signal: AbortSignal;
}

/**
 * The answer, or why there is none: `silent` when nobody needs to be told (an interrupt, a script without such answers),
 * `failed` when there was no answer at all, so that asking again later may help.
 */
export type MemoryAnswer<T> =
  | { readonly value: T; readonly why?: undefined }
  | { readonly why: string; readonly silent: boolean; readonly failed: boolean };

export interface MemoryModel {
  /** Never throws. */
  ask<S extends TSchema>(question: MemoryQuestion<S>): Promise<MemoryAnswer<Static<S>>>;
}

export interface MemoryModelSetup {
  readonly model: () => Promise<Model>;
  readonly session: () => string;
  readonly clock: Clock;
  /** Told what an answer cost, usable or not. */
  readonly paid?: (reply: AssistantContent) => void;
  /** True when the run has spent what it may: then nothing is asked. */
  readonly outOfBudget?: () => boolean;
}

export function createMemoryModel({ model, session, clock, paid, outOfBudget }: MemoryModelSetup): MemoryModel {
  return {
    async ask({ system, prompt, schema, ms, signal }) {
      const limit = new AbortController();
      const stop = () => limit.abort();
      const cancel = clock.after(ms, stop);
      signal.addEventListener('abort', stop, { once: true });
      let scripted = false;
      try {
        if (signal.aborted) return { why: 'interrupted', silent: true, failed: true };
        if (outOfBudget?.() === true) return { why: 'the cost limit of this run is reached', silent: true, failed: true };
        const chosen = await model();
        scripted = chosen.facts.api === 'scripted';
        const reply = await chosen.reply({
          systemPrompt: system,
          messages: [{ role: 'user', text: prompt }],
          tools: [],
          signal: limit.signal,
          session: `${session()}-memory`,
        });
        paid?.(reply);
        const value = objectIn(visibleText(reply));
        const parser = parserOf(schema, 'answer');
        return parser.fits(value) ? { value } : { why: `${chosen.facts.model} gave no usable answer`, silent: scripted, failed: false };
      } catch (error) {
        if (signal.aborted) return { why: 'interrupted', silent: true, failed: true };
        if (limit.signal.aborted) return { why: `the memory model did not answer within ${ms / 1_000} s`, silent: scripted, failed: true };
        const silent = scripted || (error instanceof XzError && error.code === 'not_configured');
        return { why: errorMessage(error), silent, failed: !silent };
      } finally {
        cancel();
        signal.removeEventListener('abort', stop);
      }
    },
  };
}

/** The JSON object in a reply, which models like to wrap in words and fences; undefined when there is none. */
export function objectIn(text: string): unknown {
  const [from, to] = [text.indexOf('{'), text.lastIndexOf('}')];
  if (from < 0 || to < from) return undefined;
  try {
    return JSON.parse(text.slice(from, to + 1));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
