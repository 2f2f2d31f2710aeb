// What is needed to reach a model, and what is known of models before anybody configures one. The table of windows and
// prices is made from pi-ai's (scripts/models.mjs), so that start-up does not load that whole package.
import { XzError } from '../../../store/errors.ts';
import { KNOWN_MODELS, type KnownRow } from './known-models.ts';

export type ModelApi = 'openai-completions' | 'anthropic-messages';

/** What proves to the server who asks. A bearer wins over a key. */
export interface Auth {
  readonly apiKey?: string;
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** US dollars per 1,000,000 tokens. */
export interface TokenPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** undefined is "unknown": no cost is shown, and `--max-cost` is refused. */
export type Price = TokenPrice | 'subscription' | undefined;

/** How an OpenAI-compatible server differs; what is not set is guessed from its address. */
export interface CompatSwitches {
  readonly supportsStore?: boolean;
  readonly supportsDeveloperRole?: boolean;
  readonly supportsReasoningEffort?: boolean;
  readonly supportsUsageInStreaming?: boolean;
  readonly supportsStrictMode?: boolean;
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  readonly requiresToolResultName?: boolean;
  readonly requiresAssistantAfterToolResult?: boolean;
  readonly requiresThinkingAsText?: boolean;
  readonly requiresReasoningContentOnAssistantMessages?: boolean;
  readonly thinkingFormat?: 'openai' | 'openrouter' | 'deepseek' | 'zai' | 'qwen' | 'qwen-chat-template';
  readonly cacheControlFormat?: 'anthropic';
}

export interface ModelSettings {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly api: ModelApi;
  /** Asked for every request: a token may have been renewed meanwhile. */
  readonly auth: () => Promise<Auth>;
  /** Values that no error of this model may tell, whoever said them. What `auth` gives is among them by itself. */
  readonly secrets?: () => readonly string[];
  /** Called once after a 401; true when there is now another token to try. */
  readonly refresh?: () => Promise<boolean>;
  /** Headers of every request, such as the user agent. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Tokens that one request may hold. Default: the known model's, else 262,144. */
  readonly contextWindow?: number;
  /** Tokens of one reply. Absent: what is known, else the server decides. */
  readonly maxOutput?: number;
  readonly reasoning?: boolean;
  readonly images?: boolean;
  /** Asks for that much reasoning where the API has a word for it. Absent: the server decides. */
  readonly effort?: 'minimal' | 'low' | 'medium' | 'high';
  /** Sent only when set. */
  readonly temperature?: number;
  readonly price?: Price;
  readonly compat?: CompatSwitches;
  /** Ends a request when nothing comes for so long, ms. Default 180,000: some models think before the first byte. */
  readonly idleMs?: number;
}

export const DEFAULT_WINDOW = 262_144;
export const DEFAULT_IDLE_MS = 180_000;

export interface KnownModel {
  readonly contextWindow: number;
  readonly maxOutput: number;
  readonly reasoning: boolean;
  readonly images: boolean;
  readonly price: Price;
}

/** Figures of Kimi's coding subscription: tokens in and out as its own CLI states them. */
const KIMI: KnownModel = { contextWindow: 262_144, maxOutput: 65_536, reasoning: true, images: true, price: 'subscription' };

/** xz's provider names beside pi-ai's. */
const ALIASES: Readonly<Record<string, string>> = { moonshot: 'moonshotai' };

/** What is known of a model: by provider and id, else (for `custom`) by an id that means the same everywhere. */
export function knownModel(provider: string, model: string): KnownModel | undefined {
  if (provider === 'kimi' || provider === 'kimi-coding') return KIMI;
  const own = KNOWN_MODELS[ALIASES[provider] ?? provider];
  const row = (own ?? Object.values(KNOWN_MODELS).flat()).find(([id]) => id === model);
  if (row === undefined) return undefined;
  // Elsewhere the same model has the same window, but its price is the host's own affair.
  return own === undefined ? { ...fromRow(row), price: undefined } : fromRow(row);
}

function fromRow([, contextWindow, maxOutput, reasoning, images, input, output, cacheRead, cacheWrite]: KnownRow): KnownModel {
  return { contextWindow, maxOutput, reasoning: reasoning === 1, images: images === 1, price: { input, output, cacheRead, cacheWrite } };
}

/**
 * A base URL as the APIs' libraries want it: no slash and no route at the end, `/v1` kept for chat completions and
 * dropped for Anthropic. Throws `bad_config` for anything that is no http address.
 */
export function cleanBaseUrl(api: ModelApi, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new XzError('bad_config', `base_url "${given}" is no http address`, { hint: 'such as https://api.openai.com/v1' });
  const path = url.pathname.replace(/\/+$/, '');
  const route = api === 'anthropic-messages' ? /(\/v1)?(\/messages)?$/ : /\/chat\/completions$/;
  return `${url.origin}${path.replace(route, '')}${url.search}`;
}
