// One request to a model, one whole reply or a ModelError. A reply that was cut, is half-written or went silent is never
// returned; retrying is the caller's (retry.ts), so that a person sees it.
import type { AssistantMessage, AssistantMessageEventStream, Context, Model as PiModel } from '@mariozechner/pi-ai';
import type { TSchema } from 'typebox';
import { type Clock, systemClock } from '../../../store/clock.ts';
import { throwIfAborted, XzError } from '../../../store/errors.ts';
import type { AssistantContent, Content } from '../../../store/sessions/message.ts';
import { anthropicReader } from './anthropic-reader.ts';
import { costOf, fromPiMessage, fromPiUsage, toPiMessages } from './convert.ts';
import { estimateContent, estimateFixed } from './estimate.ts';
import { ModelError } from './model-error.ts';
import { openAiReader } from './openai-reader.ts';
import { piModel, startStream } from './pi-stream.ts';
import { validUnicode, wellFormed } from './request.ts';
import {
  type CompatSwitches,
  cleanBaseUrl,
  DEFAULT_IDLE_MS,
  DEFAULT_WINDOW,
  knownModel,
  type ModelApi,
  type ModelSettings,
  type Price,
} from './settings.ts';
import { thinkingFilter, withThinkingApart } from './think-text.ts';
import { plainOffer } from './tool-offer.ts';
import { openWire } from './wire.ts';
import type { WireReader } from './wire-reply.ts';

export interface ModelFacts {
  readonly provider: string;
  readonly model: string;
  readonly api: ModelApi | 'scripted';
  /** Tokens that one request may hold. */
  readonly window: number;
  readonly maxOutput: number | undefined;
  readonly images: boolean;
  readonly host: string;
  readonly price: Price;
}

export interface ToolOffer {
  readonly name: string;
  readonly description: string;
  readonly parameters: TSchema;
}

export type Delta = { readonly type: 'text' | 'thinking'; readonly delta: string };

export interface ModelRequest {
  readonly systemPrompt: string;
  /** In order; it is made well-formed here once more. */
  readonly messages: readonly Content[];
  readonly tools: readonly ToolOffer[];
  readonly signal: AbortSignal;
  /** Called as the reply arrives; must not throw. Not called after the signal has fired. */
  readonly onDelta?: (delta: Delta) => void;
  /** Tokens of the reply; default the model's. */
  readonly maxOutput?: number;
  /** Calls whose arguments are no JSON are part of the reply, marked, instead of a fault of it: asking again did not help. */
  readonly takeBroken?: boolean;
  /** Groups requests for the provider's prompt cache. */
  readonly session: string;
}

export interface Model {
  readonly facts: ModelFacts;
  /** The whole reply. Throws ModelError, or `interrupted` as soon as the signal fires. */
  reply(request: ModelRequest): Promise<AssistantContent>;
}

/** A model that is reached over the network. Nothing is sent before the first `reply`. */
export function openModel(settings: ModelSettings, clock: Clock = systemClock): Model {
  const baseUrl = cleanBaseUrl(settings.api, settings.baseUrl);
  const known = knownModel(settings.provider, settings.model);
  const window = settings.contextWindow ?? known?.contextWindow ?? DEFAULT_WINDOW;
  const wanted = settings.maxOutput ?? known?.maxOutput ?? (settings.api === 'anthropic-messages' ? 8_192 : undefined);
  // Servers refuse a request whose prompt and promised output together exceed the window.
  const maxOutput = wanted === undefined ? undefined : Math.min(wanted, Math.floor(window / 2));
  const facts: ModelFacts = {
    provider: settings.provider,
    model: settings.model,
    api: settings.api,
    window,
    maxOutput,
    images: settings.images ?? known?.images ?? false,
    host: new URL(baseUrl).host,
    price: 'price' in settings ? settings.price : known?.price,
  };
  const piFacts = { ...facts, baseUrl, reasoning: settings.reasoning ?? known?.reasoning ?? false };
  // What the server turned out to refuse, over what is set.
  let learnt: CompatSwitches = {};
  const reply = (request: ModelRequest) => {
    const pi = piModel({ ...settings, compat: { ...settings.compat, ...learnt } }, piFacts);
    return untilAborted(request, (abort) => replyOnce(settings, facts, pi, request, abort, clock));
  };
  return {
    facts,
    async reply(request) {
      for (;;) {
        // Another request may learn the same meanwhile.
        const known = learnt;
        try {
          return await reply(request);
        } catch (error) {
          const lesson = lessonOf(error);
          if (Object.keys(lesson).every((field) => field in known)) throw error;
          learnt = { ...learnt, ...lesson };
        }
      }
    },
  };
}

