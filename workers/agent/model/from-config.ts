// From what config.toml and the environment name to what a model client takes: who proves what to the server, and the
// switches of the wire.
import type { Clock } from '../../../store/clock.ts';
import type { ModelAuth, ResolvedModel } from '../../../store/config/resolve.ts';
import { kimiAuth } from '../../../store/credentials/kimi.ts';
import { kimiDeviceId, kimiHeaders } from '../../../store/credentials/kimi-headers.ts';
import type { Home } from '../../../store/layout.ts';
import type { Locks } from '../../../store/lock.ts';
import type { Auth, CompatSwitches, ModelSettings } from './settings.ts';

/** What a login needs beside the resolved model; plain values and lazily made stores of this thread. */
export interface Identity {
  /** xz's version, for the user agent. */
  readonly version: string;
  readonly home: Home;
  /** The person's home folder, undefined when the environment names none. */
  readonly userHome: string | undefined;
  /** Locks of the home; asked for only when a token is renewed. */
  readonly homeLocks: () => Locks;
  readonly clock: Clock;
}

/** The settings for `openModel`. Nothing is read or sent before the first request. */
export function modelSettings(resolved: ResolvedModel, identity: Identity): ModelSettings {
  const headers = () => headersOf(resolved, identity);
  const compat = resolved.compat === undefined ? undefined : compatOf(resolved.compat);
  const { contextWindow, maxOutput, reasoning, images, temperature, price } = resolved;
  return {
    provider: resolved.provider,
    model: resolved.model,
    baseUrl: resolved.baseUrl,
    api: resolved.api,
    ...authenticator(resolved.auth, headers, identity),
    headers: { 'User-Agent': `xz/${identity.version}` },
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutput === undefined ? {} : { maxOutput }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(images === undefined ? {} : { images }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(price === undefined ? {} : { price }),
    ...(compat === undefined ? {} : { compat }),
  };
}

/** Who asks, for a single request outside of a model: an embedding, a list of models. */
export function authOf(auth: ModelAuth, identity: Identity): Promise<Auth> {
  return authenticator(auth, () => ({}), identity).auth();
}

/** A second 401 that soon after a renewal is for a request that was sent before it. */
const RENEWED_FOR_MS = 5_000;

function authenticator(
  auth: ModelAuth,
  headers: () => Readonly<Record<string, string>>,
  identity: Identity,
): Pick<ModelSettings, 'auth' | 'refresh'> {
  if (auth.kind === 'key') return { auth: async () => ({ apiKey: auth.key, headers: headers() }) };
  if (auth.kind === 'bearer') return { auth: async () => ({ bearer: auth.token, headers: headers() }) };
  if (auth.kind === 'none') return { auth: async () => ({ headers: headers() }) };
  const { home, userHome, version, homeLocks, clock } = identity;
  const login = kimiAuth({
    paths: auth.paths,
    host: auth.host,
    headers: () => ({ ...kimiHeaders(version, kimiDeviceId(userHome, home)), ...headers() }),
    locks: homeLocks,
    clock,
  });
  let last: string | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;
  return {
    async auth() {
      last = await login.token();
      return { bearer: last, headers: headers() };
    },
    async refresh() {
      if (last === undefined) return false;
      if (clock.now() - renewedAt < RENEWED_FOR_MS) return true;
      last = await login.renew(last);
      renewedAt = clock.now();
      return true;
    },
  };
}

function headersOf(resolved: ResolvedModel, { version, home, userHome }: Identity): Readonly<Record<string, string>> {
  if (resolved.provider !== 'kimi') return resolved.headers;
  return kimiHeaders(version, kimiDeviceId(userHome, home), resolved.headers);
}

const FLAGS = [
  'supportsStore',
  'supportsDeveloperRole',
  'supportsReasoningEffort',
  'supportsUsageInStreaming',
  'supportsStrictMode',
  'requiresToolResultName',
  'requiresAssistantAfterToolResult',
  'requiresThinkingAsText',
  'requiresReasoningContentOnAssistantMessages',
] as const;
const THINKING = ['openai', 'openrouter', 'deepseek', 'zai', 'qwen', 'qwen-chat-template'] as const;
const TOKENS_FIELDS = ['max_tokens', 'max_completion_tokens'] as const;

/** The switches that are known and fit; others are harmless. */
function compatOf(given: Readonly<Record<string, string | number | boolean>>): CompatSwitches {
  const flags = FLAGS.map((name) => [name, given[name]] as const).filter(([, value]) => typeof value === 'boolean');
  const thinkingFormat = THINKING.find((value) => value === given.thinkingFormat);
  const maxTokensField = TOKENS_FIELDS.find((value) => value === given.maxTokensField);
  return {
    ...Object.fromEntries(flags),
    ...(thinkingFormat === undefined ? {} : { thinkingFormat }),
    ...(maxTokensField === undefined ? {} : { maxTokensField }),
    ...(given.cacheControlFormat === 'anthropic' ? { cacheControlFormat: 'anthropic' as const } : {}),
  };
}
