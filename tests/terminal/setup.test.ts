import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { en } from '../../cli/text/en.ts';
import { zh } from '../../cli/text/zh.ts';
import { type ModelServer, startModelServer } from '../helpers/model-server.ts';
import { MAIN, runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { startTerminal, type Terminal } from '../helpers/terminal.ts';

const KEY = 'sk-typed-0123456789';
const configOf = (ws: Workspace) => join(ws.home, '.xz', 'config.toml');

function start(ws: Workspace, args: readonly string[], env: Readonly<Record<string, string>> = {}): Terminal {
  return startTerminal({ command: [process.execPath, MAIN, ...args], cwd: ws.dir, env: { ...ws.env, ...env } });
}

/** The stub refuses every other key, so an answer proves which one was sent. */
function stub(): Promise<ModelServer> {
  return startModelServer((body, _n, request) => {
    if (request.headers.authorization !== `Bearer ${KEY}`) return { status: 401 };
    const offered = JSON.stringify(body.tools ?? []);
    return offered.includes('"ready"') ? { calls: [{ name: 'ready', args: { word: 'ok' } }] } : { text: 'first answer 第一个回答' };
  });
}

describe('the wizard at a real terminal', () => {
  test.each([
    ['en', en.setup],
    ['zh', zh.setup],
  ] as const)('leads to the first answer in %s', async (language, words) => {
    const server = await stub();
    const ws = tempWorkspace();
    const locale = { LANG: language === 'zh' ? 'zh_CN.UTF-8' : 'en_US.UTF-8', LC_ALL: language === 'zh' ? 'zh_CN.UTF-8' : 'en_US.UTF-8' };
    const terminal = start(ws, ['config', 'setup'], locale);
    const first = await terminal.shows(words.chooseProvider);
    const order = ['kimi', 'openai', 'anthropic', 'custom'] as const;
    const places = order.map((name) => first.indexOf(words.providers[name].label));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
    for (const name of order) expect(first).toContain(words.providers[name].needs);
    terminal.press('Down', 'Down', 'Down', 'Enter');
    await terminal.shows(words.askAddress);
    terminal.type(server.url);
    terminal.press('Enter');
    await terminal.shows(words.keyHow);
    terminal.press('Enter');
    await terminal.shows(words.askKey);
    terminal.type(KEY);
    terminal.press('Enter');
    await terminal.shows(words.chooseModel);
    await terminal.shows('scripted');
    terminal.press('Enter');
    await terminal.shows(words.askIdentity('SOUL.md, USER.md, MEMORY.md').slice(0, 20));
    expect(server.requests).toHaveLength(1);
    terminal.press('Enter');
    await terminal.shows(words.pressEnter);
    const saved = await terminal.shows(words.saved);
    expect(saved).toContain(configOf(ws));
    terminal.press('Enter');
    await terminal.shows(words.ready);
    expect(terminal.history()).not.toContain(KEY);

    const toml = readFileSync(configOf(ws), 'utf8');
    expect(toml).toContain(`base_url = "${server.url}"`);
    expect(toml).toContain('completed = true');
    expect(toml).toMatch(/completed_at = "\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d"/);
    expect(statSync(configOf(ws)).mode & 0o777).toBe(0o600);
    for (const name of ['SOUL.md', 'USER.md', 'MEMORY.md']) expect(ws.has(`.agents/${name}`)).toBe(true);

    const again = await runXz(ws, ['config', 'setup']);
    expect([again.code, again.err]).toEqual([0, '']);
    const once = await runXz(ws, ['once', 'hello'], { env: locale });
    expect(once.err).toBe('');
    expect(once.out).toContain('first answer 第一个回答');
  });

  test('marks what was found, shows a failed request, and saves nothing when the person leaves', async () => {
    const server = await startModelServer(() => ({ status: 401 }));
    const ws = tempWorkspace();
    const login = join(ws.home, '.kimi', 'credentials', 'kimi-code.json');
    mkdirSync(dirname(login), { recursive: true });
    writeFileSync(login, JSON.stringify({ access_token: 'a', refresh_token: 'r', expires_at: Date.now() / 1000 + 9000 }));
    const terminal = start(ws, ['config', 'setup', '--reset'], { OPENAI_API_KEY: 'sk-env-0123456789', XZ_BASE_URL: server.url });
    const first = await terminal.shows(en.setup.chooseProvider);
    expect(first).toContain(`${en.setup.providers.kimi.label} ✓`);
    expect(first).toContain(`${en.setup.providers.openai.label} ✓`);
    terminal.press('Down', 'Down', 'Down', 'Enter');
    await terminal.shows(en.setup.askAddress);
    terminal.press('Enter');
    await terminal.shows(en.setup.keyHow);
    terminal.press('Down', 'Enter');
    await terminal.shows(en.setup.chooseModel);
    terminal.press('Enter');
    await terminal.shows(en.setup.testFailed);
    terminal.press('C-c');
    await terminal.shows(en.setup.cancelled);
    expect(existsSync(configOf(ws))).toBe(false);
  });

  test('config set without arguments asks for key and value', async () => {
    const ws = tempWorkspace();
    const terminal = start(ws, ['config', 'set']);
    await terminal.shows(en.setup.chooseSetting);
    terminal.type('team.max');
    await terminal.shows(/team\.max\b(?!_)/);
    terminal.press('Enter');
    await terminal.shows(/team\.max: a whole number/);
    terminal.press('BSpace');
    terminal.type('7');
    terminal.press('Enter');
    await terminal.shows('from 1 to 3');
    terminal.press('BSpace');
    terminal.type('2');
    terminal.press('Enter');
    await terminal.shows('team.max = 2');
    expect(readFileSync(configOf(ws), 'utf8')).toContain('max = 2');
  });
});
