// Stores that cannot be written: the turn still ends, what can be read is used, and the person is told once.
import { readdirSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modelEnv, sentText, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

const FACT = '{"facts": [{"category": "work", "topic": "Cat", "fact": "The cat is called Tom.", "quote": "the cat is called Tom"}]}';

/** The lead answers "ok"; memory's questions are answered with a fact, or with nonsense when it asks what to recall. */
const server = () =>
  startModelServer((body) => {
    if ((body.tools ?? []).length > 0) return { text: 'ok' };
    return { text: sentText(body.messages[0]).includes('choose which stored notes') ? 'nonsense' : FACT };
  });

test('a file in place of .MEMORY: the turn ends, the person is told once, memory commands say it', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '', '.MEMORY': 'not a folder\n' } });
  const model = await server();
  const env = { ...modelEnv(model), XZ_MEMORY_ENABLED: 'true' };
  const told = await runXz(ws, ['once', 'By the way, the cat is called Tom.'], { env });
  expect(told).toMatchObject({
    code: 0,
    out: 'ok\n',
    err: expect.stringMatching(/^xz: memory: .*\.MEMORY is no folder, and xz needs one there\n$/),
  });
  expect(ws.read('.MEMORY')).toBe('not a folder\n');
  for (const command of [['organize'], ['search', 'cat'], ['list'], ['get', 'MEMORY.md'], ['resolve'], ['forget', 'cat'], ['undo']])
    expect(await runXz(ws, ['memory', ...command])).toMatchObject({ code: 1, out: '', err: expect.stringContaining('is no folder') });
  expect((await runXz(ws, ['task', 'list'])).code).toBe(0);
});

test('a .MEMORY that refuses every write: words still recall, the turn ends, one line says so', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '', '.MEMORY/work.md': '## Deploy\n\n- Deploys go out from main on Tuesdays.\n' } });
  const model = await server();
  const env = { ...modelEnv(model), XZ_MEMORY_ENABLED: 'true', XZ_FAULT: 'EROFS:1+:.MEMORY:write' };
  const run = await runXz(ws, ['once', 'On which day do deploys go out from main? And the cat is called Tom.'], { env });
  expect(run).toMatchObject({ code: 0, out: 'ok\n' });
  expect(run.err.match(/cannot be written/g)).toHaveLength(1);
  const asked = model.requests.filter(({ body }) => (body.tools ?? []).length > 0);
  expect(asked).toHaveLength(1);
  const request = sentText(asked[0]?.body.messages.at(-1));
  expect(request).toContain('(work/Deploy)');
  expect(ws.read('.MEMORY/work.md')).not.toContain('Tom');
});

test('a .Mailbox that is none: the lead works alone and says so, with the team wanted and without', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '', '.Mailbox': 'not a folder\n' } });
  const model = await server();
  for (const args of [[], ['--team']]) {
    const run = await runXz(ws, ['once', 'hello', ...args], { env: modelEnv(model) });
    expect(run).toMatchObject({ code: 0, out: 'ok\n' });
    expect(run.err.match(/the lead works alone/g)).toHaveLength(1);
  }
});

test('a merge intent that cannot be read is moved aside and told, and the team works on', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '', '.agents/data/merge-intent.json': '{"name":' } });
  utimesSync(ws.path('.agents/data/merge-intent.json'), 1, 1);
  const model = await server();
  const [first, second] = [
    await runXz(ws, ['once', 'hello', '--team'], { env: modelEnv(model) }),
    await runXz(ws, ['once', 'hello', '--team'], { env: modelEnv(model) }),
  ];
  expect(first).toMatchObject({ code: 0, out: 'ok\n', err: expect.stringContaining('merge-intent.json') });
  expect(second).toMatchObject({ code: 0, out: 'ok\n', err: '' });
  expect(readdirSync(ws.path('.agents/data')).filter((name) => name.startsWith('merge-intent.json.bad-'))).toHaveLength(1);
});

test('a team that cannot be opened ends the program with the reason instead of keeping it alive', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '' } });
  symlinkSync('.worktrees', ws.path('.worktrees'));
  const run = await runXz(ws, ['once', 'hello', '--team'], { env: modelEnv(await server()), timeoutMs: 20_000 });
  expect(run).toMatchObject({ code: 1, late: false, err: expect.stringContaining('.worktrees') });
});

