// What goes wrong, said in Chinese with the values it is about: the errors a person meets most, from real commands.
import { chmodSync, rmSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sayError } from '../../cli/text/zh/errors.ts';
import { errorFacts, XzError } from '../../store/errors.ts';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

const ZH = { XZ_LANG: 'zh' };

test('of commands', async () => {
  const ws = tempWorkspace({
    files: { 'README.md': '', '.MEMORY/work.md': '## 部署\n\n- a\n\n## 部署\n\n- b\n', '.agents/SOUL.md': '' },
  });
  for (const title of ['one', 'two']) await runXz(ws, ['task', 'create', title, ...(title === 'two' ? ['--blocked-by', 'one'] : [])]);
  const said: ReadonlyArray<readonly [args: string[], code: number, line: string, hint: string]> = [
    [['once', 'hello'], 2, 'xz: 没有可用的模型：服务商 "kimi" 没有密钥', '`xz config setup`'],
    [['task', 'show', 'nope'], 1, 'xz: 没有任务 "nope"', '`xz task list --all`'],
    [['task', 'update', 'one', '--blocked-by', 'two'], 1, 'xz: 任务 "one" 会等待它自己：one -> two -> one', '去掉其中一条依赖'],
    [['task', 'update', 'two', 'in_progress'], 1, 'xz: 任务 "two" 还不能开始：等待 one', '先完成它们'],
    [['memory', 'show', 'nope'], 1, 'xz: 没有记忆主题 "nope"', '`xz memory show`'],
    [['memory', 'forget', '部'], 1, 'xz: "部" 不唯一：work/部署 (line 1), work/部署#2 (line 5)', '完整的名字'],
    [['memory', 'undo'], 1, 'xz: 没有可以撤销的操作', '删改'],
    [['memory', 'resolve', 'nope', '--keep', 'new'], 1, 'xz: 没有矛盾 "nope"', '`xz memory resolve`'],
    [['history', 'session', 'nope'], 1, 'xz: 没有会话 "nope"', '`xz history list`'],
    [['schedule', 'remove', 'nope'], 1, 'xz: 没有定时任务 "nope"', '`xz schedule list`'],
    [['mail', 'send', 'nobody', 'hi'], 1, 'xz: 没有智能体 "nobody"', '已知：Lead'],
  ];
  for (const [args, code, line, hint] of said) {
    const run = await runXz(ws, args, { env: ZH });
    const [first = '', second = ''] = run.err.split('\n');
    expect([args.join(' '), run.code, first]).toEqual([args.join(' '), code, line]);
    expect(second).toMatch(/^提示: /);
    expect(second).toContain(hint);
  }
  const settings: ReadonlyArray<readonly [args: string[], line: string]> = [
    [['config', 'set', 'model.base_url', 'nope'], 'xz: model.base_url 必须是以 http:// 或 https:// 开头的地址'],
    [['config', 'set', 'context.max_tokens', 'many'], 'xz: context.max_tokens 必须是不小于 '],
    [['config', 'set', 'team.max', '9'], 'xz: team.max 必须是 1 到 3 之间的整数'],
    [['config', 'set', 'permissions.mode', 'x'], 'xz: permissions.mode 必须是 "plan"、"ask"、"auto-edit" 或 "yolo"'],
    [['config', 'set', 'max_tokens', '1'], 'xz: 没有设置项 "max_tokens"\n提示: 是不是想写 context.max_tokens？'],
    [['config', 'trust', '/nope'], 'xz: /nope 不是文件夹'],
    [['task', 'list', '--workspace', '/nope'], 'xz: 工作区 /nope 不存在\n提示: 先建这个文件夹'],
  ];
  for (const [args, line] of settings) {
    const run = await runXz(ws, args, { env: ZH });
    expect([args.join(' '), run.code]).toEqual([args.join(' '), 2]);
    expect(run.err.startsWith(line), run.err).toBe(true);
  }
  ws.write('../home/.xz/config.toml', '[team]\nmax = 7\n');
  expect((await runXz(ws, ['config', 'model', 'x'], { env: ZH })).err).toMatch(
    /^xz: 设置有误：.*config\.toml:2: team\.max 必须是 1 到 3 之间的整数\n提示: 没有改动任何内容/,
  );
});

