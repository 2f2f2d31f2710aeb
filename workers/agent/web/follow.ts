// Fetches an address: follows redirects, each hop checked like the first, within one limit of time for all of it and one
// of bytes for the body.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Clock } from '../../../store/clock.ts';
import { throwIfAborted, XzError } from '../../../store/errors.ts';
import type { Judge } from './address.ts';
import { type ReadBody, readBody } from './body.ts';
import { exchange } from './exchange.ts';
import type { ResolveHost } from './resolve.ts';

export interface FetchLimits {
  /** Milliseconds for everything: names, connections, redirects, body. */
  readonly timeMs: number;
  /** Decompressed bytes of the body. */
  readonly bytes: number;
  readonly redirects: number;
}

export const FETCH_LIMITS: FetchLimits = { timeMs: 30_000, bytes: 5_000_000, redirects: 10 };

export interface FetchInput {
  readonly url: URL;
  readonly method?: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly resolve: ResolveHost;
  readonly judge: Judge;
  readonly limits: FetchLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Fetched extends ReadBody {
  /** Address of the answer, after redirects. */
  readonly url: URL;
  readonly redirects: number;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Fetches; throws XzError in words for the model, `interrupted` when the signal fired. */
export async function fetchFollowing(input: FetchInput): Promise<Fetched> {
  throwIfAborted(input.signal);
  const stop = new AbortController();
  let late = false;
  const cancel = input.clock.after(input.limits.timeMs, () => {
    late = true;
    stop.abort();
  });
  const onAbort = () => stop.abort();
  input.signal.addEventListener('abort', onAbort, { once: true });
  const stopped = () => (input.signal.aborted ? 'interrupted' : late ? 'late' : undefined);
  try {
    const whenStopped = new Promise<never>((_resolve, reject) => {
      stop.signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
    });
    // A resolver cannot be cancelled: what is waited for is the limit, whatever it does.
    const answer = await Promise.race([finalAnswer(input, stop.signal), whenStopped]);
    const read = await readBody(answer.message, answer.message.headers['content-encoding'], { bytes: input.limits.bytes, stopped });
    return {
      ...read,
      url: answer.url,
      redirects: answer.redirects,
      status: answer.message.statusCode ?? 0,
      headers: answer.message.headers,
    };
  } catch (error) {
    throwIfAborted(input.signal);
    if (late)
      throw new XzError('not_found', `${input.url.host} did not answer within ${input.limits.timeMs / 1_000} s`, {
        hint: 'try again later, or another source',
      });
    throw error;
  } finally {
    cancel();
    input.signal.removeEventListener('abort', onAbort);
    stop.abort();
  }
}

interface Answer {
  readonly message: IncomingMessage;
  readonly url: URL;
  readonly redirects: number;
}

async function finalAnswer(input: FetchInput, signal: AbortSignal): Promise<Answer> {
  let url = input.url;
  for (let redirects = 0; ; redirects++) {
    const message = await exchange({
      url,
      method: input.method ?? 'GET',
      headers: input.headers,
      resolve: input.resolve,
      judge: input.judge,
      signal,
      ...(input.body !== undefined && { body: input.body }),
    });
    const next = nextOf(message, url);
    if (next === undefined) return { message, url, redirects };
    message.destroy();
    if (redirects >= input.limits.redirects)
      throw new XzError('refused', `${input.url.host} redirects more than ${input.limits.redirects} times, last to ${next.href}`);
    checkAddress(next, url);
    url = next;
  }
}

/** Where an answer sends the client, or undefined when it is the last one. */
function nextOf(message: IncomingMessage, from: URL): URL | undefined {
  const { location } = message.headers;
  if (![301, 302, 303, 307, 308].includes(message.statusCode ?? 0) || location === undefined) return undefined;
  // Header bytes arrive as latin1; addresses are UTF-8.
  const text = Buffer.from(location, 'latin1').toString('utf8');
  if (!URL.canParse(text, from.href))
    throw new XzError('refused', `${from.host} redirects to "${text.slice(0, 200)}", which is no address`);
  return new URL(text, from);
}

/** Refuses what is not plain http(s). `from` is the page that redirected there. */
export function checkAddress(url: URL, from?: URL): void {
  const what = from === undefined ? url.href : `${from.host} redirects to ${url.href.slice(0, 200)}, which`;
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new XzError('refused', `${what} is not http or https`, { hint: 'only web pages are fetched; read files with read_file' });
  if (url.username !== '' || url.password !== '')
    throw new XzError('refused', `${from === undefined ? 'the address' : what} holds a user name or password`, { hint: 'leave it out' });
}
