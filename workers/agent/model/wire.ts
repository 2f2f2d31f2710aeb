// The fetch that stands between a provider's library and the network. It decides what is sent (our own key and headers,
// nothing from this machine's environment), and reads the answer before any library interprets it: status, silence,
// cuts and half-written calls become one ModelError.
import type { Clock } from '../../../store/clock.ts';
import { errorMessage } from '../../../store/errors.ts';
import { jsonOf } from './loose.ts';
import { errorText, kindOfStatus, ModelError, networkError, retryAfterOf } from './model-error.ts';
import type { Auth } from './settings.ts';
import { sseDecoder } from './sse.ts';
import { StreamFault, type WireReader } from './wire-reply.ts';

/** Longest wait for usage after the finish reason, ms: a server that never closes must not hold the turn. */
const AFTER_FINISH_MS = 3_000;
/** Heartbeats prove that the server lives, not that it works: silence of content may last this many idle times. */
const HEARTBEAT_FACTOR = 5;
const LONGEST_ERROR_BODY = 64 * 1024;
const PASSED_HEADERS = new Set(['accept', 'content-type', 'anthropic-version', 'anthropic-beta']);

export interface WireOptions {
  readonly api: 'openai-completions' | 'anthropic-messages';
  /** Base URL, for messages. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: () => Promise<Auth>;
  /** Called once after a 401; true means that another try makes sense. */
  readonly refresh: (() => Promise<boolean>) | undefined;
  readonly idleMs: number;
  readonly clock: Clock;
  readonly reader: WireReader;
  /** Ends the request; aborted by the person or by the wire itself. */
  readonly abort: AbortController;
}

export interface Wire {
  readonly fetch: typeof fetch;
  /** What went wrong, once something has. The library's own error says less. */
  failure(): ModelError | undefined;
}

export function openWire(options: WireOptions): Wire {
  const { endpoint, clock, reader, abort, idleMs } = options;
  // Taken now: while a library's client is made, the global is this wire's own.
  const network = globalThis.fetch;
  let failure: ModelError | undefined;
  const fail = (error: ModelError): ModelError => {
    failure ??= error;
    return failure;
  };

  /** Awaits `work`, ending the request when it takes longer than `ms`. */
  const within = async <T>(ms: number, work: Promise<T>): Promise<T> => {
    const cancel = clock.after(ms, () => {
      if (!reader.finished()) fail(new ModelError('idle', endpoint, `no answer for ${Math.round(ms / 1000)} s`));
      abort.abort();
    });
    try {
      return await work;
    } finally {
      cancel();
    }
  };

  const send = async (input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<Response> => {
    const headers = new Headers({ 'user-agent': 'xz', ...options.headers });
    for (const [name, value] of new Headers(init?.headers)) if (PASSED_HEADERS.has(name)) headers.set(name, value);
    for (const [name, value] of Object.entries(authHeaders(options.api, await options.auth()))) headers.set(name, value);
    // A redirect could carry the key to another host.
    return network(input, { ...init, headers, signal: abort.signal, redirect: 'manual' });
  };

  const answer = async (input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<Response> => {
    const first = await within(idleMs, send(input, init));
    if (first.status !== 401 || options.refresh === undefined || !(await options.refresh())) return first;
    await first.body?.cancel();
    return within(idleMs, send(input, init));
  };

  const readError = async (response: Response): Promise<ModelError> => {
    const location = response.headers.get('location');
    if (location !== null && response.status >= 300 && response.status < 400)
      return new ModelError('bad_request', endpoint, `redirects to ${location}; set that address as the base URL`, {
        status: response.status,
      });
    const body = await within(idleMs, readSome(response));
    const said = errorText(body);
    return new ModelError(kindOfStatus(response.status, body), endpoint, `${response.status}${said === '' ? '' : ` ${said}`}`, {
      status: response.status,
      retryAfterMs: retryAfterOf(response.headers, clock),
    });
  };

  async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
    const source = body.getReader();
    const decoder = sseDecoder();
    let lastContent = clock.now();
    try {
      while (!reader.done()) {
        const { done, value } = await within(reader.finished() ? Math.min(AFTER_FINISH_MS, idleMs) : idleMs, source.read());
        let out = '';
        for (const event of done ? decoder.end() : decoder.push(value)) if (!reader.done()) out += reader.take(event);
        if (out !== '') {
          lastContent = clock.now();
          yield out;
        } else if (clock.now() - lastContent > idleMs * HEARTBEAT_FACTOR)
          throw new StreamFault('idle', `only heartbeats for ${Math.round((clock.now() - lastContent) / 1000)} s`);
        if (done) break;
      }
    } catch (error) {
      // After the finish reason only the token count can still be missing.
      if (error instanceof StreamFault || !reader.finished()) throw error;
    } finally {
      // The socket may be gone already; closing it is all that is wanted.
      source.cancel().catch(() => undefined);
    }
    yield reader.end();
  }

  async function* guarded(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    try {
      for await (const text of texts) yield encoder.encode(text);
    } catch (error) {
      throw fail(error instanceof StreamFault ? new ModelError(error.kind, endpoint, error.message) : networkError(endpoint, error, true));
    }
  }

  const open = async (response: Response): Promise<Response> => {
    const type = response.headers.get('content-type') ?? 'text/event-stream';
    const headers = { 'content-type': 'text/event-stream' };
    if (type.includes('json')) {
      const text = await within(idleMs, response.text());
      return new Response(ReadableStream.from(guarded(wholeReply(reader, text))), { headers });
    }
    if (!type.includes('event-stream') || response.body === null) {
      await response.body?.cancel();
      throw new ModelError('malformed', endpoint, `answers with ${type.split(';')[0] ?? type} instead of a stream`, {
        status: response.status,
      });
    }
    return new Response(ReadableStream.from(guarded(events(response.body))), { headers });
  };

  return {
    failure: () => failure,
    async fetch(input, init) {
      let response: Response;
      try {
        response = await answer(input, init);
        if (!response.ok) throw await readError(response);
        return await open(response);
      } catch (error) {
        throw fail(error instanceof ModelError ? error : networkError(endpoint, error, false));
      }
    },
  };
}

function* wholeReply(reader: WireReader, text: string): Generator<string> {
  const json = jsonOf(text);
  if (json === undefined) throw new StreamFault('malformed', `the answer is no JSON: ${text.slice(0, 80)}`);
  yield reader.takeWhole(json);
  yield reader.end();
}

function authHeaders(api: WireOptions['api'], auth: Auth): Record<string, string> {
  const key: Record<string, string> =
    auth.bearer !== undefined
      ? { authorization: `Bearer ${auth.bearer}` }
      : auth.apiKey === undefined
        ? {}
        : api === 'anthropic-messages'
          ? { 'x-api-key': auth.apiKey }
          : { authorization: `Bearer ${auth.apiKey}` };
  return { ...key, ...auth.headers };
}

/** The first part of a body, read without trusting its length. */
async function readSome(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > LONGEST_ERROR_BODY) break;
    }
  } catch (error) {
    // The status tells enough; a body that breaks off is said as such.
    return `${text} (${errorMessage(error)})`;
  }
  return text;
}
