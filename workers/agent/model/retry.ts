// Trying a request again: only for faults that may pass, a bounded number of times, with growing, jittered waits that
// honour what the server asks. Each retry is told before its wait, and the wait ends with the signal.
import { type Clock, sleep } from '../../../store/clock.ts';
import { throwIfAborted, XzError } from '../../../store/errors.ts';
import type { AssistantContent } from '../../../store/sessions/message.ts';
import type { Delta, Model, ModelRequest } from './model.ts';
import { ModelError, type ModelErrorKind } from './model-error.ts';

/** Retries after the first try, by kind. What is not named is not tried again. */
const MOST_RETRIES: Readonly<Partial<Record<ModelErrorKind, number>>> = {
  rate: 5,
  server: 5,
  network: 3,
  cut: 3,
  idle: 2,
  half_arguments: 2,
  malformed: 2,
};

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** All waits of one request together; a server that always asks for the longest does not get five of them. */
const LONGEST_TOTAL_MS = 90_000;

export interface RetryOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told before each wait: the number of the retry from 1, ms until it, and why. */
  readonly onRetry?: (retry: number, waitMs: number, error: ModelError) => void;
  /** In [0, 1). Default Math.random. */
  readonly random?: () => number;
}

/**
 * Ms to wait before retry number `retry` (from 1), or undefined when the error is not worth one. What the server asks is
 * a floor, capped at 30 s; else the wait doubles from 0.5 s. Jitter keeps several agents from coming back together.
 */
export function waitBefore(retry: number, error: ModelError, random: () => number): number | undefined {
  if (retry > (MOST_RETRIES[error.kind] ?? 0)) return undefined;
  const growing = Math.min(FIRST_WAIT_MS * 2 ** (retry - 1), LONGEST_WAIT_MS);
  if (error.retryAfterMs === undefined) return Math.round(growing * (0.75 + random() / 2));
  const asked = Math.min(Math.max(error.retryAfterMs, FIRST_WAIT_MS), LONGEST_WAIT_MS);
  return Math.round(asked * (1 + random() / 4));
}

/** Runs `work`, again after a passing fault. Throws the last fault, or `interrupted` when the signal fires in a wait. */
export async function withRetry<T>(work: (retry: number) => Promise<T>, options: RetryOptions): Promise<T> {
  let waited = 0;
  for (let retry = 0; ; retry++) {
    throwIfAborted(options.signal);
    try {
      return await work(retry);
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const wait = waitBefore(retry + 1, error, options.random ?? Math.random);
      if (wait === undefined || waited + wait > LONGEST_TOTAL_MS) throw error;
      options.onRetry?.(retry + 1, wait, error);
      waited += wait;
      if (!(await sleep(options.clock, wait, options.signal)))
        throw new XzError('interrupted', 'interrupted', { cause: options.signal.reason });
    }
  }
}

/**
 * Deltas over several tries of one reply: what a later try only repeats is not told twice. When it says something else,
 * `onRestart` is called first: what was told of this reply is void, and all of it comes again.
 */
export function toldOnce(onDelta: (delta: Delta) => void, onRestart: () => void): () => (delta: Delta) => void {
  const told = { text: '', thinking: '' };
  return () => {
    const now = { text: '', thinking: '' };
    return ({ type, delta }) => {
      now[type] += delta;
      const before = told[type];
      if (before.length >= now[type].length && before.startsWith(now[type])) return;
      const goesOn = now[type].startsWith(before);
      if (!goesOn) {
        onRestart();
        told.text = '';
        told.thinking = '';
        for (const kind of ['thinking', 'text'] as const) if (kind !== type && now[kind] !== '') onDelta({ type: kind, delta: now[kind] });
        told[type === 'text' ? 'thinking' : 'text'] = now[type === 'text' ? 'thinking' : 'text'];
      }
      onDelta({ type, delta: goesOn ? now[type].slice(before.length) : now[type] });
      told[type] = now[type];
    };
  };
}

/** A whole reply, tried again after passing faults; `request.onDelta` hears each word once. */
export function replyWithRetry(
  model: Model,
  request: ModelRequest,
  options: RetryOptions & { readonly onRestart?: () => void },
): Promise<AssistantContent> {
  const { onDelta } = request;
  // A model that writes broken arguments again and again is to hear of it; until then another try may be whole.
  const tried = (retry: number) => ({ ...request, takeBroken: retry >= (MOST_RETRIES.half_arguments ?? 0) });
  if (onDelta === undefined) return withRetry((retry) => model.reply(tried(retry)), options);
  const begin = toldOnce(onDelta, options.onRestart ?? (() => {}));
  return withRetry((retry) => model.reply({ ...tried(retry), onDelta: begin() }), options);
}
