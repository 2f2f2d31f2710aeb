// Which model answers, where, and with whose key. The rule that shapes this file: a key goes only to the address of the
// provider it was given for, so a lower layer that names another provider contributes neither key, address nor model.
import { isAbsolute, join } from 'node:path';
import { KIMI_OAUTH_HOST } from '../credentials/kimi-refresh.ts';
import { XzError } from '../errors.ts';
import { pathExists } from '../files.ts';
import { expandTilde } from '../layout.ts';
import type { Config, Named } from './config.ts';
import { address } from './key.ts';
import type { ModelOverrides, Price } from './models.ts';
import { badConfig } from './problem.ts';
import { type Api, KIMI_BASE_URL, type Provider, providerNamed } from './providers.ts';

export type ModelRole = 'main' | 'team' | 'memory' | 'small';

export type ModelAuth =
  /** An API key; `from` is what it was found in, such as `XZ_API_KEY`. */
  | { readonly kind: 'key'; readonly key: string; readonly from: string }
  /** A token sent as `Authorization: Bearer`. */
  | { readonly kind: 'bearer'; readonly token: string; readonly from: string }
  /** The login of an official Kimi program; `paths` are the files that may hold it (store/credentials/kimi.ts). */
  | { readonly kind: 'kimi-login'; readonly paths: readonly string[]; readonly host: string }
  /** A server that asks for no key. */
  | { readonly kind: 'none' };

export interface ResolvedModel extends ModelOverrides {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl: string;
  readonly api: Api;
  readonly auth: ModelAuth;
  /** Extra headers the person configured. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: look it up in the model library; there it may be unknown too. */
  readonly price?: Price;
}

/** The model of a role. Throws `not_configured` when nothing names a usable one, `bad_config` when a key would go astray. */
export function resolveModel(config: Config, role: ModelRole): ResolvedModel {
  const main = resolveMain(config);
  if (role === 'main') return main;
  if (role === 'team') {
    const { model, baseUrl, apiKey } = config.team;
    return beside(config, main, { section: 'team', model, baseUrl, apiKey });
  }
  const small = main.provider === 'anthropic' ? config.variables.ANTHROPIC_SMALL_FAST_MODEL : undefined;
  const { llm, baseUrl, apiKey } = config.memory;
  return beside(config, main, { section: 'memory', model: llm ?? small, baseUrl, apiKey });
}

/** Whether the settings name a usable main model. Throws what is no matter of settings. */
export function namesModel(config: Config): boolean {
  try {
    resolveModel(config, 'main');
    return true;
  } catch (error) {
    if (error instanceof XzError) return false;
    throw error;
  }
}

/** The embedding endpoint of `[memory.embedding]`; undefined means the built-in embedder. */
export function resolveEmbedding(
  config: Config,
): { readonly model: string; readonly baseUrl: string; readonly auth: ModelAuth; readonly dimensions: number | undefined } | undefined {
  const { model, baseUrl, apiKey, dimensions } = config.embedding;
  if (model === undefined) return undefined;
  if (baseUrl !== undefined && apiKey !== undefined)
    return { model, baseUrl, auth: { kind: 'key', key: apiKey, from: 'memory.embedding.api_key' }, dimensions };
  const there = beside(config, resolveMain(config), { section: 'memory.embedding', model, baseUrl, apiKey });
  if (there.api === 'anthropic-messages')
    throw new XzError('not_configured', `memory.embedding.base_url is not set, and ${there.provider} offers no embeddings`, {
      hint: 'set memory.embedding.base_url, or remove memory.embedding.model to use the built-in embedder',
    });
  return { model, baseUrl: there.baseUrl, auth: there.auth, dimensions };
}

/** The files that may hold a Kimi login: the configured one, else those of both official programs. */
export function kimiLoginPaths(config: Config): readonly string[] {
  const home = config.userHome;
  const given = config.auth.credentialsPath;
  if (given !== undefined) return home === undefined && given.startsWith('~') ? [] : [expandTilde(given, home ?? '')];
  if (home === undefined || !isAbsolute(home)) return [];
  return ['.kimi', '.kimi-code'].map((folder) => join(home, folder, 'credentials', 'kimi-code.json'));
}

