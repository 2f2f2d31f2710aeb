// Every setting of config.toml, with its default. INTERFACE of the product: add freely, rename nothing.
import {
  address,
  between,
  filePath,
  flag,
  type Key,
  key,
  language,
  moment,
  name,
  oneOf,
  positive,
  secret,
  text,
  texts,
  textTable,
  whole,
} from './key.ts';

export const keys = {
  model: {
    // No defaults here: which model is meant when none is named depends on the provider (providers.ts).
    provider: key('model.provider', name, { env: 'XZ_PROVIDER', flag: 'provider', guarded: true }),
    model: key('model.model', text, { env: 'XZ_MODEL', flag: 'model' }),
    baseUrl: key('model.base_url', address, { env: 'XZ_BASE_URL', flag: 'baseUrl', guarded: true }),
  },
  auth: {
    type: key('auth.type', oneOf('oauth', 'api_key'), { flag: 'useOauth' }),
    apiKey: key('auth.api_key', secret, { env: 'XZ_API_KEY', flag: 'apiKey', secret: true, guarded: true }),
    credentialsPath: key('auth.oauth_credentials_path', filePath),
    oauthHost: key('auth.oauth_host', address, { env: 'KIMI_CODE_OAUTH_HOST', guarded: true }),
    headers: key('auth.headers', textTable, { secret: true }),
  },
  context: {
    maxTokens: key('context.max_tokens', whole(1)),
    preloadIdentity: key('context.preload_identity', flag, {}, true),
    preloadMemory: key('context.preload_memory', flag, {}, true),
    preloadTokens: key('context.preload_tokens', whole(0), {}, 10_000),
  },
  scheduler: {
    enabled: key('scheduler.enabled', flag, {}, true),
    checkIntervalMs: key('scheduler.check_interval_ms', whole(1), {}, 2_000),
  },
  memory: {
    enabled: key('memory.enabled', flag, { env: 'XZ_MEMORY_ENABLED' }, true),
    llm: key('memory.llm', text, { env: 'XZ_MEMORY_LLM' }),
    baseUrl: key('memory.base_url', address),
    apiKey: key('memory.api_key', secret, { secret: true }),
    hybridSearch: key('memory.hybrid_search', flag, {}, true),
    semanticWeight: key('memory.semantic_weight', between(0, 1), {}, 0.7),
    keywordWeight: key('memory.keyword_weight', between(0, 1), {}, 0.3),
    maxEntries: key('memory.max_entries', whole(1), {}, 10),
    recall: key('memory.recall', whole(0), {}, 3),
    recallChars: key('memory.recall_chars', whole(1), {}, 500),
  },
  embedding: {
    model: key('memory.embedding.model', text),
    baseUrl: key('memory.embedding.base_url', address),
    apiKey: key('memory.embedding.api_key', secret, { secret: true }),
    dimensions: key('memory.embedding.dimensions', whole(1, 65_536)),
  },
  team: {
    enabled: key('team.enabled', flag, { env: 'XZ_TEAM_ENABLED', flag: 'team', guarded: true }, false),
    max: key('team.max', whole(1, 3), { env: 'XZ_TEAM_MAX' }, 3),
    worktrees: key('team.worktrees', flag, { env: 'XZ_TEAM_WORKTREES' }, false),
    model: key('team.model', text, { env: 'XZ_TEAM_MODEL' }),
    apiKey: key('team.api_key', secret, { env: 'XZ_TEAM_API_KEY', secret: true, guarded: true }),
    baseUrl: key('team.base_url', address, { env: 'XZ_TEAM_BASE_URL', guarded: true }),
    maxRounds: key('team.max_rounds', whole(1), {}, 50),
    maxMinutes: key('team.max_minutes', positive, {}, 60),
    maxCostUsd: key('team.max_cost_usd', positive),
  },
  permissions: {
    mode: key('permissions.mode', oneOf('plan', 'ask', 'auto-edit', 'yolo'), { env: 'XZ_MODE', flag: 'mode', guarded: true }, 'ask'),
    allow: key('permissions.allow', texts, {}, []),
    deny: key('permissions.deny', texts, {}, []),
  },
  web: {
    tavilyApiKey: key('web.tavily_api_key', secret, { env: 'TAVILY_API_KEY', secret: true, guarded: true }),
    tavilyBaseUrl: key('web.tavily_base_url', address),
    allowPrivate: key('web.allow_private', flag, {}, false),
  },
  ui: {
    language: key('ui.language', language, { env: 'XZ_LANG', flag: 'lang' }),
    theme: key('ui.theme', name, {}, 'amber'),
  },
  setup: {
    completed: key('setup.completed', flag, {}, false),
    completedAt: key('setup.completed_at', moment),
  },
};

export const allKeys: readonly Key<unknown, unknown>[] = Object.values(keys).flatMap((section): Key<unknown, unknown>[] =>
  Object.values(section),
);

/** The setting of a dotted path, or undefined. */
export function keyAt(path: string): Key<unknown, unknown> | undefined {
  return allKeys.find((key) => key.path === path);
}

/** Gives the value of one setting. */
export type ReadKey = <T, D>(key: Key<T, D>) => T | D;

/** All settings as typed values. */
export function assemble(read: ReadKey) {
  const { model, auth, context, scheduler, memory, embedding, team, permissions, web, ui, setup } = keys;
  return {
    model: { provider: read(model.provider), model: read(model.model), baseUrl: read(model.baseUrl) },
    auth: {
      type: read(auth.type),
      apiKey: read(auth.apiKey),
      credentialsPath: read(auth.credentialsPath),
      oauthHost: read(auth.oauthHost),
      headers: read(auth.headers),
    },
    context: {
      maxTokens: read(context.maxTokens),
      preloadIdentity: read(context.preloadIdentity),
      preloadMemory: read(context.preloadMemory),
      preloadTokens: read(context.preloadTokens),
    },
    scheduler: { enabled: read(scheduler.enabled), checkIntervalMs: read(scheduler.checkIntervalMs) },
    memory: {
      enabled: read(memory.enabled),
      llm: read(memory.llm),
      baseUrl: read(memory.baseUrl),
      apiKey: read(memory.apiKey),
      hybridSearch: read(memory.hybridSearch),
      semanticWeight: read(memory.semanticWeight),
      keywordWeight: read(memory.keywordWeight),
      maxEntries: read(memory.maxEntries),
      recall: read(memory.recall),
      recallChars: read(memory.recallChars),
    },
    embedding: {
      model: read(embedding.model),
      baseUrl: read(embedding.baseUrl),
      apiKey: read(embedding.apiKey),
      dimensions: read(embedding.dimensions),
    },
    team: {
      enabled: read(team.enabled),
      max: read(team.max),
      worktrees: read(team.worktrees),
      model: read(team.model),
      apiKey: read(team.apiKey),
      baseUrl: read(team.baseUrl),
      maxRounds: read(team.maxRounds),
      maxMinutes: read(team.maxMinutes),
      maxCostUsd: read(team.maxCostUsd),
    },
    permissions: { mode: read(permissions.mode), allow: read(permissions.allow), deny: read(permissions.deny) },
    web: { tavilyApiKey: read(web.tavilyApiKey), tavilyBaseUrl: read(web.tavilyBaseUrl), allowPrivate: read(web.allowPrivate) },
    ui: { language: read(ui.language), theme: read(ui.theme) },
    setup: { completed: read(setup.completed), completedAt: read(setup.completedAt) },
  };
}

export type Settings = ReturnType<typeof assemble>;
