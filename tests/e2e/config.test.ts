import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';

const configOf = (ws: Workspace) => join(ws.home, '.xz', 'config.toml');

function withConfig(text: string): Workspace {
  const ws = tempWorkspace();
  mkdirSync(dirname(configOf(ws)), { recursive: true, mode: 0o700 });
  writeFileSync(configOf(ws), text, { mode: 0o600 });
  return ws;
}

describe('a bad config.toml', () => {
  test.each([
    ['[model]\nmodel = "k2\n', ':2: model.model '],
    ['[team]\nmax = 1\nmax = 2\n', ':3: team.max '],
    ['[context]\nmax_tokens = "big"\n', ':2: context.max_tokens '],
    ['[memory]\nsemantic_weight = -1\n', ':2: memory.semantic_weight '],
    ['[scheduler]\ncheck_interval_ms = 0\n', ':2: scheduler.check_interval_ms '],
  ])('%j: exit 2 with line and key, the file untouched, `xz config` still usable', async (text, named) => {
    const ws = withConfig(text);
    const verify = await runXz(ws, ['config', 'verify']);
    expect(verify.code).toBe(2);
    expect(verify.err).toContain(`config.toml${named}`);
    const show = await runXz(ws, ['config']);
    expect(show.code).toBe(0);
    expect(show.out).toContain('team.enabled');
    expect(show.err).toContain(named);
    const change = await runXz(ws, ['config', 'model', 'k2']);
    expect(change.code).toBe(2);
    expect(change.err).toContain(named);
    expect(readFileSync(configOf(ws), 'utf8')).toBe(text);
  });

  test('is mended one value at a time by `config set`, which tells what is left', async () => {
    const ws = withConfig('[context]\nmax_tokens = "big"\n[team]\nmax = 99\n');
    const first = await runXz(ws, ['config', 'set', 'context.max_tokens', '100000']);
    expect(first.code).toBe(0);
    expect(first.err).toContain(':4: team.max ');
    expect(await runXz(ws, ['config', 'set', 'team.max', '2'])).toMatchObject({ code: 0, err: '' });
    expect(readFileSync(configOf(ws), 'utf8')).toBe('[context]\nmax_tokens = 100000\n[team]\nmax = 2\n');
  });

  test('that is a folder is named too', async () => {
    const ws = tempWorkspace();
    mkdirSync(configOf(ws), { recursive: true });
    const { code, err } = await runXz(ws, ['config', 'verify']);
    expect(code).toBe(2);
    expect(err).toContain('it is a folder');
    const show = await runXz(ws, ['config']);
    expect(show.code).toBe(0);
    expect(show.err).toContain(`${configOf(ws)}: it is a folder`);
    const change = await runXz(ws, ['config', 'model', 'k2']);
    expect(change.code).toBe(2);
    expect(change.err).toContain(`${configOf(ws)}: it is a folder, not a file: move it away`);
  });
});