/** The server that renews a Kimi login. */
function kimiLoginHost(config: Config): string {
  return config.auth.oauthHost ?? addressIn('KIMI_OAUTH_HOST', config.variables.KIMI_OAUTH_HOST) ?? KIMI_OAUTH_HOST;
}

/** The provider in force, whether or not it has a key. */
export function providerInForce(config: Config): Provider {
  return providerNamed(config.model.provider ?? (onlyClaudeCode(config) ? 'anthropic' : 'kimi'));
}

const CLAUDE_CODE = ['ANTHROPIC_BASE_URL', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL'];

/** True when Claude Code's variables are set and nothing of xz's own names a provider, an address or a key: a model alone does not. */
function onlyClaudeCode({ variables, model, auth }: Config): boolean {
  const own = [model.provider, model.baseUrl, auth.type, auth.apiKey, auth.credentialsPath].some((value) => value !== undefined);
  return !own && CLAUDE_CODE.some((name) => variables[name] !== undefined);
}

/** Which of Claude Code's variables a setting comes from that xz's own layers leave open, and what it says; for listings. */
export function fromClaudeCode(config: Config, path: string): { readonly name: string; readonly value: string } | undefined {
  const { variables, model } = config;
  if (path === 'model.provider' && onlyClaudeCode(config)) {
    const name = CLAUDE_CODE.find((name) => variables[name] !== undefined);
    return name === undefined ? undefined : { name, value: 'anthropic' };
  }
  if (providerInForce(config).name !== 'anthropic') return undefined;
  const open = { 'model.model': [model.model, 'ANTHROPIC_MODEL'], 'model.base_url': [model.baseUrl, 'ANTHROPIC_BASE_URL'] } as const;
  const [own, name] = path === 'model.model' || path === 'model.base_url' ? open[path] : [];
  const value = name === undefined || own !== undefined ? undefined : variables[name];
  return name === undefined || value === undefined ? undefined : { name, value };
}

function resolveMain(config: Config): ResolvedModel {
  const provider = providerInForce(config);
  const layers = layersFor(config, provider.name);
  const first = (field: 'model' | 'baseUrl') => layers.find((layer) => layer[field] !== undefined)?.[field];
  const claude = provider.name === 'anthropic' ? config.variables : {};
  const model = first('model') ?? claude.ANTHROPIC_MODEL ?? provider.model;
  const baseUrl = first('baseUrl') ?? addressIn('ANTHROPIC_BASE_URL', claude.ANTHROPIC_BASE_URL) ?? provider.baseUrl;
  if (baseUrl === undefined)
    throw notConfigured('base_url', provider.name, `the provider "${provider.name}" has no base URL (model.base_url)`);
  if (model === undefined)
    throw notConfigured('model', provider.name, `no model is named for the provider "${provider.name}" (model.model)`);
  const auth = mainAuth(config, provider, layers, baseUrl);
  if (auth === undefined)
    throw notConfigured(
      'key',
      provider.name,
      `there is no key${provider.name === 'kimi' ? ' and no login' : ''} for the provider "${provider.name}"`,
    );
  return settle(config, { provider: provider.name, model, baseUrl, api: provider.api, auth });
}

interface Layer extends Named {
  readonly from: string;
}

/**
 * The layers, highest first, that speak of this provider. A flag or variable without a provider beside it speaks of the
 * one in force; config.toml without one speaks of the default provider, or of Claude Code's where that takes its place.
 */
function layersFor(config: Config, provider: string): readonly Layer[] {
  const { flag, env, dotenv, file } = config.named;
  const layers: readonly Layer[] = [
    { ...flag, from: '--api-key' },
    { ...env, from: 'XZ_API_KEY' },
    { ...dotenv, from: 'XZ_API_KEY in .env' },
    { ...file, provider: file.provider ?? (onlyClaudeCode(config) ? undefined : 'kimi'), from: 'config.toml' },
  ];
  return layers.filter((layer) => layer.provider === undefined || layer.provider === provider);
}

function mainAuth(config: Config, provider: Provider, layers: readonly Layer[], baseUrl: string): ModelAuth | undefined {
  const login = provider.name === 'kimi' ? kimiLogin(config) : undefined;
  if (config.named.flag.authType === 'oauth') return login;
  for (const layer of layers) {
    if (layer.authType === 'oauth' && login !== undefined) return login;
    if (layer.apiKey !== undefined && layer.authType !== 'oauth') return { kind: 'key', key: layer.apiKey, from: layer.from };
  }
  const token = provider.name === 'anthropic' ? config.variables.ANTHROPIC_AUTH_TOKEN : undefined;
  if (token !== undefined) return { kind: 'bearer', token, from: 'ANTHROPIC_AUTH_TOKEN' };
  for (const name of provider.keyVariables) {
    const key = config.variables[name];
    // A key of Moonshot's open platform is not one for Kimi Code's own address.
    if (key !== undefined && !(name === 'MOONSHOT_API_KEY' && baseUrl === KIMI_BASE_URL)) return { kind: 'key', key, from: name };
  }
  if (login !== undefined && config.auth.type !== 'api_key') return login;
  return provider.name === 'custom' ? { kind: 'none' } : undefined;
}

function addressIn(variable: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = address.fromText(value);
  if (url === undefined) throw badConfig([{ where: variable, what: `must be ${address.expects}` }]);
  return url;
}

function kimiLogin(config: Config): ModelAuth | undefined {
  const paths = kimiLoginPaths(config);
  return paths.some(pathExists) ? { kind: 'kimi-login', paths, host: kimiLoginHost(config) } : undefined;
}

interface Own {
  readonly section: 'team' | 'memory' | 'memory.embedding';
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
}

/** The main model with a section's own model, address and key; another host without a key of its own is refused. */
function beside(config: Config, main: ResolvedModel, own: Own): ResolvedModel {
  const elsewhere = own.baseUrl !== undefined && originOf(own.baseUrl) !== originOf(main.baseUrl);
  if (elsewhere && own.apiKey === undefined) {
    const origin = config.origin(`${own.section}.base_url`);
    throw badConfig([
      {
        where: origin.name,
        ...(origin.line === undefined ? {} : { line: origin.line }),
        key: `${own.section}.base_url`,
        what: `is another host than the main model's, and ${own.section}.api_key is not set: the main key is never sent there`,
      },
    ]);
  }
  const provider = elsewhere ? (main.api === 'anthropic-messages' ? 'anthropic' : 'custom') : main.provider;
  const auth: ModelAuth = own.apiKey === undefined ? main.auth : { kind: 'key', key: own.apiKey, from: `${own.section}.api_key` };
  return settle(config, {
    provider,
    model: own.model ?? main.model,
    baseUrl: own.baseUrl ?? main.baseUrl,
    api: elsewhere ? providerNamed(provider).api : main.api,
    auth,
  });
}

function originOf(url: string): string {
  return new URL(url).origin;
}

/** Adds what is known of the model: the person's `[models."<id>"]` over the provider's facts. */
function settle(config: Config, base: Pick<ResolvedModel, 'provider' | 'model' | 'baseUrl' | 'api' | 'auth'>): ResolvedModel {
  // Kimi refuses every temperature but its own, so none is sent unless the person set one for this very model.
  const facts: ModelOverrides =
    base.provider === 'kimi' ? { contextWindow: 262_144, maxOutput: 65_536, reasoning: true, images: true, price: 'subscription' } : {};
  return { ...facts, ...config.models[base.model], ...base, headers: base.provider === 'kimi' ? (config.auth.headers ?? {}) : {} };
}

function notConfigured(kind: 'base_url' | 'model' | 'key', provider: string, what: string): XzError {
  return new XzError('not_configured', `no usable model: ${what}`, {
    hint: 'run `xz config setup`, or set XZ_API_KEY, or look around without a key: `xz --demo` (in a clone: `npm run demo`)',
    data: { kind, provider },
  });
}