test('a broken result from the future in the box of the lead: the run ends', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '', '.Mailbox/Lead/new/1-0mx3tw37g0002s3et6-result.json': '{"half' } });
  const later = Date.now() / 1000 + 86_400;
  utimesSync(ws.path('.Mailbox/Lead/new/1-0mx3tw37g0002s3et6-result.json'), later, later);
  const run = await runXz(ws, ['once', 'hello', '--team'], { env: modelEnv(await server()), timeoutMs: 20_000 });
  expect(run).toMatchObject({ code: 0, out: 'ok\n', late: false });
});

test('a person removes .Mailbox while the team is on: the run ends as if nothing had been', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '' } });
  const model = await startModelServer(() => {
    rmSync(ws.path('.Mailbox'), { recursive: true, force: true });
    return { text: 'ok' };
  });
  expect(await runXz(ws, ['once', 'hello', '--team'], { env: modelEnv(model) })).toMatchObject({ code: 0, out: 'ok\n', err: '' });
});

test('a broken mail to an idle teammate is moved aside, and the run ends', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '' } });
  const steps = [
    { name: 'spawn_teammate', args: { name: 'ann', task: 'do a thing' } },
    { name: 'collect_results', args: { wait_seconds: 30 } },
  ];
  const model = await startModelServer((body) => {
    if (!(body.tools ?? []).some((tool) => JSON.stringify(tool).includes('"create_task"'))) return { text: 'done' };
    const step = steps.shift();
    if (step !== undefined) return { calls: [step] };
    ws.write('.Mailbox/ann/new/by-hand.json', '{"half');
    return { text: 'ok' };
  });
  const run = await runXz(ws, ['once', 'hello', '--team', '--yes'], { env: modelEnv(model), timeoutMs: 30_000 });
  expect(run).toMatchObject({ code: 0, out: 'ok\n', late: false });
  expect(run.err).toContain('by-hand.json');
});

for (const [store, check, reads] of [
  ['.TASK', 'tasks', ['task', 'list']],
  ['.Mailbox', 'mailboxes', ['mail', 'list', 'Lead']],
  ['.agents', 'database', ['history', 'list']],
  ['.worktrees', 'worktrees', ['team', 'status']],
  ['.MEMORY', 'memory', ['memory', 'show']],
] as const)
  test(`a file in place of ${store}: doctor names it, and what reads it says so instead of showing nothing`, async () => {
    const ws = tempWorkspace({ files: { 'README.md': '', [store]: 'not a folder\n' } });
    const doctor = await runXz(ws, ['doctor']);
    expect(doctor.code).toBe(1);
    expect(doctor.out).toContain(`${ws.path(store)} is no folder, and xz needs one there`);
    expect(doctor.out).toMatch(new RegExp(`✗ ${check} .*\\n +→ move it away`));
    expect(await runXz(ws, reads)).toMatchObject({
      code: 1,
      out: '',
      err: `xz: ${ws.path(store)} is no folder, and xz needs one there\nhint: move it away or remove it; xz makes the folder itself\n`,
    });
    expect(ws.read(store)).toBe('not a folder\n');
  });

test('a file in place of .agents or of the home folder: what must write says it in two lines', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '', '.agents': 'not a folder\n' } });
  const model = await server();
  const twoLines = (path: string) =>
    `xz: ${path} is no folder, and xz needs one there\nhint: move it away or remove it; xz makes the folder itself\n`;
  expect(await runXz(ws, ['once', 'hi'], { env: modelEnv(model) })).toMatchObject({ code: 1, out: '', err: twoLines(ws.path('.agents')) });
  expect((await runXz(ws, ['once', 'hi', '--lang', 'zh'], { env: modelEnv(model) })).err).toMatch(/^xz: .*\.agents 不是文件夹/);

  const other = tempWorkspace({ files: { 'README.md': '', 'home.txt': '' } });
  const file = other.path('home.txt');
  const home = { XZ_HOME: file };
  expect(await runXz(other, ['config', 'set', 'memory.enabled', 'false'], { env: home })).toMatchObject({ code: 1, err: twoLines(file) });
  const user = { XZ_HOME: undefined, HOME: file };
  expect((await runXz(other, ['doctor'], { env: user })).out).toContain(`✗ config`);
  const added = await runXz(other, ['schedule', 'add', 'x', '09:00'], { env: user });
  expect(added).toMatchObject({ code: 0, err: expect.stringContaining(twoLines(file)) });
  expect(added.err).not.toContain('ENOTDIR');
});