test('of a model, with what the server said', async () => {
  const ws = tempWorkspace();
  const server = await startModelServer(() => ({ status: 401 }));
  const refused = await runXz(ws, ['once', 'hello'], { env: { ...modelEnv(server), ...ZH } });
  expect(refused.err).toMatch(/^xz: http:\/\/127\.0\.0\.1:\d+\/v1：密钥被拒绝 — 401 scripted 401\n提示: 用 `xz auth check`/m);
  const repl = await runXz(ws, ['--repl'], { env: { ...modelEnv(server), ...ZH }, input: 'hello\n/resume nope\n' });
  expect(repl.out).toMatch(/^! http.*：密钥被拒绝 — 401/m);
  expect(repl.out).toContain('! 没有会话 "nope"');
  expect((await runXz(ws, ['config', 'verify'], { env: { ...modelEnv(server), ...ZH } })).err).toContain('：密钥被拒绝 — 401 scripted 401');
  await server.stop();
  const gone = await runXz(ws, ['doctor'], { env: { ...modelEnv(server), ...ZH } });
  expect(gone.out).toMatch(/✗ model +http:\/\/127\.0\.0\.1:\d+\/v1\/models：无法连接 — cannot be reached/);
});

test('of a request that is made again', async () => {
  const ws = tempWorkspace();
  let failed = 0;
  const server = await startModelServer(() => (failed++ === 0 ? { status: 503 } : { text: 'ok' }));
  const run = await runXz(ws, ['once', 'hello'], { env: { ...modelEnv(server), ...ZH } });
  expect(run).toMatchObject({
    code: 0,
    out: 'ok\n',
    err: expect.stringMatching(/^xz: http.*：服务器出错 — 503.*；[\d.]+ 秒后重试（第 1 次）\n$/),
  });
  failed = 0;
  const english = await runXz(ws, ['once', 'hello'], { env: modelEnv(server) });
  expect(english.err).toMatch(/^xz: http.*503.*; trying again in [\d.]+ s \(retry 1\)\n$/);
});

test('of memory, beside what it tells', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '', '.MEMORY': 'no folder' } });
  const facts = JSON.stringify({ facts: [{ category: 'work', topic: '部署', fact: '从 main 部署。', quote: '从 main 部署' }] });
  const server = await startModelServer(({ tools }) => ({ text: tools === undefined ? facts : 'ok' }));
  const env = { ...modelEnv(server), ...ZH, XZ_MEMORY_ENABLED: 'true' };
  const once = () => runXz(ws, ['once', '我们总是从 main 部署，周二。'], { env });
  expect((await once()).err).toBe(`xz: 记忆：本轮没有再记下更多：${ws.path('.MEMORY')} 不是文件夹，而 xz 需要这里是文件夹\n`);
  rmSync(ws.path('.MEMORY'));
  expect((await once()).err).toBe('xz: 记忆：已记入 work/部署\n');
});

test('in English without words for it, the class stands first; what is Chinese already stays', () => {
  const say = (error: unknown) => sayError(errorFacts(error));
  expect(say(new XzError('refused', 'no such thing is done', { hint: 'do another' }))).toEqual({
    text: '被拒绝：no such thing is done',
    hint: 'do another',
  });
  expect(say(new XzError('bad_input', '没有提示'))).toMatchObject({ text: '没有提示' });
  expect(say(new Error('boom'))).toMatchObject({ text: 'boom' });
  const held = new XzError('lock_busy', 'x', { data: { lock: 'memory', holder: 'xz once (pid 7)' } });
  expect(say(held).text).toBe('"memory" 一直被 xz once (pid 7) 占用');
});