describe('xz config', () => {
  test('shows origins and masks every secret', async () => {
    const ws = withConfig('[auth]\napi_key = "sk-file-0123456789abcdef"\n[team]\nmax = 2\n');
    const env = { XZ_TEAM_MODEL: 'fast', TAVILY_API_KEY: 'tvly-0123456789abcdef' };
    for (const args of [['config'], ['config', '--json']]) {
      const { code, out } = await runXz(ws, [...args, '--model', 'k3'], { env });
      expect(code).toBe(0);
      expect(out).not.toContain('0123456789');
      expect(out).toContain('••••cdef');
    }
    const { out } = await runXz(ws, ['config'], { env });
    expect(out).toMatch(/team\.max +2 +config\.toml:4/);
    expect(out).toMatch(/team\.model +fast +XZ_TEAM_MODEL/);
    expect(out).toMatch(/team\.worktrees +false +default/);
  });

  test('set makes a private file, provider takes along what belonged to the other', async () => {
    const ws = tempWorkspace();
    expect((await runXz(ws, ['config', 'set', 'auth.api_key', 'sk-secret-secret-1234'])).out).not.toContain('secret');
    expect(statSync(configOf(ws)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(configOf(ws))).mode & 0o777).toBe(0o700);
    const provider = await runXz(ws, ['config', 'provider', 'openai']);
    expect(provider.code).toBe(0);
    expect(provider.out).toContain('auth.api_key removed');
    expect(readFileSync(configOf(ws), 'utf8')).not.toContain('secret');
    chmodSync(configOf(ws), 0o644);
    expect((await runXz(ws, ['config'])).err).toContain('chmod 600');
    expect(existsSync(join(ws.dir, '~'))).toBe(false);
  });

  test('refuses a provider it does not know, which would take the model along', async () => {
    const ws = withConfig('[model]\nprovider = "openai"\nmodel = "gpt-5.1"\n');
    const before = readFileSync(configOf(ws), 'utf8');
    for (const args of [
      ['provider', 'opneai'],
      ['set', 'model.provider', 'opneai'],
    ]) {
      const run = await runXz(ws, ['config', ...args]);
      expect(run).toMatchObject({ code: 2, out: '', err: expect.stringMatching(/opneai.*\nhint: .*openai, anthropic, custom/) });
    }
    expect(readFileSync(configOf(ws), 'utf8')).toBe(before);
  });

  test('names what is no setting, and keeps it', async () => {
    const text =
      '[permisions]\nallow = ["bash(*)"]\n[team]\nmax = 2\nsise = 3\n[models."k2.6"]\nreasoning = true\nwindow = 9\n[auth.headers]\nX-Own = "a"\n';
    const ws = withConfig(text);
    const told = ['config.toml:1: permisions is', 'config.toml:5: team.sise is', 'config.toml:8: models."k2.6".window is'];
    const server = await startModelServer();
    const env = modelEnv(server);
    for (const args of [['config'], ['config', 'verify'], ['doctor']]) {
      const run = await runXz(ws, args, { env });
      for (const words of told) expect(run.out + run.err).toContain(words);
      expect(run.out + run.err).not.toMatch(/(X-Own|reasoning|team\.max) is no setting/);
    }
    expect(JSON.parse((await runXz(ws, ['config', '--json'], { env })).out).warnings).toHaveLength(told.length);
    expect((await runXz(ws, ['once', 'hi'], { env })).err).toBe('');
    expect(await runXz(ws, ['config', 'set', 'team.max', '1'])).toMatchObject({ code: 0 });
    expect(readFileSync(configOf(ws), 'utf8')).toBe(text.replace('max = 2', 'max = 1'));
  });

  test('speaks the language of the file, which gives way to XZ_LANG', async () => {
    const ws = withConfig('[ui]\nlanguage = "zh"\n');
    expect((await runXz(ws, ['config'])).out).toContain('默认');
    expect((await runXz(ws, ['config'], { env: { XZ_LANG: 'en' } })).out).toContain('default');
  });

  test('refuses what it does not know with exit 2', async () => {
    const ws = tempWorkspace();
    for (const args of [['set', 'team.max', '9'], ['set', 'nonsense', '1'], ['set', 'team.max'], ['set'], ['setup'], ['bogus']]) {
      const { code, err } = await runXz(ws, ['config', ...args]);
      expect([args, code]).toEqual([args, 2]);
      expect(err).not.toBe('');
    }
    expect(existsSync(configOf(ws))).toBe(false);
  });

  test('without a key or a terminal it names all ways out', async () => {
    const { code, err } = await runXz(tempWorkspace(), ['config', 'verify']);
    expect(code).toBe(2);
    for (const way of ['xz config setup', 'XZ_API_KEY', 'npm run demo']) expect(err).toContain(way);
  });
});

describe('a workspace that cannot be one', () => {
  test('a file is refused as wrong use', async () => {
    const ws = tempWorkspace({ files: { 'a.txt': 'a' } });
    const { code, err } = await runXz(ws, ['--workspace', 'a.txt', 'config']);
    expect(code).toBe(2);
    expect(err).toContain(`${ws.path('a.txt')} is not a folder`);
  });

  test.skipIf(!existsSync('/proc/self'))('a folder that takes no folder in is told at once', async () => {
    const { code, err } = await runXz(tempWorkspace(), ['--workspace', '/proc', 'task', 'create', 'hi'], { timeoutMs: 20_000 });
    expect(code).toBe(1);
    expect(err).toContain('/proc');
  });
});

describe('a HOME that cannot be used', () => {
  test.each([
    ['empty', '', 'HOME is not set'],
    ['relative', 'some/where', 'not an absolute path'],
    ['a tilde', '~', 'not an absolute path'],
  ])('%s: exit 2, says so, makes no folder', async (_what, home, says) => {
    const ws = tempWorkspace();
    const { code, err } = await runXz(ws, ['config', 'set', 'team.max', '2'], { env: { HOME: home, XZ_HOME: undefined } });
    expect(code).toBe(2);
    expect(err).toContain(says);
    expect(ws.git('status', '--porcelain')).toBe('');
  });
});

