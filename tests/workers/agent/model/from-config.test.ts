import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../store/clock.ts';
import { loadConfig } from '../../../../store/config/config.ts';
import { type ModelRole, resolveModel } from '../../../../store/config/resolve.ts';
import { homeLayout } from '../../../../store/layout.ts';
import { openLocks } from '../../../../store/lock.ts';
import { modelSettings } from '../../../../workers/agent/model/from-config.ts';
import { openModel } from '../../../../workers/agent/model/model.ts';
import { type ServedRequest, startModelServer } from '../../../helpers/model-server.ts';
import { tempFolder } from '../../../helpers/temp.ts';
import { startTokenServer } from '../../../helpers/token-server.ts';

async function ask(env: Record<string, string>, toml = '', role: ModelRole = 'main'): Promise<string> {
  const home = homeLayout(env);
  mkdirSync(home.root, { recursive: true });
  if (toml !== '') writeFileSync(home.config, toml);
  const config = await loadConfig({ home, env, flags: {} });
  const locks = openLocks(home.locks, 'test', systemClock);
  const identity = { version: '1.2.3', home, userHome: env.HOME, homeLocks: () => locks, clock: systemClock };
  const model = openModel(modelSettings(resolveModel(config, role), identity));
  const reply = await model.reply({
    systemPrompt: 's',
    messages: [{ role: 'user', text: 'hi' }],
    tools: [],
    signal: new AbortController().signal,
    session: 's',
  });
  return reply.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

const bearer = (request: ServedRequest) => request.headers.authorization?.replace('Bearer ', '') ?? '';

test('a Kimi login is used with its token, xz under its own name, and renewed once after a 401', async () => {
  const tokens = await startTokenServer(900_000);
  const server = await startModelServer((_body, _n, request) => (tokens.isGood(bearer(request)) ? { text: 'hello' } : { status: 401 }));
  const home = tempFolder();
  const file = join(home, '.kimi', 'credentials', 'kimi-code.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    JSON.stringify({ access_token: 'revoked', refresh_token: tokens.issue().refreshToken, expires_at: Date.now() / 1000 + 900 }),
  );
  const toml = '[auth.headers]\nX-Mine = "yes"\n[models."kimi-for-coding"]\nmax_output = 77\n';
  expect(await ask({ HOME: home, XZ_BASE_URL: server.url, KIMI_CODE_OAUTH_HOST: tokens.host }, toml)).toBe('hello');
  expect(tokens.presented).toHaveLength(1);
  expect(server.requests.map(bearer)).toEqual(['revoked', 'access-2']);
  const [, sent] = server.requests;
  expect(sent?.headers).toMatchObject({ 'user-agent': 'xz/1.2.3', 'x-msh-platform': 'xz', 'x-msh-version': '1.2.3', 'x-mine': 'yes' });
  expect(sent?.body.temperature).toBeUndefined();
  expect(sent?.body.max_tokens ?? sent?.body.max_completion_tokens).toBe(77);
  expect(tokens.headers[0]).toMatchObject({ 'x-msh-platform': 'xz', 'x-mine': 'yes' });
});

test("Claude Code's token goes out as a bearer, to its own address and model", async () => {
  const server = await startModelServer();
  const env = {
    HOME: tempFolder(),
    ANTHROPIC_BASE_URL: server.anthropicUrl,
    ANTHROPIC_AUTH_TOKEN: 'tok',
    ANTHROPIC_MODEL: 'm1',
    ANTHROPIC_SMALL_FAST_MODEL: 'm2',
  };
  await ask(env);
  await ask(env, '', 'memory');
  expect(server.requests.map((request) => [request.path, bearer(request), request.headers['x-api-key'], request.body.model])).toEqual([
    ['/v1/messages', 'tok', undefined, 'm1'],
    ['/v1/messages', 'tok', undefined, 'm2'],
  ]);
});

test("a server without keys gets none, not even another provider's", async () => {
  const server = await startModelServer();
  await ask({ HOME: tempFolder(), XZ_PROVIDER: 'custom', XZ_BASE_URL: server.url, XZ_MODEL: 'local', OPENAI_API_KEY: 'other' });
  expect(server.requests[0]?.headers.authorization).toBeUndefined();
});
