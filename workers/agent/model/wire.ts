// The fetch that stands between a provider's library and the network. It decides what is sent (our own key and headers,
// nothing from this machine's environment), and reads the answer before any library interprets it: status, silence,
// cuts and half-written calls become one ModelError.
import type { Clock } from '../../../store/clock.ts';
import { errorMessage, XzError } from '../../../store/errors.ts';
import { jsonOf } from './loose.ts';
import { errorText, kindOfStatus, ModelError, networkError, retryAfterOf, retryTold } from './model-error.ts';
import { secretsIn, type Told, toldWithout } from './said.ts';
import { type Answer, post } from './send.ts';
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
  /** What is masked in errors, besides what `auth` gave. */
  readonly secrets: () => readonly string[];
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
  failure(): XzError | undefined;
  /** A text of the server, or about what it sent, fit for an error. */
  readonly told: Told;
}

export function openWire(options: WireOptions): Wire {
  const { clock, reader, abort, idleMs } = options;
  const sent: string[] = [];
  const told = toldWithout(() => [...options.secrets(), ...sent]);
  const endpoint = told(options.endpoint);
  let failure: XzError | undefined;
  const fail = (error: XzError): XzError => {
    failure ??= error;
    return failure;
  };

  /** Awaits `work`, ending the request when it takes longer than `ms`; on any abort it does not wait for it at all. */
  const within = <T>(ms: number, work: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const cancel = clock.after(ms, () => {
        if (!reader.finished()) fail(new ModelError('idle', endpoint, `no answer for ${Math.round(ms / 1000)} s`));
        abort.abort();
      });
      const onAbort = () => {
        cancel();
        reject(new Error('aborted'));
      };
      const ended = () => {
        cancel();
        abort.signal.removeEventListener('abort', onAbort);
      };
      abort.signal.addEventListener('abort', onAbort, { once: true });
      work.finally(ended).then(resolve, reject);
    });

  const send = async (input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<Answer> => {
    const headers: Record<string, string> = { 'user-agent': 'xz', ...lowerCased(options.headers) };
    for (const [name, value] of new Headers(init?.headers)) if (PASSED_HEADERS.has(name)) headers[name] = value;
    const auth = await options.auth();
    sent.push(...secretsIn(auth));
    Object.assign(headers, authHeaders(options.api, auth));
    const url = input instanceof Request ? input.url : String(input);
    return post(url, { headers, body: typeof init?.body === 'string' ? init.body : '', signal: abort.signal });
  };

  const answer = async (input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<Answer> => {
    const first = await within(idleMs, send(input, init));
    if (first.status !== 401 || options.refresh === undefined) return first;
    let renewed = true;
    try {
      renewed = await options.refresh();
      if (!renewed) return first;
    } finally {
      // An answer that nobody reads would keep its connection, and with it the process.
      if (renewed) first.close();
    }
    return within(idleMs, send(input, init));
  };

  const readError = async (response: Answer): Promise<ModelError> => {
    const { status } = response;
    const location = response.header('location');
    // Following it could carry the key to another host.
    if (location !== undefined && status >= 300 && status < 400) {
      response.close();
      return new ModelError('bad_request', endpoint, `redirects to ${told(location)}; set that address as the base URL`, { status });
    }
    const body = await within(idleMs, readSome(response.body));
    const said = told(errorText(body));
    return new ModelError(kindOfStatus(status, body), endpoint, `${status}${said === '' ? '' : ` ${said}`}`, {
      status,
      retryAfterMs: retryAfterOf((name) => response.header(name), clock) ?? retryTold(body),
    });
  };

  /** What the answer says, by what its body is: `text/plain` streams and streams called JSON are common. */
  async function* texts(response: Answer, type: string): AsyncGenerator<string> {
    const source = response.body[Symbol.asyncIterator]();
    const first = await within(idleMs, source.next());
    const start = first.done === true ? '' : new TextDecoder().decode(first.value).trimStart().charAt(0);
    if (start === '{' || (start === '' && type.includes('json')))
      yield* wholeReply(reader, await within(idleMs, readSome(after(first, source), Infinity)), told);
    else if (start === '<') throw new StreamFault('malformed', 'answers with a page instead of a stream');
    else yield* events(response, first, source);
  }

  async function* events(response: Answer, first: Step, source: AsyncIterator<Uint8Array>): AsyncGenerator<string> {
    const decoder = sseDecoder();
    let lastContent = clock.now();
    let step: Step | undefined = first;
    try {
      while (!reader.done()) {
        const { done, value } = step ?? (await within(reader.finished() ? Math.min(AFTER_FINISH_MS, idleMs) : idleMs, source.next()));
        step = undefined;
        let out = '';
        for (const event of done === true ? decoder.end() : decoder.push(value)) if (!reader.done()) out += reader.take(event);
        if (out !== '') {
          lastContent = clock.now();
          yield out;
        } else if (clock.now() - lastContent > idleMs * HEARTBEAT_FACTOR)
          throw new StreamFault('idle', `only heartbeats for ${Math.round((clock.now() - lastContent) / 1000)} s`);
        if (done === true) break;
      }
    } catch (error) {
      // After the finish reason only the token count can still be missing.
      if (error instanceof StreamFault || !reader.finished()) throw error;
    } finally {
      await rest(source, response);
    }
    yield reader.end();
  }

  async function* guarded(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    try {
      for await (const text of texts) yield encoder.encode(text);
    } catch (error) {
      throw fail(
        error instanceof StreamFault ? new ModelError(error.kind, endpoint, told(error.message)) : networkError(endpoint, error, true),
      );
    }
  }

  const open = (response: Answer): Response => {
    const type = response.header('content-type') ?? 'text/event-stream';
    if (!type.includes('html')) return streamed(options.api, guarded(texts(response, type)));
    response.close();
    const { status } = response;
    throw new ModelError('malformed', endpoint, `answers with ${told(type.split(';')[0] ?? type)} instead of a stream`, { status });
  };

  return {
    failure: () => failure,
    told,
    async fetch(input, init) {
      try {
        const response = await answer(input, init);
        if (response.status < 200 || response.status > 299) throw await readError(response);
        return open(response);
      } catch (error) {
        // What the key's own source says (no credentials, a refused token) stays as it is.
        throw fail(error instanceof XzError ? error : networkError(endpoint, error, false));
      }
    },
  };
}

/**
 * OpenAI's library reads any async iterable, and a web stream around it would be most of what a short reply costs here;
 * Anthropic's wants the web stream.
 */
function streamed(api: WireOptions['api'], bytes: AsyncIterable<Uint8Array>): Response {
  const head = { headers: { 'content-type': 'text/event-stream' } };
  if (api === 'anthropic-messages') return new Response(ReadableStream.from(bytes), head);
  return Object.defineProperty(new Response(null, head), 'body', { value: bytes });
}

type Step = IteratorResult<Uint8Array, unknown>;

/** A body whose first piece has been read already. */
async function* after(first: Step, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (let step = first; step.done !== true; step = await source.next()) yield step.value;
}

/** Lets a connection whose body is nearly read go back to be used again; closes any other. */
async function rest(source: AsyncIterator<Uint8Array>, response: Answer): Promise<void> {
  // After [DONE] only the end of the body is left. It is not worth waiting for longer than one turn of the loop.
  const ended = source.next().then(
    ({ done }) => done === true,
    () => true,
  );
  const late = new Promise<boolean>((resolve) => setImmediate(() => resolve(false)));
  if (!(await Promise.race([ended, late]))) response.close();
}

function* wholeReply(reader: WireReader, text: string, told: Told): Generator<string> {
  const json = jsonOf(text);
  if (json === undefined) throw new StreamFault('malformed', `the answer is no JSON: ${told(text).slice(0, 80)}`);
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
  return { ...key, ...lowerCased(auth.headers ?? {}) };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A body as text, at most about `limit` characters of it. */
async function readSome(body: AsyncIterable<Uint8Array>, limit = LONGEST_ERROR_BODY): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of body) {
      text += decoder.decode(bytes, { stream: true });
      if (text.length > limit) break;
    }
  } catch (error) {
    // Of an error answer the status tells enough; a whole reply that breaks off is no JSON.
    return `${text} (${errorMessage(error)})`;
  }
  return text;
}
