// Embeddings from an OpenAI-compatible endpoint. Requests are batched, retried within bounds and cancellable; a server
// that refuses a batch for its size gets halves.
import { Type } from 'typebox';
import { type Clock, sleep } from '../clock.ts';
import { errorMessage, isAbort, throwIfAborted, XzError } from '../errors.ts';
import { maskOf } from '../mask.ts';
import { fetchByProxy } from '../proxies.ts';
import { parserOf } from '../schema.ts';
import type { Embedder } from './embedder.ts';

export interface Endpoint {
  readonly model: string;
  /** Ends before `/embeddings`. */
  readonly baseUrl: string;
  readonly dimensions: number | undefined;
  /** The value of the Authorization header, resolved for every request; undefined sends none. */
  authorization(): Promise<string | undefined>;
  readonly headers?: Readonly<Record<string, string>>;
}

const TRIES = 4;
const TIMEOUT_MS = 60_000;
const LONGEST_WAIT_MS = 20_000;
/** Characters of one text: models take 8,192 tokens or fewer, and a chunk is far below. */
const LONGEST_TEXT = 8_000;

const answerParser = parserOf(
  Type.Object({ data: Type.Array(Type.Object({ index: Type.Optional(Type.Number()), embedding: Type.Array(Type.Number()) })) }),
  "the embedding server's answer",
);

/** An embedder that asks the endpoint. Its errors are `model_failed`; texts never contain more than they should. */
export function endpointEmbedder(endpoint: Endpoint, clock: Clock): Embedder {
  const embed = async (texts: readonly string[], signal: AbortSignal | undefined): Promise<readonly Float32Array[]> => {
    const answer = await ask(endpoint, clock, texts, signal);
    if (answer !== 'too_large') return answer;
    if (texts.length === 1) throw failed(endpoint, 'refuses a single text');
    const half = Math.ceil(texts.length / 2);
    return [...(await embed(texts.slice(0, half), signal)), ...(await embed(texts.slice(half), signal))];
  };
  return {
    model: endpoint.model,
    width: endpoint.dimensions,
    floor: 0.3,
    strong: 0.8,
    batch: 64,
    perSearch: 256,
    documents: embed,
    query: async (text, _collection, signal) => (await embed([text], signal))[0],
  };
}

async function ask(
  endpoint: Endpoint,
  clock: Clock,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly Float32Array[] | 'too_large'> {
  for (let attempt = 1; ; attempt++) {
    throwIfAborted(signal);
    const reply = await send(endpoint, texts, signal);
    if (reply.kind === 'vectors') return reply.vectors;
    if (reply.kind === 'too_large') return 'too_large';
    if (reply.kind === 'refused' || attempt === TRIES) throw failed(endpoint, reply.why);
    const wait = Math.min(reply.afterMs ?? 500 * 2 ** (attempt - 1) * (0.5 + Math.random()), LONGEST_WAIT_MS);
    await sleep(clock, wait, signal);
  }
}

type Reply =
  | { readonly kind: 'vectors'; readonly vectors: readonly Float32Array[] }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'again'; readonly why: string; readonly afterMs: number | undefined };

async function send(endpoint: Endpoint, texts: readonly string[], signal: AbortSignal | undefined): Promise<Reply> {
  const authorization = await endpoint.authorization();
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetchByProxy(`${endpoint.baseUrl.replace(/\/+$/, '')}/embeddings`, {
      method: 'POST',
      headers: { ...endpoint.headers, 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) },
      body: JSON.stringify({
        model: endpoint.model,
        input: texts.map((text) => text.slice(0, LONGEST_TEXT) || ' '),
        encoding_format: 'float',
        ...(endpoint.dimensions === undefined ? {} : { dimensions: endpoint.dimensions }),
      }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const body = await response.text();
    if (response.ok) return { kind: 'vectors', vectors: vectorsIn(body) };
    const why = `answered ${response.status}: ${said(body, [authorization ?? '', ...Object.values(endpoint.headers ?? {})])}`;
    if (response.status === 429 || response.status >= 500) return { kind: 'again', why, afterMs: retryAfter(response.headers) };
    const tooLarge = [400, 413, 422].includes(response.status) && texts.length > 1;
    return tooLarge ? { kind: 'too_large' } : { kind: 'refused', why };
  } catch (error) {
    throwIfAborted(signal);
    if (error instanceof XzError) return { kind: 'refused', why: error.message };
    if (isAbort(error) || timeout.aborted)
      return { kind: 'again', why: `did not answer within ${TIMEOUT_MS / 1000} s`, afterMs: undefined };
    return { kind: 'again', why: `cannot be reached (${reasonOf(error)})`, afterMs: undefined };
  }
}

/** What the server says, on one line; it may say the key it was sent, or codes for a terminal. */
function said(body: string, sent: readonly string[]): string {
  const mask = maskOf([...sent, ...sent.map((value) => value.replace(/^Bearer /, ''))]);
  return mask(body.replace(/[\s\p{Cc}]+/gu, ' ')).slice(0, 200);
}

/** Vectors in the order of the texts, whatever the order of the answer. */
function vectorsIn(body: string): Float32Array[] {
  const { data } = answerParser.parseJson(body);
  const placed = data.map((item, at) => ({ index: item.index ?? at, vector: Float32Array.from(item.embedding) }));
  return placed.sort((a, b) => a.index - b.index).map(({ vector }) => vector);
}

function retryAfter(headers: Headers): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

/** fetch hides the reason of a failed connection in its cause. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause !== undefined ? errorMessage(error.cause) : errorMessage(error);
}

function failed(endpoint: Endpoint, why: string): XzError {
  return new XzError('model_failed', `the embedding server for ${endpoint.model} ${why}`, {
    hint: 'check [memory.embedding] in the config; keyword search goes on working',
  });
}