test('of wrong use', async () => {
  const ws = tempWorkspace();
  const said: ReadonlyArray<readonly [args: string[], line: string]> = [
    [['task', 'list', '--limit', 'x'], '--limit "x" 不是不小于 0 的整数'],
    [['history', 'search', 'x', '--date-from', '2026-02-30'], '--date-from "2026-02-30" 不是日期'],
    [['history', 'search', 'x', '--date-from', '2026-02-02', '--date-to', '2026-01-01'], '--date-to 在 --date-from 之前'],
    [['schedule', 'add', 'x'], '没有说明时间'],
    [['schedule', 'add', 'x', '09:00', '--cron', '* * * * *'], '"09:00" 和 --cron 都说明了时间'],
    [['schedule', 'add', 'x', '09:00', '--timeout', '1.5'], '--timeout "1.5" 不是正整数（秒）'],
    [['schedule', 'next', '09:00', '--count', '1001'], '--count 1001 超过了 1000'],
    [['memory', 'get', '../x'], '"../x" 不是记忆文件的名字'],
    [['memory', 'get', 'MEMORY.md', '-s', '3', '-e', '2'], '--end-line 2 在 --start-line 3 之前'],
    [['mail', 'list', 'nobody'], '没有智能体 "nobody"'],
    [['mail', 'send', 'Lead', ' '], '没有要发送的内容'],
    [['config', 'set', 'ui.theme'], 'config set 需要键和值'],
    [['config', 'setup'], '向导需要终端'],
  ];
  for (const [args, line] of said) {
    const { err } = await runXz(ws, args, { env: ZH });
    expect([args.join(' '), err.split('\n')[0]]).toEqual([args.join(' '), `xz: ${line}`]);
    expect(err.split('\n')[1] ?? '').toMatch(/^(提示: .*\p{scx=Han}.*)?$/u);
  }
});

test('of what stores find wrong, and of what is told meanwhile', async () => {
  const files = {
    'README.md': '',
    '.TASK/a.json': '{ "id"',
    '.MEMORY/work.md': '## x\n\n- a\n\n## x\n\n- b\n',
    '.MEMORY/.conflicts.json': '[',
    '.Mailbox/ann/agent.json': '{',
    '.Mailbox/Lead/new/3-0-notice.json': '{',
    '.agents/skills/broken/SKILL.md': '---\nname: [\n',
    '.agents/skills/empty/notes.txt': '',
    '.worktrees/setup.toml': '[',
    '.agents/SOUL.md': '实'.repeat(3_000),
  };
  const ws = tempWorkspace({ files });
  for (const file of Object.keys(files)) utimesSync(ws.path(file), 1, 1);
  ws.write('../home/.xz/config.toml', 'theem = "x"\n[team]\nmaximum = 2\n');
  chmodSync(ws.path('../home/.xz/config.toml'), 0o644);
  const doctor: { readonly checks: ReadonlyArray<Record<string, string>> } = JSON.parse(
    (await runXz(ws, ['doctor', '--json'], { env: ZH })).out,
  );
  const wrong = doctor.checks.filter(({ status }) => status !== 'ok');
  for (const name of ['config', 'tasks', 'memory', 'mailboxes', 'skills', 'worktrees'])
    expect([name, wrong.some((check) => check.name === name)]).toEqual([name, true]);
  const english = wrong.filter(({ detail = '', fix = '中' }) => !/\p{scx=Han}/u.test(detail) || !/\p{scx=Han}|^(xz|chmod) /u.test(fix));
  expect(english).toEqual([]);

  ws.write('.TASK/b.json', '{');
  utimesSync(ws.path('.TASK/b.json'), 1, 1);
  const server = await startModelServer(() => ({ text: 'ok' }));
  const run = await runXz(ws, ['once', 'hello'], { env: { ...modelEnv(server), ...ZH, XZ_MEMORY_ENABLED: 'true' } });
  const told = run.err.split('\n').filter((line) => line !== '');
  expect(told.filter((line) => !/\p{scx=Han}/u.test(line))).toEqual([]);
  expect(run.err).toContain('SOUL.md：约 ');
  expect(run.err).toMatch(/b\.json: 任务文件：不是 JSON（[^）]*）.*已移到 b\.json/);
});
