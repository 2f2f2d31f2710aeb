// The one door to pi-ai's streams: which library is loaded, what it is told of the model, and how our own fetch gets in.

import { Console } from 'node:console';
import { Writable } from 'node:stream';
import type {
  AnthropicMessagesCompat,
  AssistantMessageEventStream,
  Context,
  OpenAICompletionsCompat,
  Model as PiModel,
} from '@mariozechner/pi-ai';
import { XzError } from '../../../store/errors.ts';
import { withCallSeals } from './convert.ts';
import { listOf } from './loose.ts';
import { isMistral } from './request.ts';
import type { ModelApi, ModelSettings } from './settings.ts';

/** Where a library's log lines go: they would be drawn over the screen, and may hold what was sent. */
const silent = new Console(new Writable({ write: (_chunk, _encoding, done) => done() }));

export interface StreamOptions {
  readonly apiKey: string;
  readonly signal: AbortSignal;
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly sessionId: string;
  readonly cacheRetention: 'short';
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly effort?: 'minimal' | 'low' | 'medium' | 'high';
  readonly cacheKey?: string;
}

let openAi: Promise<typeof import('@mariozechner/pi-ai/openai-completions')> | undefined;
let anthropic: Promise<typeof import('@mariozechner/pi-ai/anthropic')> | undefined;

/** Starts pi-ai's stream for the API, loading that API's library on first use. */
export async function startStream(
  pi: PiModel<ModelApi>,
  context: Context,
  wireFetch: typeof fetch,
  options: StreamOptions,
): Promise<AssistantMessageEventStream> {
  const { effort, cacheKey, ...rest } = options;
  if (isApi(pi, 'openai-completions')) {
    const { streamOpenAICompletions } = await (openAi ??= import('@mariozechner/pi-ai/openai-completions'));
    const onPayload = (payload: unknown) => finishedPayload(payload, cacheKey);
    return capturing(wireFetch, () =>
      streamOpenAICompletions(pi, context, { ...rest, onPayload, ...(effort === undefined ? {} : { reasoningEffort: effort }) }),
    );
  }
  if (isApi(pi, 'anthropic-messages')) {
    const { streamAnthropic } = await (anthropic ??= import('@mariozechner/pi-ai/anthropic'));
    const thinking =
      effort === undefined
        ? {}
        : ({ thinkingEnabled: true, effort: effort === 'minimal' ? 'low' : effort, thinkingBudgetTokens: 8_192 } as const);
    return capturing(wireFetch, () => streamAnthropic(pi, context, { ...rest, ...thinking }));
  }
  throw new XzError('bad_config', `no api "${String(pi.api)}"`);
}

/** pi-ai writes an empty list of tools when the history holds calls; OpenAI refuses that. */
function finishedPayload(payload: unknown, cacheKey: string | undefined): Record<string, unknown> {
  const { tools, messages, ...rest }: Record<string, unknown> = Object(payload);
  const some = Array.isArray(tools) && tools.length > 0;
  return {
    ...rest,
    messages: listOf(messages).map(withCallSeals),
    ...(some ? { tools } : {}),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
  };
}

function isApi<A extends ModelApi>(pi: PiModel<ModelApi>, api: A): pi is PiModel<A> {
  return pi.api === api;
}

/**
 * pi-ai has no way to pass a fetch, but the provider's library takes the global one, and the console to log to, when
 * its client is made; that happens before `start` returns, so nothing else runs while the globals are ours.
 */
function capturing(wireFetch: typeof fetch, start: () => AssistantMessageEventStream): AssistantMessageEventStream {
  const before = { fetch: globalThis.fetch, console: globalThis.console };
  globalThis.fetch = wireFetch;
  globalThis.console = silent;
  try {
    return start();
  } finally {
    globalThis.fetch = before.fetch;
    globalThis.console = before.console;
  }
}

/** What pi-ai is told of a model. */
export interface PiFacts {
  readonly provider: string;
  readonly model: string;
  readonly host: string;
  readonly baseUrl: string;
  readonly images: boolean;
  readonly window: number;
  readonly maxOutput: number | undefined;
  readonly reasoning: boolean;
}

/** pi-ai's description of the model. A server that is not OpenAI's own is sent only what all understand. */
export function piModel(settings: ModelSettings, facts: PiFacts): PiModel<ModelApi> {
  return {
    id: facts.model,
    name: facts.model,
    api: settings.api,
    provider: facts.provider,
    baseUrl: facts.baseUrl,
    reasoning: facts.reasoning,
    input: facts.images ? ['text', 'image'] : ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: facts.window,
    maxTokens: facts.maxOutput ?? 0,
    compat: compatOf(settings, facts),
  };
}

function compatOf(settings: ModelSettings, { host, provider, model }: PiFacts): OpenAICompletionsCompat & AnthropicMessagesCompat {
  if (settings.api === 'anthropic-messages') return { supportsEagerToolInputStreaming: host === 'api.anthropic.com' };
  const plain: OpenAICompletionsCompat = {
    supportsStore: false,
    supportsDeveloperRole: false,
    supportsReasoningEffort: settings.effort !== undefined && provider !== 'kimi',
    supportsStrictMode: false,
    maxTokensField: 'max_tokens',
  };
  // In pi-ai's other formats no effort means "do not think"; here it means that the server decides.
  const format: OpenAICompletionsCompat = settings.effort === undefined ? { thinkingFormat: 'openai' } : {};
  // Kimi refuses history whose replies lack the field while it thinks, also when another model wrote them
  // (MoonshotAI/kimi-cli#2498, HKUDS/nanobot#2598).
  const kimi: OpenAICompletionsCompat =
    provider === 'kimi' || provider === 'moonshot' ? { requiresReasoningContentOnAssistantMessages: true } : {};
  // After results Mistral's want a word of the model before one of the person (NousResearch/hermes-agent#20154).
  const mistral: OpenAICompletionsCompat = isMistral({ provider, model }) ? { requiresAssistantAfterToolResult: true } : {};
  return { ...(host === 'api.openai.com' ? {} : plain), ...format, ...kimi, ...mistral, ...settings.compat };
}