/** How to ask a server again that refused a field of ours by name. */
function lessonOf(error: unknown): CompatSwitches {
  if (!(error instanceof ModelError) || error.kind !== 'bad_request') return {};
  if (/stream_options|include_usage/.test(error.message)) return { supportsUsageInStreaming: false };
  return /\buse ['"`]?max_completion_tokens/i.test(error.message) ? { maxTokensField: 'max_completion_tokens' } : {};
}

/** Runs `work` with a controller of its own (long-lived signals would collect listeners), and leaves at once on abort. */
async function untilAborted<T>({ signal }: ModelRequest, work: (abort: AbortController) => Promise<T>): Promise<T> {
  throwIfAborted(signal);
  const abort = new AbortController();
  const interrupted = () => new XzError('interrupted', 'interrupted', { cause: signal.reason });
  let onAbort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      reject(interrupted());
      abort.abort();
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work(abort), aborted]);
  } catch (error) {
    throw signal.aborted ? interrupted() : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function replyOnce(
  settings: ModelSettings,
  facts: ModelFacts,
  pi: PiModel<ModelApi>,
  request: ModelRequest,
  abort: AbortController,
  clock: Clock,
): Promise<AssistantContent> {
  const reader = settings.api === 'openai-completions' ? openAiReader(request.takeBroken) : anthropicReader(request.takeBroken);
  const wire = openWire({
    api: settings.api,
    endpoint: pi.baseUrl,
    headers: settings.headers ?? {},
    auth: settings.auth,
    secrets: settings.secrets ?? (() => []),
    refresh: settings.refresh,
    idleMs: settings.idleMs ?? DEFAULT_IDLE_MS,
    clock,
    reader,
    abort,
  });
  const messages = wellFormed(
    request.messages.map((content) => ({ content })),
    { provider: facts.provider, model: facts.model, api: settings.api },
  );
  const context: Context = {
    systemPrompt: validUnicode(request.systemPrompt),
    messages: toPiMessages(messages, pi),
    tools: request.tools.map(plainOffer),
  };
  const maxTokens = request.maxOutput ?? facts.maxOutput;
  const stream = await startStream(pi, context, wire.fetch, {
    // The real one is set by the wire; this keeps the library from looking for any in the environment.
    apiKey: 'set-by-the-wire',
    signal: abort.signal,
    maxRetries: 0,
    timeoutMs: 2 ** 31 - 1,
    sessionId: request.session,
    cacheRetention: 'short',
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
    ...(settings.effort === undefined ? {} : { effort: settings.effort }),
    ...(facts.provider === 'kimi' || facts.provider === 'moonshot' ? { cacheKey: request.session } : {}),
  });
  const message = await consume(stream, request, abort.signal, settings.api);
  const failure = wire.failure();
  if (failure !== undefined) throw failure;
  if (message.stopReason === 'error' || message.stopReason === 'aborted')
    throw new ModelError('malformed', wire.told(pi.baseUrl), wire.told(message.errorMessage ?? 'the answer cannot be read'));
  return toContent(message, reader, facts, estimateInput(request, messages));
}

async function consume(
  stream: AssistantMessageEventStream,
  { onDelta }: ModelRequest,
  signal: AbortSignal,
  api: ModelApi,
): Promise<AssistantMessage> {
  const whole = { text: wholeCharacters(), thinking: wholeCharacters() };
  const tell = (delta: Delta): void => {
    if (!signal.aborted) onDelta?.(delta);
  };
  let text = api === 'openai-completions' ? thinkingFilter(tell) : undefined;
  for await (const event of stream) {
    if (signal.aborted || (event.type !== 'text_delta' && event.type !== 'thinking_delta')) continue;
    const type = event.type === 'text_delta' ? 'text' : 'thinking';
    const delta = whole[type](event.delta);
    if (delta === '') continue;
    // Where reasoning comes in a field of its own, a tag in the text is text.
    if (type === 'thinking') text = undefined;
    if (text === undefined) tell({ type, delta });
    else text.write(delta);
  }
  const message = await stream.result();
  if (message.stopReason !== 'error' && message.stopReason !== 'aborted') text?.end();
  return message;
}

/** Some servers send the two halves of a surrogate pair in two pieces; whoever prints the first alone spoils both. */
function wholeCharacters(): (delta: string) => string {
  let held = '';
  return (delta) => {
    const text = held + delta;
    held = /[\ud800-\udbff]$/.test(text) ? text.slice(-1) : '';
    return held === '' ? text : text.slice(0, -1);
  };
}

function toContent(message: AssistantMessage, reader: WireReader, facts: ModelFacts, inputEstimate: () => number): AssistantContent {
  const finish = reader.finish();
  const found = fromPiMessage(message, reader.calls(), finish);
  const parts = facts.api === 'openai-completions' ? withThinkingApart(found) : found;
  const usage = fromPiUsage(message.usage);
  const content: AssistantContent = {
    role: 'assistant',
    parts,
    provider: facts.provider,
    model: facts.model,
    api: facts.api,
    finish: finish === 'calls' && !parts.some((part) => part.type === 'call') ? 'stop' : finish,
    usage,
    costUsd: null,
  };
  // A server that reports no usage still costs: the budget then goes by the estimate.
  const counted = usage.total > 0 ? usage : { ...usage, input: inputEstimate(), output: estimateContent(content) };
  return { ...content, costUsd: costOf(counted, facts.price) };
}

function estimateInput(request: ModelRequest, messages: readonly Content[]): () => number {
  return () => estimateFixed(request) + messages.reduce((sum, content) => sum + estimateContent(content), 0);
}
