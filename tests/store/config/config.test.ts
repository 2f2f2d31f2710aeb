import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Config, type ConfigFlags, inspectConfig, loadConfig } from '../../../store/config/config.ts';
import { parseWorkspaceEnv } from '../../../store/config/dotenv.ts';
import { fromClaudeCode, resolveEmbedding, resolveModel } from '../../../store/config/resolve.ts';
import { XzError } from '../../../store/errors.ts';
import { homeLayout } from '../../../store/layout.ts';

const root = mkdtempSync(join(tmpdir(), 'xz-config-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
let userHome = '';
beforeEach(() => {
  userHome = join(root, `home${count++}`);
  mkdirSync(join(userHome, '.xz'), { recursive: true });
});

interface Given {
  readonly toml?: string;
  readonly env?: Record<string, string>;
  readonly flags?: ConfigFlags;
  readonly dotenv?: string;
  readonly approved?: boolean;
}

function inputOf(given: Given) {
  const env = { HOME: userHome, ...given.env };
  const home = homeLayout(env);
  if (given.toml !== undefined) writeFileSync(home.config, given.toml);
  const workspaceEnv =
    given.dotenv === undefined ? undefined : { ...parseWorkspaceEnv('/w/.env', given.dotenv), approved: given.approved === true };
  return { home, env, flags: given.flags ?? {}, workspaceEnv };
}

const load = (given: Given = {}) => loadConfig(inputOf(given));

async function failure(given: Given): Promise<XzError> {
  const error = await load(given).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof XzError)) throw new Error(`expected an XzError, got ${String(error)}`);
  return error;
}

