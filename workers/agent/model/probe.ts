// Proves a model with real requests: one completion that asks for a tool call, one embedding, the list of models. For
// set-up and `config verify`; nothing of it is stored.
import { Type } from 'typebox';
import type { Clock } from '../../../store/clock.ts';
import { errorMessage, throwIfAborted, XzError } from '../../../store/errors.ts';
import { fetchByProxy } from '../../../store/proxies.ts';
import { jsonOf, listOf, recordOf, textOf } from './loose.ts';
import type { Model } from './model.ts';
import { errorText, kindOfStatus } from './model-error.ts';
import { secretsIn, toldWithout } from './said.ts';
import { type Auth, cleanBaseUrl, type ModelApi } from './settings.ts';

export interface Probe {
  /** Ms from sending to the first text, thought or call. */
  readonly firstTokenMs: number;
  readonly totalMs: number;
  /** True when the model made the call it was asked for. */
  readonly calledTool: boolean;
}

const LIMIT_MS = 20_000;

/** One short request. Throws what the model's client throws. */
export async function probeModel(model: Model, clock: Clock, signal: AbortSignal): Promise<Probe> {
  const start = clock.now();
  let first: number | undefined;
  const reply = await model.reply({
    systemPrompt: 'This is a connection test. Call the tool "ready" once with word "ok". Say nothing else.',
    messages: [{ role: 'user', text: 'Are you ready?' }],
    tools: [{ name: 'ready', description: 'Reports that the connection works.', parameters: Type.Object({ word: Type.String() }) }],
    signal,
    session: 'connection-test',
    onDelta: () => {
      first ??= clock.now();
    },
  });
  const end = clock.now();
  return {
    firstTokenMs: (first ?? end) - start,
    totalMs: end - start,
    calledTool: reply.parts.some((part) => part.type === 'call' && part.name === 'ready'),
  };
}

/** One embedding; returns its width. Throws `model_failed` for anything but a usable vector. */
export async function probeEmbedding(
  endpoint: { readonly model: string; readonly baseUrl: string; readonly dimensions: number | undefined },
  auth: Auth,
  signal: AbortSignal,
): Promise<number> {
  const { model, baseUrl, dimensions } = endpoint;
  const url = `${baseUrl}/embeddings`;
  const body = { model, input: 'xz', ...(dimensions === undefined ? {} : { dimensions }) };
  const answer = await fetchJson(url, auth, 'openai-completions', signal, body);
  const vector = listOf(recordOf(listOf(recordOf(answer)?.data)[0])?.embedding);
  const numbers = vector.filter((value) => typeof value === 'number' && Number.isFinite(value));
  if (numbers.length === 0 || numbers.length !== vector.length || numbers.every((value) => value === 0))
    throw new XzError('model_failed', `${url}: the answer holds no usable vector`, { hint: 'check memory.embedding.model' });
  if (dimensions !== undefined && numbers.length !== dimensions)
    throw new XzError('model_failed', `${url}: the vector has ${numbers.length} dimensions, not ${dimensions}`, {
      hint: `set memory.embedding.dimensions to ${numbers.length}`,
    });
  return numbers.length;
}

/** Ids of the models an endpoint offers, as it orders them. Throws `model_failed` when it does not say. */
export async function listModels(api: ModelApi, baseUrl: string, auth: Auth, signal: AbortSignal): Promise<readonly string[]> {
  const base = cleanBaseUrl(api, baseUrl);
  const url = api === 'anthropic-messages' ? `${base}/v1/models?limit=1000` : `${base}/models`;
  const answer = await fetchJson(url, auth, api, signal);
  const ids = listOf(recordOf(answer)?.data ?? answer).flatMap((entry) => textOf(recordOf(entry)?.id) ?? []);
  if (ids.length === 0) throw new XzError('model_failed', `${url} names no models`);
  return ids;
}

async function fetchJson(url: string, auth: Auth, api: ModelApi, signal: AbortSignal, body?: unknown): Promise<unknown> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const told = toldWithout(() => secretsIn(auth));
  let status: number;
  let text: string;
  try {
    const response = await fetchByProxy(url, {
      headers: {
        Accept: 'application/json',
        ...keyHeaders(auth, api),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      // A redirect could carry the key to another host.
      redirect: 'manual',
      signal: limit,
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    status = response.status;
    text = await response.text();
  } catch (error) {
    throwIfAborted(signal);
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw new XzError('model_failed', `${url} cannot be reached (${errorMessage(cause)})`, {
      cause: error,
      data: { kind: 'network', endpoint: url },
    });
  }
  if (status >= 300)
    throw new XzError('model_failed', `${url} answered HTTP ${status}: ${told(errorText(text))}`, {
      data: { status, kind: kindOfStatus(status, text), endpoint: url },
    });
  const value = jsonOf(text);
  if (value === undefined) throw new XzError('model_failed', `${url} answered no JSON`);
  return value;
}

function keyHeaders(auth: Auth, api: ModelApi): Record<string, string> {
  const version: Record<string, string> = api === 'anthropic-messages' ? { 'anthropic-version': '2023-06-01' } : {};
  if (auth.bearer !== undefined) return { ...version, ...auth.headers, Authorization: `Bearer ${auth.bearer}` };
  if (auth.apiKey === undefined) return { ...version, ...auth.headers };
  return api === 'anthropic-messages'
    ? { ...version, ...auth.headers, 'x-api-key': auth.apiKey }
    : { ...auth.headers, Authorization: `Bearer ${auth.apiKey}` };
}
