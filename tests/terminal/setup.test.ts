import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { en } from '../../cli/text/en.ts';
import { zh } from '../../cli/text/zh.ts';
import { type ModelServer, startModelServer } from '../helpers/model-server.ts';
import { MAIN, runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { HAS_TMUX, startTmux, type Tmux } from '../helpers/tmux.ts';

const KEY = 'sk-typed-0123456789';
const configOf = (ws: Workspace) => join(ws.home, '.xz', 'config.toml');

/** Starts xz in a terminal of its own; the window stays when it ends. */
function start(ws: Workspace, args: readonly string[], env: Readonly<Record<string, string>> = {}): Tmux {
  const command = [
    'exec',
    'env',
    '-i',
    ...Object.entries({ ...ws.env, ...env }).map(([name, value]) => `${name}=${value}`),
    process.execPath,
    MAIN,
    ...args,
  ];
  const quoted = command.map((part) => (part === 'exec' ? part : `'${part}'`)).join(' ');
  const terminal = startTmux(`(${quoted}); sleep 600`, { cwd: ws.dir, columns: 110, rows: 40 });
  onTestFinished(() => terminal.close());
  return terminal;
}

/** The stub refuses every other key, so an answer proves which one was sent. */
function stub(): Promise<ModelServer> {
  return startModelServer((body, _n, request) => {
    if (request.headers.authorization !== `Bearer ${KEY}`) return { status: 401 };
    const offered = JSON.stringify(body.tools ?? []);
    return offered.includes('"ready"') ? { calls: [{ name: 'ready', args: { word: 'ok' } }] } : { text: 'first answer 第一个回答' };
  });
}

describe.skipIf(!HAS_TMUX)('the wizard at a real terminal', () => {
  test.each([
    ['en', en.setup],
    ['zh', zh.setup],
  ] as const)('leads to the first answer in %s', async (language, words) => {
    const server = await stub();
    const ws = tempWorkspace();
    const locale = { LANG: language === 'zh' ? 'zh_CN.UTF-8' : 'en_US.UTF-8', LC_ALL: language === 'zh' ? 'zh_CN.UTF-8' : 'en_US.UTF-8' };
    const terminal = start(ws, [], locale);
    await terminal.shows(words.chooseProvider);
    const first = terminal.screen();
    const order = ['kimi', 'openai', 'anthropic', 'custom'] as const;
    const places = order.map((name) => first.indexOf(words.providers[name].label));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
    for (const name of order) expect(first).toContain(words.providers[name].needs);
    terminal.keys('Down', 'Down', 'Down', 'Enter');
    await terminal.shows(words.askAddress);
    terminal.type(server.url);
    terminal.keys('Enter');
    await terminal.shows(words.keyHow);
    terminal.keys('Enter');
    await terminal.shows(words.askKey);
    terminal.type(KEY);
    terminal.keys('Enter');
    await terminal.shows(words.chooseModel);
    await terminal.shows('scripted');
    terminal.keys('Enter');
    await terminal.shows(words.askIdentity('SOUL.md, USER.md, MEMORY.md').slice(0, 20));
    expect(server.requests).toHaveLength(1);
    terminal.keys('Enter');
    await terminal.shows(words.pressEnter);
    expect(terminal.screen()).toContain(configOf(ws));
    expect(terminal.history()).not.toContain(KEY);
    terminal.keys('Enter');
    // The screen of the conversation: it shows the model, takes a request, and draws the answer.
    await terminal.shows('Ctrl+J');
    terminal.type('hello');
    await terminal.shows('> hello');
    terminal.keys('Enter');
    await terminal.shows('第一个回答');
    expect(server.requests.length).toBeGreaterThanOrEqual(2);
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
    await terminal.shows(en.setup.chooseProvider);
    const first = terminal.screen();
    expect(first).toContain(`${en.setup.providers.kimi.label} ✓`);
    expect(first).toContain(`${en.setup.providers.openai.label} ✓`);
    terminal.keys('Down', 'Down', 'Down', 'Enter');
    await terminal.shows(en.setup.askAddress);
    terminal.keys('Enter');
    await terminal.shows(en.setup.keyHow);
    terminal.keys('Down', 'Enter');
    await terminal.shows(en.setup.chooseModel);
    terminal.keys('Enter');
    await terminal.shows(en.setup.testFailed);
    terminal.keys('C-c');
    await terminal.shows(en.setup.cancelled);
    expect(existsSync(configOf(ws))).toBe(false);
  });

  test('config set without arguments asks for key and value', async () => {
    const ws = tempWorkspace();
    const terminal = start(ws, ['config', 'set']);
    await terminal.shows(en.setup.chooseSetting);
    terminal.type('team.max');
    await terminal.shows(/team\.max\b(?!_)/);
    terminal.keys('Enter');
    await terminal.shows(/team\.max: a whole number/);
    terminal.keys('BSpace');
    terminal.type('7');
    terminal.keys('Enter');
    await terminal.shows('from 1 to 3');
    terminal.keys('BSpace');
    terminal.type('2');
    terminal.keys('Enter');
    await terminal.shows('team.max = 2');
    expect(readFileSync(configOf(ws), 'utf8')).toContain('max = 2');
  });
});