function refusal(run: () => unknown): XzError {
  try {
    run();
  } catch (error) {
    if (error instanceof XzError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

function logIn(folder = '.kimi'): void {
  mkdirSync(join(userHome, folder, 'credentials'), { recursive: true });
  writeFileSync(join(userHome, folder, 'credentials', 'kimi-code.json'), '{}');
}

describe('merging', () => {
  test('without a file every setting has its default', async () => {
    const config = await load();
    expect(config.context).toEqual({ maxTokens: undefined, preloadIdentity: true, preloadMemory: true, preloadTokens: 10_000 });
    expect(config.team).toMatchObject({ enabled: false, max: 3, worktrees: false, maxRounds: 50, maxMinutes: 60 });
    expect(config.permissions).toEqual({ mode: 'ask', allow: [], deny: [] });
    expect(config.origin('team.max')).toEqual({ kind: 'default', name: '' });
    expect(existsSync(config.path)).toBe(false);
  });

  test('a flag beats the environment, which beats the .env, which beats the file', async () => {
    const toml = '[model]\nmodel = "file"\n';
    const all = { toml, dotenv: 'XZ_MODEL=dot', env: { XZ_MODEL: 'env' }, flags: { model: 'flag' } };
    expect((await load(all)).model.model).toBe('flag');
    expect((await load({ ...all, flags: {} })).origin('model.model')).toEqual({ kind: 'env', name: 'XZ_MODEL' });
    expect((await load({ toml, dotenv: 'XZ_MODEL=dot' })).model.model).toBe('dot');
    const file = await load({ toml });
    expect(file.model.model).toBe('file');
    expect(file.origin('model.model')).toEqual({ kind: 'file', name: file.path, line: 2 });
  });

  test('an empty variable counts as unset', async () => {
    expect((await load({ env: { XZ_MODEL: '', XZ_TEAM_MAX: ' ' } })).model.model).toBeUndefined();
  });

  test('a .env never moves an address, a key, the provider, the mode or the team without approval', async () => {
    const dotenv = [
      'XZ_PROVIDER=custom',
      'XZ_BASE_URL=http://127.0.0.1:9',
      'XZ_API_KEY=stolen',
      'XZ_MODE=yolo',
      'XZ_TEAM_ENABLED=1',
      'XZ_TEAM_BASE_URL=http://127.0.0.1:9',
      'ANTHROPIC_BASE_URL=http://127.0.0.1:9',
      'OPENAI_API_KEY=stolen',
      'TAVILY_API_KEY=stolen',
      'XZ_TEAM_MAX=2',
    ].join('\n');
    const config = await load({ dotenv });
    expect(config.model).toEqual({ provider: undefined, model: undefined, baseUrl: undefined });
    expect(config.auth.apiKey).toBeUndefined();
    expect(config.permissions.mode).toBe('ask');
    expect(config.team).toMatchObject({ enabled: false, max: 2, baseUrl: undefined });
    expect(config.variables).toEqual({});
    expect(config.web.tavilyApiKey).toBeUndefined();
    expect(config.ignored).toContain('XZ_BASE_URL');
    const approved = await load({ dotenv, approved: true });
    expect(approved.model.baseUrl).toBe('http://127.0.0.1:9');
    expect(approved.variables.OPENAI_API_KEY).toBe('stolen');
    expect(approved.ignored).toEqual([]);
  });

  test('unknown keys, dates, huge integers, CRLF and a byte order mark are harmless', async () => {
    const toml = '\uFEFF# mine\r\n[future]\r\nx = 9007199254740993\r\nwhen = 1979-05-27T07:32:00Z\r\n[team]\r\nmax = 2\r\nbosses = 9\r\n';
    const config = await load({ toml });
    expect(config.team.max).toBe(2);
    expect(config.origin('team.max').line).toBe(6);
    expect(readFileSync(config.path, 'utf8')).toBe(toml);
  });

  test('settings of one model are read', async () => {
    const toml = [
      '[models."k2.6"]',
      'context_window = 1000',
      'temperature = 0.5',
      'price = { input = 1, output = 4.5 }',
      'compat = { supportsDeveloperRole = false }',
    ].join('\n');
    expect((await load({ toml })).models['k2.6']).toEqual({
      contextWindow: 1000,
      temperature: 0.5,
      price: { input: 1, output: 4.5, cacheRead: 1, cacheWrite: 1 },
      compat: { supportsDeveloperRole: false },
    });
  });
});

describe('a value that does not fit is named with file, line and key, and the file is untouched', () => {
  const cases: ReadonlyArray<readonly [toml: string, line: number, key: string]> = [
    ['[model]\nmodel = "k2\n', 2, 'model.model'],
    ['[team]\nmax = 1\nmax = 2\n', 3, 'team.max'],
    ['# c\n[context]\nmax_tokens = "big"\n', 3, 'context.max_tokens'],
    ['[memory]\n\nsemantic_weight = -1\n', 3, 'memory.semantic_weight'],
    ['[scheduler]\ncheck_interval_ms = 0\n', 2, 'scheduler.check_interval_ms'],
    ['[team]\nmax = 4\n', 2, 'team.max'],
    ['team = { max = 9 }\n', 1, 'team.max'],
    ['team.max = 2.5\n', 1, 'team.max'],
    ['\n[memory.embedding]\ndimensions = 0\n', 3, 'memory.embedding.dimensions'],
    ['model = "k2"\n', 1, 'model'],
    ['[permissions]\nallow = "bash"\n', 2, 'permissions.allow'],
    ['[auth]\ntype = "password"\n', 2, 'auth.type'],
    ['[auth]\noauth_credentials_path = "~bob/x"\n', 2, 'auth.oauth_credentials_path'],
    ['[auth]\noauth_credentials_path = "$HOME/x"\n', 2, 'auth.oauth_credentials_path'],
    ['[auth]\noauth_credentials_path = "~"\n', 2, 'auth.oauth_credentials_path'],
    ['[model]\nbase_url = "api.kimi.com"\n', 2, 'model.base_url'],
    ['note = """\n[team]\nmax = 1\n"""\n[team]\nmax = 9\n', 6, 'team.max'],
    ['[models."a.b"]\ntemperature = "hot"\n', 2, 'models.a.b.temperature'],
    ['[models]\nx = 3\n', 2, 'models.x'],
  ];
  test.each(cases)('%j', async (toml, line, key) => {
    const error = await failure({ toml });
    expect(error.code).toBe('bad_config');
    expect(error.message).toContain(`config.toml:${line}: ${key} `);
    expect(error.data).toMatchObject({ line, key });
    expect(readFileSync(join(userHome, '.xz', 'config.toml'), 'utf8')).toBe(toml);
  });

  test('an empty file is fine, a folder in its place is named', async () => {
    expect((await load({ toml: '' })).team.max).toBe(3);
    rmSync(join(userHome, '.xz', 'config.toml'));
    mkdirSync(join(userHome, '.xz', 'config.toml'));
    expect((await failure({})).message).toMatch(/config\.toml: it is a folder/);
  });

  test('all bad values are named at once, and a variable by its name', async () => {
    const error = await failure({ toml: '[team]\nmax = 9\nworktrees = 1\n', env: { XZ_MODE: 'wild' } });
    expect(error.message).toMatch(/:2: team\.max .*:3: team\.worktrees /);
    expect(error.message).toContain('XZ_MODE: permissions.mode must be "plan", "ask", "auto-edit" or "yolo"');
  });

  test('a bad secret is never repeated', async () => {
    expect((await failure({ env: { XZ_API_KEY: 'two words' } })).message).not.toContain('two words');
  });

  test('a listing still gets everything else', async () => {
    const { config, problems } = await inspectConfig(inputOf({ toml: '[team]\nmax = 9\nworktrees = true\n' }));
    expect(problems).toHaveLength(1);
    expect(config.team).toMatchObject({ max: 3, worktrees: true });
  });
});

describe('which model answers', () => {
  let loaded: Config;
  beforeEach(async () => {
    loaded = await load();
  });

  test('with nothing there, the error names all three ways out', async () => {
    const error = refusal(() => resolveModel(loaded, 'main'));
    expect(error.code).toBe('not_configured');
    for (const word of ['xz config setup', 'XZ_API_KEY', 'npm run demo']) expect(error.hint).toContain(word);
    expect(error.hint).not.toContain('\n');
  });

  test('kimi with a key, and its facts', async () => {
    const model = resolveModel(await load({ env: { XZ_API_KEY: 'k' } }), 'main');
    expect(model).toMatchObject({
      provider: 'kimi',
      model: 'kimi-for-coding',
      baseUrl: 'https://api.kimi.com/coding/v1',
      api: 'openai-completions',
      contextWindow: 262_144,
      maxOutput: 65_536,
      reasoning: true,
      images: true,
      price: 'subscription',
      auth: { kind: 'key', key: 'k', from: 'XZ_API_KEY' },
    });
    expect(model.temperature).toBeUndefined();
  });

  test('a login is found in either folder, and gives way to an explicit key', async () => {
    logIn('.kimi-code');
    expect(resolveModel(await load(), 'main').auth.kind).toBe('kimi-login');
    expect(resolveModel(await load({ env: { XZ_API_KEY: 'k' } }), 'main').auth.kind).toBe('key');
    expect(resolveModel(await load({ env: { XZ_API_KEY: 'k' }, flags: { useOauth: true } }), 'main').auth.kind).toBe('kimi-login');
  });

  test("a provider's own variable is its key and nobody else's", async () => {
    const env = { OPENAI_API_KEY: 'o', ANTHROPIC_API_KEY: 'a', DEEPSEEK_API_KEY: 'd' };
    const authOf = async (provider: string, more: ConfigFlags = {}) =>
      resolveModel(await load({ env, flags: { provider, model: 'm', ...more } }), 'main').auth;
    expect(await authOf('openai')).toMatchObject({ key: 'o' });
    expect(await authOf('anthropic')).toMatchObject({ key: 'a' });
    expect(await authOf('deepseek')).toMatchObject({ key: 'd' });
    expect(await authOf('custom', { baseUrl: 'http://127.0.0.1:9' })).toEqual({ kind: 'none' });
    const config = await load({ env });
    expect(refusal(() => resolveModel(config, 'main')).code).toBe('not_configured');
  });

  test('what the file says of one provider is not used for another', async () => {
    const toml = '[model]\nprovider = "custom"\nmodel = "m"\nbase_url = "http://10.0.0.1/v1"\n[auth]\ntype = "api_key"\napi_key = "mine"\n';
    expect(resolveModel(await load({ toml }), 'main')).toMatchObject({ baseUrl: 'http://10.0.0.1/v1', auth: { key: 'mine' } });
    const other = await load({ toml, flags: { provider: 'openai' } });
    expect(refusal(() => resolveModel(other, 'main')).code).toBe('not_configured');
    const keyed = resolveModel(await load({ toml, flags: { provider: 'openai' }, env: { OPENAI_API_KEY: 'o' } }), 'main');
    expect(keyed).toMatchObject({ baseUrl: 'https://api.openai.com/v1', auth: { key: 'o' } });
    expect(keyed.model).not.toBe('m');
  });

  test("an address given by the person counts as that provider's", async () => {
    const config = await load({ env: { XZ_BASE_URL: 'http://127.0.0.1:9/v1/', XZ_API_KEY: 'k' } });
    expect(resolveModel(config, 'main')).toMatchObject({ provider: 'kimi', baseUrl: 'http://127.0.0.1:9/v1' });
  });

  test("Claude Code's variables alone are enough", async () => {
    const env = {
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/',
      ANTHROPIC_AUTH_TOKEN: 't',
      ANTHROPIC_MODEL: 'big',
      ANTHROPIC_SMALL_FAST_MODEL: 'small',
    };
    const config = await load({ env });
    expect(resolveModel(config, 'main')).toMatchObject({
      provider: 'anthropic',
      model: 'big',
      baseUrl: 'http://127.0.0.1:9',
      api: 'anthropic-messages',
      auth: { kind: 'bearer', token: 't' },
    });
    expect(resolveModel(config, 'memory').model).toBe('small');
    expect(resolveModel(config, 'small').model).toBe('small');
    expect(resolveModel(await load({ env: { ...env, XZ_API_KEY: 'k' } }), 'main').provider).toBe('kimi');
  });

  test("a model named besides leaves Claude Code's address and token in force, and listings name them", async () => {
    const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9/', ANTHROPIC_AUTH_TOKEN: 't' };
    for (const more of [{ flags: { model: 'x' }, env }, { env: { ...env, XZ_MODEL: 'x' } }, { toml: '[model]\nmodel = "x"\n', env }]) {
      const config = await load(more);
      expect(resolveModel(config, 'main')).toMatchObject({ provider: 'anthropic', model: 'x', baseUrl: 'http://127.0.0.1:9' });
      expect(fromClaudeCode(config, 'model.provider')).toMatchObject({ value: 'anthropic' });
      expect(fromClaudeCode(config, 'model.base_url')?.name).toBe('ANTHROPIC_BASE_URL');
      expect(fromClaudeCode(config, 'model.model')).toBeUndefined();
    }
    const named = await load({ env, flags: { provider: 'kimi', model: 'x' } });
    expect(refusal(() => resolveModel(named, 'main')).code).toBe('not_configured');
    expect(fromClaudeCode(named, 'model.base_url')).toBeUndefined();
  });

  test('the team and the memory model stand beside the main one', async () => {
    const toml = '[team]\nmodel = "fast"\n[memory]\nllm = "tiny"\n';
    const config = await load({ toml, env: { XZ_API_KEY: 'k' } });
    expect(resolveModel(config, 'team')).toMatchObject({ model: 'fast', provider: 'kimi', auth: { key: 'k' } });
    expect(resolveModel(config, 'memory').model).toBe('tiny');
  });

  test('another host without a key of its own is refused, naming the setting', async () => {
    const env = { XZ_API_KEY: 'k', XZ_TEAM_BASE_URL: 'http://127.0.0.1:9' };
    const bad = await load({ env });
    const error = refusal(() => resolveModel(bad, 'team'));
    expect(error.code).toBe('bad_config');
    expect(error.message).toContain('team.api_key');
    expect(error.message).toContain('XZ_TEAM_BASE_URL');
    const good = resolveModel(await load({ env: { ...env, XZ_TEAM_API_KEY: 't' } }), 'team');
    expect(good).toMatchObject({ provider: 'custom', baseUrl: 'http://127.0.0.1:9', auth: { key: 't' } });
    const memory = await load({ toml: '[memory]\nbase_url = "http://127.0.0.1:9"\n', env: { XZ_API_KEY: 'k' } });
    expect(refusal(() => resolveModel(memory, 'memory')).message).toMatch(/config\.toml:2: memory\.base_url .*memory\.api_key/);
  });

  test('an embedding endpoint needs a key of its own when it is elsewhere', async () => {
    expect(resolveEmbedding(loaded)).toBeUndefined();
    const toml = '[memory.embedding]\nmodel = "e"\nbase_url = "http://127.0.0.1:9/v1"\n';
    const bad = await load({ toml, env: { XZ_API_KEY: 'k' } });
    expect(refusal(() => resolveEmbedding(bad)).message).toContain('memory.embedding.api_key');
    const good = await load({ toml: `${toml}api_key = "e"\n` });
    expect(resolveEmbedding(good)).toMatchObject({ baseUrl: 'http://127.0.0.1:9/v1', auth: { key: 'e' } });
  });
});
