// `xz memory search|get|list` as a person and a script use it: the built program over real files.
import { symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';

const LOG = '# 2026-03-03\n\n- 14:23 [deploy] 修复了部署脚本的超时问题 XZ-42\n- 15:00 [test] the printer tests pass in `src/a.ts`\n';

function withMemory(): Workspace {
  const ws = tempWorkspace();
  ws.write('.agents/.gitignore', '.gitignore\ndata/\nmemory/\nUSER.md\nMEMORY.md\n');
  ws.write('.MEMORY/.gitignore', '*\n');
  ws.write('.agents/MEMORY.md', '# Memory\r\n\r\nThe deploy script lives in ops.\r\n');
  ws.write('.agents/memory/2026-03-03.md', LOG);
  ws.write('.MEMORY/work.md', '## deploy key\n\nThe deploy key rotates every month.\n\n## C#\n\nNothing yet.');
  return ws;
}

async function json(ws: Workspace, ...args: string[]) {
  const run = await runXz(ws, ['memory', ...args, '--json']);
  expect(run.err).toBe('');
  expect(run.code).toBe(0);
  return JSON.parse(run.out);
}

test('an empty workspace has an empty page, and nothing is made', async () => {
  const ws = tempWorkspace();
  const empty = { items: [], page: 1, totalPages: 1, total: 0, hasNext: false, hasPrev: false };
  expect(await json(ws, 'search', '部署')).toMatchObject(empty);
  expect(await json(ws, 'list')).toMatchObject(empty);
  expect(ws.has('.agents')).toBe(false);
});

test('search prints what get takes, and get prints those very lines', async () => {
  const ws = withMemory();
  const { items } = await json(ws, 'search', '部署', '--keyword');
  expect(items).toEqual([
    { file: 'memory/2026-03-03.md', lineStart: 1, lineEnd: 3, snippet: expect.stringContaining('部署脚本'), score: expect.any(Number) },
  ]);
  const got = await runXz(ws, ['memory', 'get', items[0].file, '-s', String(items[0].lineStart), '-e', String(items[0].lineEnd)]);
  expect(got.out).toBe(`${LOG.split('\n').slice(0, 3).join('\n')}\n`);
  expect(await json(ws, 'get', '.MEMORY/work.md', '-s', '5', '-e', '99')).toEqual({
    file: '.MEMORY/work.md',
    lineStart: 5,
    lineEnd: 7,
    totalLines: 7,
    content: '## C#\n\nNothing yet.',
  });
  expect((await runXz(ws, ['memory', 'get', 'MEMORY.md', '-s', '3'])).out).toBe('The deploy script lives in ops.\r\n');
  expect((await runXz(ws, ['memory', 'get', 'MEMORY.md', '-s', '30'])).out).toBe('');
  expect(ws.git('status', '--porcelain')).toBe('');
});

test('filters by day and by tag, sees edits at once and forgets removed files', async () => {
  const ws = withMemory();
  expect((await json(ws, 'search', 'deploy', '--keyword')).total).toBe(3);
  expect(
    (await json(ws, 'search', 'deploy', '--keyword', '--date', '2026-03-03')).items.map((item: { file: string }) => item.file),
  ).toEqual(['memory/2026-03-03.md']);
  expect((await json(ws, 'search', 'printer', '--keyword', '--tag', 'TEST')).total).toBe(1);
  expect((await json(ws, 'search', 'printer', '--keyword', '--tag', 'deploy')).total).toBe(0);
  ws.write('.MEMORY/work.md', '## deploy key\n\nThe walrus key rotates every month.\n');
  expect((await json(ws, 'search', 'walrus', '--keyword')).items[0]).toMatchObject({ file: '.MEMORY/work.md', lineStart: 1, lineEnd: 3 });
});

test('people read columns without colour in a pipe', async () => {
  const { out } = await runXz(withMemory(), ['memory', 'search', 'printer', '--keyword']);
  expect(out).toMatch(
    /^File {18}Lines {2}Score {2}Snippet\nmemory\/2026-03-03\.md {2}4-4 {4}\d\.\d{3} {2}- 15:00 \[test\] the printer tests pass in `src\/a\.ts`\n$/,
  );
});

test('list names every file, or the log of one day', async () => {
  const ws = withMemory();
  const { items } = await json(ws, 'list');
  expect(items.map((item: { file: string }) => item.file)).toEqual(['MEMORY.md', '.MEMORY/work.md', 'memory/2026-03-03.md']);
  expect((await json(ws, 'list', '--date', '2026-03-03')).items).toEqual([
    {
      file: 'memory/2026-03-03.md',
      date: '2026-03-03',
      lines: 4,
      bytes: Buffer.byteLength(LOG),
      updatedAt: expect.any(String),
      title: '2026-03-03',
    },
  ]);
});

test.each([
  '../README.md',
  '/etc/passwd',
  'memory/../../README.md',
  '.MEMORY/../README.md',
  'skills/x/SKILL.md',
  'data/agent.db',
  '.gitignore',
  'a\\b.md',
  '',
])('get %j is refused', async (file) => {
  const { code, out } = await runXz(withMemory(), ['memory', 'get', file]);
  expect(code).toBe(2);
  expect(out).toBe('');
});

test('a link that leads out of the folders is neither read nor indexed', async () => {
  const ws = withMemory();
  ws.write('secret.md', 'a secret narwhal\n');
  symlinkSync(ws.path('secret.md'), ws.path('.MEMORY/long.md'));
  const got = await runXz(ws, ['memory', 'get', '.MEMORY/long.md']);
  expect(got.code).toBe(1);
  expect(got.out).toBe('');
  const found = await runXz(ws, ['memory', 'search', 'narwhal', '--keyword', '--json']);
  expect(JSON.parse(found.out).total).toBe(0);
  expect(found.err).toContain('long.md');
});

test.each([
  [['search', 'x', '-l', 'ten']],
  [['search', 'x', '-p', '0']],
  [['search', 'x', '--date', '2026-13-01']],
  [['list', '--date', 'today']],
  [['get', 'MEMORY.md', '-s', '0']],
  [['get', 'MEMORY.md', '-s', '3', '-e', '2']],
])('memory %j is wrong use', async (args) => {
  const { code, out, err } = await runXz(withMemory(), ['memory', ...args]);
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(err).toMatch(/^xz: /);
});
