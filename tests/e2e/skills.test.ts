// Skills and the web as the built program has them: over HTTP, with a nested `xz` in a tool shell.
import { join } from 'node:path';
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { inOrder, modelEnv, offeredTools, type SentBody, sentText, startModelServer } from '../helpers/model-server.ts';
import { MAIN, runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { page, startWebServer } from '../helpers/web-server.ts';

const results = (body: SentBody | undefined) =>
  (body?.messages ?? []).filter(({ role }) => role === 'tool').map((message) => sentText(message));

async function once(ws: Workspace, prompt: string, respond: Parameters<typeof startModelServer>[0], env: Record<string, string> = {}) {
  const model = await startModelServer(respond);
  const run = await runXz(ws, ['once', prompt, '--yes', '--json'], { env: { ...modelEnv(model), ...env } });
  expect(run.err).toBe('');
  expect(run.code).toBe(0);
  const bodies = model.requests.map(({ body }) => body).filter((body) => (body.tools ?? []).length > 0);
  return { text: String(JSON.parse(run.out).text), bodies, run };
}

test('the model loads a skill, its command searches memory through nested xz, the answer quotes it', async () => {
  const ws = tempWorkspace();
  ws.write('.agents/memory/2026-03-03.md', '# 2026-03-03\n\n- 14:23 [deploy] 部署脚本的超时是 90 秒 (XZ-42)\n');
  const { text, bodies } = await once(ws, '部署的超时是多少？', (body) => {
    if (body.tools === undefined) return { text: 'title' };
    const heard = results(body);
    if (heard.length === 0) return { calls: [{ name: 'skill', args: { name: 'memory-search', arguments: '部署 超时' } }] };
    if (heard.length === 1)
      return { calls: [{ name: 'bash', args: { command: 'command -v xz; time xz memory search "部署 超时" --keyword' } }] };
    return { text: `Noted: ${/部署脚本的超时是 90 秒 \(XZ-42\)/.exec(heard[1] ?? '')?.[0] ?? 'nothing found'}` };
  });
  expect(text).toBe('Noted: 部署脚本的超时是 90 秒 (XZ-42)');
  const [first] = bodies;
  expect(offeredTools(first ?? bodies[0] ?? { model: '', messages: [] })).toEqual(
    expect.arrayContaining(['skill', 'web_search', 'web_fetch']),
  );
  const system = sentText(first?.messages[0]);
  expect(system).toContain('- memory-search: ');
  expect(system).toContain('- history-search: ');
  expect(system).not.toContain('- get-session: ');
  const heard = results(bodies.at(-1));
  expect(heard[0]).toContain('Look for: 部署 超时');
  expect(heard[0]).toContain('xz memory search');
  expect(heard[1]).toContain(join(MAIN, '..', 'bin', 'xz'));
  expect(heard[1]).toContain('memory/2026-03-03.md');
});

test('a tool shell has the compressor under the same name, and xz opens no screen and no second store there', async () => {
  const ws = tempWorkspace();
  ws.write('sub/a.txt', 'packed\n');
  const commands = [
    'cd sub && tar cJf a.txz a.txt && rm a.txt && tar xJf a.txz && cat a.txt',
    'cd sub && xz task list --json; echo "code $?"; ls -a',
    'echo hi | xz | xz -d; xz --version',
    'xz memory get NO.md; echo "code $?"',
  ];
  const { bodies } = await once(
    ws,
    'go',
    inOrder(...commands.map((command) => ({ calls: [{ name: 'bash', args: { command } }] })), { text: 'done' }),
  );
  const heard = results(bodies.at(-1));
  expect(heard[0]).toContain('packed');
  expect(heard[1]).toMatch(/"total":0[\s\S]*code 0/);
  expect(heard[1]).not.toMatch(/\.agents|\.TASK/);
  expect(heard[2]).toMatch(/^hi\n0\.\d+/);
  expect(heard[3]).toContain('code 1');
});

test('a page of the web comes as Markdown from the bundle, private addresses only when allowed', async () => {
  const site = await startWebServer({
    '/': page(
      'text/html',
      iconv.encode(
        '<html><head><meta charset="gbk"><title>标题</title></head><body><h1>部署</h1><p>超时 &amp; 重试</p></body></html>',
        'gbk',
      ),
    ),
  });
  const url = `http://127.0.0.1:${site.port}/`;
  const ask = inOrder(
    {
      calls: [
        { name: 'web_fetch', args: { url } },
        { name: 'web_search', args: { query: 'x' } },
      ],
    },
    { text: 'done' },
  );
  const closed = tempWorkspace();
  const refused = results((await once(closed, 'go', ask)).bodies.at(-1));
  expect(refused[0]).toContain('127.0.0.1 is not a public address');
  expect(refused[1]).toContain('TAVILY_API_KEY');
  expect(site.requests).toHaveLength(0);
  const open = tempWorkspace();
  expect((await runXz(open, ['config', 'set', 'web.allow_private', 'true'])).code).toBe(0);
  const [shown] = results((await once(open, 'go', ask)).bodies.at(-1));
  expect(shown).toMatch(/Title: 标题[\s\S]*# 部署\n\n超时 & 重试/);
});

test('a project skill is loaded with its front matter as people write it, and a broken one is told once', async () => {
  const ws = tempWorkspace();
  ws.write(
    '.claude/skills/review/SKILL.md',
    '---\r\nname: review\r\ndescription: reviews: code, "tests"\r\nargument-hint: [path] — where\r\n---\r\nReview $1.\r\n',
  );
  ws.write('.claude/skills/broken/SKILL.md', '---\nname: broken\n');
  const model = await startModelServer(
    inOrder({ calls: [{ name: 'skill', args: { name: 'review', arguments: 'src/$&' } }] }, { text: 'done' }),
  );
  const run = await runXz(ws, ['once', 'review it', '--yes'], { env: modelEnv(model) });
  expect(run.code).toBe(0);
  expect(run.err.match(/no closing ---/g)).toHaveLength(1);
  const bodies = model.requests.map(({ body }) => body).filter((body) => (body.tools ?? []).length > 0);
  expect(sentText(bodies[0]?.messages[0])).toContain('- review: reviews: code, "tests"');
  expect(results(bodies.at(-1))[0]).toContain('Review src/$&.');
});

test('xz skill lists, creates without overwriting, checks and reloads', async () => {
  const ws = tempWorkspace();
  const json = async (...args: string[]) => {
    const run = await runXz(ws, ['skill', ...args, '--json']);
    return { code: run.code, value: run.out === '' ? undefined : JSON.parse(run.out), err: run.err };
  };
  const list = await json('list');
  expect(list.value).toMatchObject({ total: 3, page: 1, totalPages: 1, hasNext: false });
  expect(list.value.items[0]).toMatchObject({ name: 'get-session', source: 'built-in', status: 'ok', description: expect.any(String) });
  expect(ws.has('.agents')).toBe(false);
  const made = await json('create', 'deploy', '--from-template');
  expect(made.value).toEqual({ name: 'deploy', path: ws.path('.agents/skills/deploy/SKILL.md') });
  const text = ws.read('.agents/skills/deploy/SKILL.md');
  expect(text).toMatch(/^---\nname: deploy\n/);
  const again = await json('create', 'deploy');
  expect(again.code).toBe(1);
  expect(ws.read('.agents/skills/deploy/SKILL.md')).toBe(text);
  for (const name of ['../x', 'a/b', '.', '', 'a\nb']) expect((await json('create', name)).code).toBe(2);
  expect((await runXz(ws, ['skill', 'create', 'memory-search'])).err).toContain('built-in');
  expect((await json('check')).code).toBe(0);
  ws.write('.agents/skills/deploy/SKILL.md', '---\nname: deploy\n');
  expect(await json('check')).toMatchObject({ code: 1, value: { ok: false } });
  expect((await json('check', 'history-search')).code).toBe(0);
  expect((await json('check', 'nope')).code).toBe(1);
  expect((await json('reload')).value).toMatchObject({
    skills: 3,
    problems: [{ name: 'deploy', reason: expect.stringContaining('no closing') }],
  });
  const shown = await runXz(ws, ['skill', 'list', '--lang', 'zh']);
  expect(shown.out).toContain('有错');
  const items = (await json('list', '-l', '2', '-p', '2')).value;
  expect(items).toMatchObject({ page: 2, perPage: 2, total: 5, hasPrev: true });
});

test('a person calls a skill by its name, and one that is made meanwhile is known at the next request', async () => {
  const ws = tempWorkspace();
  ws.write(
    '.agents/skills/greet/SKILL.md',
    '---\nname: greet\ndescription: greets\ndisable-model-invocation: true\n---\nGreet $1 in $2.\n',
  );
  const model = await startModelServer((body) => {
    if (body.tools === undefined) return { text: 'title' };
    ws.write('.agents/skills/late/SKILL.md', '---\nname: late\ndescription: came late\n---\nx\n');
    return { text: 'ok' };
  });
  const run = await runXz(ws, ['--repl'], { env: modelEnv(model), input: '/greet ann "two languages"\n/skill\nand now?\n' });
  expect(run.code).toBe(0);
  const bodies = model.requests.map(({ body }) => body).filter((body) => (body.tools ?? []).length > 0);
  expect(sentText(bodies[0]?.messages.at(-1))).toContain('Greet ann in two languages.');
  expect(run.out).toContain('/memory-search');
  expect(sentText(bodies[0]?.messages[0])).not.toContain('came late');
  expect(JSON.stringify(bodies.at(-1)?.messages.slice(1))).toContain('- late: came late');
});

test('a teammate in a worktree has the skills of the workspace, reads their files, and reaches its memory through xz', async () => {
  const ws = tempWorkspace();
  ws.write('.agents/.gitignore', '.gitignore\ndata/\nmemory/\nskills/\n');
  ws.write('.agents/skills/ship/SKILL.md', '---\nname: ship\ndescription: ships things\n---\nRead guide.md.\n');
  ws.write('.agents/skills/ship/guide.md', 'the walrus guide\n');
  ws.write('.agents/memory/2026-03-03.md', '# 2026-03-03\n\n- 14:23 the narwhal is shipped on Tuesdays\n');
  const model = await startModelServer((body) => {
    if (body.tools === undefined) return { text: 'title' };
    const heard = results(body);
    if (offeredTools(body).includes('spawn_teammate')) {
      if (heard.length === 0) return { calls: [{ name: 'spawn_teammate', args: { name: 'ann', task: 'ship it', worktree: true } }] };
      if (heard.length === 1) return { calls: [{ name: 'collect_results', args: { wait_seconds: 30 } }] };
      return { text: 'all done' };
    }
    if (heard.length === 0) return { calls: [{ name: 'skill', args: { name: 'ship' } }] };
    if (heard.length === 1) return { calls: [{ name: 'read_file', args: { path: ws.path('.agents/skills/ship/guide.md') } }] };
    if (heard.length === 2) return { calls: [{ name: 'bash', args: { command: 'pwd; xz memory search narwhal --keyword; ls -a' } }] };
    return { text: 'shipped' };
  });
  const run = await runXz(ws, ['once', 'go', '--team', '--yes', '--json'], { env: modelEnv(model) });
  expect(run.code, run.err).toBe(0);
  const ann = model.requests
    .map(({ body }) => body)
    .filter((body) => body.tools !== undefined && !offeredTools(body).includes('spawn_teammate'));
  expect(sentText(ann[0]?.messages[0])).toContain('- ship: ships things');
  const heard = results(ann.at(-1));
  expect(heard[0]).toContain(`Folder of this skill: ${ws.path('.agents/skills/ship')}`);
  expect(heard[1]).toContain('the walrus guide');
  expect(heard[2]).toContain('/.worktrees/ann');
  expect(heard[2]).toContain('memory/2026-03-03.md');
  expect(heard[2]).not.toMatch(/^\.agents$/m);
});

test('a command of xz goes before a skill of its name, and the list says so', async () => {
  const skill = (name: string) => `---\nname: ${name}\ndescription: does ${name}\n---\nDo it.\n`;
  const ws = tempWorkspace({
    files: { 'README.md': '', '.agents/skills/task/SKILL.md': skill('task'), '.agents/skills/tidy/SKILL.md': skill('tidy') },
  });
  const { items } = JSON.parse((await runXz(ws, ['skill', 'list', '--json'])).out);
  expect(items.slice(0, 2)).toMatchObject([
    { name: 'task', status: 'shadowed', reason: expect.stringContaining('/task is a command of xz') },
    { name: 'tidy', status: 'ok' },
  ]);
  expect((await runXz(ws, ['skill', 'list', '--lang', 'zh'])).out).toContain('/task 是 xz 的命令');
});