describe('xz config verify', () => {
  test('makes one real request and says what it found', async () => {
    const server = await startModelServer(() => ({ calls: [{ name: 'ready', args: { word: 'ok' } }] }));
    const ws = withConfig(`[memory.embedding]\nmodel = "e"\nbase_url = "${server.url}"\ndimensions = 64\n`);
    const { code, out, err } = await runXz(ws, ['config', 'verify'], { env: modelEnv(server) });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/first token after \d+ ms/);
    expect(out).toContain('it calls tools');
    expect(out).toContain('64 dimensions');
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers.authorization).toBe('Bearer test-key');
    expect(server.embeddingRequests).toHaveLength(1);
  });

  test('a model that calls no tool is told, a refused key is exit 1', async () => {
    const plain = await startModelServer(() => ({ text: 'hello' }));
    const ws = tempWorkspace();
    const talks = await runXz(ws, ['config', 'verify', '--json'], { env: modelEnv(plain) });
    expect(talks.code).toBe(0);
    expect(JSON.parse(talks.out)).toMatchObject({
      ok: true,
      completion: { ok: true, calledTool: false },
      embedding: { ok: true, model: null },
    });
    const refusing = await startModelServer(() => ({ status: 401 }));
    const refused = await runXz(ws, ['config', 'verify'], { env: modelEnv(refusing) });
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('401');
    expect(refused.err).not.toContain('test-key');
  });
});

describe('trust', () => {
  const dotenv = 'XZ_BASE_URL=http://127.0.0.1:1\nXZ_API_KEY=theirs\nXZ_TEAM_MAX=1\n';

  test("a project's .env counts only in a trusted folder, its keys and addresses only when approved", async () => {
    const ws = tempWorkspace({ files: { '.env': dotenv } });
    expect((await runXz(ws, ['config'])).out).toMatch(/team\.max +3 +default/);
    const trusted = await runXz(ws, ['config', 'trust']);
    expect(trusted.out).toContain('.env may not set: XZ_API_KEY, XZ_BASE_URL');
    const shown = await runXz(ws, ['config']);
    expect(shown.out).toMatch(/team\.max +1 +XZ_TEAM_MAX in \.env/);
    expect(shown.out).not.toContain('127.0.0.1:1');
    await runXz(ws, ['config', 'trust', ws.dir, '--env']);
    expect((await runXz(ws, ['config'])).out).toContain('http://127.0.0.1:1');
    // The approval was for those lines; another one needs another.
    ws.write('.env', dotenv.replace(':1\n', ':2\n'));
    expect((await runXz(ws, ['config'])).out).not.toContain('127.0.0.1:2');
    expect(statSync(join(ws.home, '.xz', 'trust.json')).mode & 0o777).toBe(0o600);
  });

  test('mode yolo trusts for that run only', async () => {
    const ws = tempWorkspace({ files: { '.env': dotenv } });
    const { out } = await runXz(ws, ['config', '--mode', 'yolo']);
    expect(out).toMatch(/team\.max +1 +XZ_TEAM_MAX in \.env/);
    expect(out).not.toContain('127.0.0.1:1');
    expect((await runXz(ws, ['config'])).out).toMatch(/team\.max +3 +default/);
  });
});

describe('xz auth check', () => {
  test('names the file, the moment, the time left; when over, the command', async () => {
    const ws = tempWorkspace();
    const file = join(ws.home, '.kimi-code', 'credentials', 'kimi-code.json');
    mkdirSync(dirname(file), { recursive: true });
    const expires = Math.floor(Date.now() / 1000) + 7 * 86_400 + 60;
    writeFileSync(file, JSON.stringify({ access_token: 'a', refresh_token: 'r', expires_at: expires }));
    const good = await runXz(ws, ['auth', 'check']);
    expect(good.code).toBe(0);
    expect(good.out).toContain(file);
    expect(good.out).toContain(new Date(expires * 1000).toISOString().slice(0, 19));
    expect(good.out).toContain('7 days');
    writeFileSync(file, JSON.stringify({ access_token: 'a', expires_at: 1_700_000_000 }));
    const over = await runXz(ws, ['auth', 'check', '--lang', 'zh']);
    expect(over.code).toBe(1);
    expect(over.out).toContain('请重新登录：kimi login');
  });

  test('names the variable a key comes from, never the key', async () => {
    const { code, out } = await runXz(tempWorkspace(), ['auth', 'check'], { env: { KIMI_API_KEY: 'sk-0123456789abcdef' } });
    expect(code).toBe(0);
    expect(out).toContain('KIMI_API_KEY');
    expect(out).not.toContain('0123456789');
  });
});
