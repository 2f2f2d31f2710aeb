// `xz history` as a person and a script use it: the built program, a real database.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { assistantSays } from '../helpers/assistant.ts';
import { testDatabase } from '../helpers/database.ts';
import { MAIN, runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';

const SHANGHAI = { env: { TZ: 'Asia/Shanghai' } };

function withTalks(): { ws: Workspace; first: string; second: string } {
  const ws = tempWorkspace();
  const { db, clock, talk, sessions } = testDatabase(join(ws.dir, '.agents', 'data', 'agent.db'));
  // 2026-03-03 23:30 in Shanghai, then past its midnight; UTC calls both 3 March.
  clock.jump(Date.UTC(2026, 2, 3, 15, 29));
  const first = talk('parser work', ['部署脚本超时了', 'I fixed `src/a.ts` | and "C++"']);
  clock.jump(Date.UTC(2026, 2, 3, 16, 29));
  const second = talk(
    'second',
    Array.from({ length: 45 }, (_, n) => `message ${n} about printers`),
  );
  const child = sessions.create({ kind: 'teammate', agent: 'ann', parent: second, title: 'lexer' });
  sessions.append(sessions.openTurn(child.id), assistantSays('done with the lexer'));
  db.close();
  return { ws, first, second };
}

async function json(ws: Workspace, ...args: string[]) {
  const run = await runXz(ws, ['history', ...args, '--json'], SHANGHAI);
  expect(run.err).toBe('');
  return { ...run, value: JSON.parse(run.out) };
}

test('without a database every query is an empty page and nothing is made', async () => {
  const ws = tempWorkspace();
  for (const args of [['list'], ['search', 'x']]) {
    const { code, value } = await json(ws, ...args);
    expect(code).toBe(0);
    expect(value).toMatchObject({ items: [], page: 1, perPage: 10, total: 0, totalPages: 1, hasNext: false, hasPrev: false });
  }
  const missing = await runXz(ws, ['history', 'session', 'nope']);
  expect(missing.code).toBe(1);
  expect(missing.err).toContain('no session "nope"');
  expect(ws.git('status', '--porcelain')).toBe('');
  expect(ws.has('.agents')).toBe(false);
});

test('lists lead sessions newest first, and all with their parents', async () => {
  const { ws, first, second } = withTalks();
  const { value } = await json(ws, 'list');
  expect(value.items.map((item: { id: string }) => item.id)).toEqual([second, first]);
  expect(value.items[1]).toEqual({
    id: first,
    title: 'parser work',
    messages: 2,
    createdAt: '2026-03-03T23:29:00.000+08:00',
    updatedAt: '2026-03-03T23:31:00.000+08:00',
  });
  const { value: all } = await json(ws, 'list', '--all', '-l', '0');
  expect(all.total).toBe(3);
  expect(all.items[0]).toMatchObject({ title: 'lexer', kind: 'teammate', agent: 'ann', parent: second });
  const { value: paged } = await json(ws, 'list', '-l', '1', '-p', '2');
  expect(paged).toMatchObject({ page: 2, perPage: 1, total: 2, totalPages: 2, hasNext: false, hasPrev: true });
  expect(ws.git('status', '--porcelain')).toBe('');
});

test('reads a session a stretch at a time, by a prefix of its id', async () => {
  const { ws, second } = withTalks();
  const { value } = await json(ws, 'session', second.slice(0, 14), '-o', '40');
  expect(value).toMatchObject({ id: second, title: 'second', offset: 40, limit: 20, total: 45 });
  expect(value.items).toHaveLength(5);
  expect(value.items[0]).toEqual({
    messageId: 43,
    role: 'user',
    content: 'message 40 about printers',
    timestamp: '2026-03-04T01:10:00.000+08:00',
  });
  const person = await runXz(ws, ['history', 'session', second], SHANGHAI);
  expect(person.out.split('\n').slice(0, 3)).toEqual(['[Session: second]', '— 2026-03-04 —', '00:30 user: message 0 about printers']);
  expect(person.out).toContain('--offset 20 for more');
});

test('searches with dates of the person’s own zone and without colour in a pipe', async () => {
  const { ws, first } = withTalks();
  const { value } = await json(ws, 'search', '部署', '--date-from', '2026-03-03', '--date-to', '2026-03-03');
  expect(value.items).toHaveLength(1);
  expect(value.items[0]).toMatchObject({
    sessionId: first,
    sessionTitle: 'parser work',
    messageId: 1,
    role: 'user',
    content: '部署脚本超时了',
    timestamp: '2026-03-03T23:30:00.000+08:00',
  });
  expect((await json(ws, 'search', 'printers', '--date-to', '2026-03-03')).value.total).toBe(0);
  expect((await json(ws, 'search', 'printers', '--date-from', '2026-03-04', '-l', '0')).value.items).toHaveLength(45);
  const person = await runXz(ws, ['history', 'search', 'C++'], SHANGHAI);
  expect(person.out).toBe(
    `Session            Date              Role       Preview\n${first}  2026-03-03 23:31  assistant  I fixed \`src/a.ts\` | and "C++"\n`,
  );
});

test.each([
  [['search', 'x', '-l', '-1']],
  [['search', 'x', '-p', '0']],
  [['search', 'x', '--date-from', '2026-02-30']],
  [['search', 'x', '--date-to', 'yesterday']],
  [['search', 'x', '--date-from', '2026-03-04', '--date-to', '2026-03-03']],
  [['list', '-l', '1e3']],
  [['session', 'x', '-o', '2.5']],
])('history %j is wrong use', async (args) => {
  const { code, out, err } = await runXz(tempWorkspace({ git: false }), ['history', ...args]);
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(err).toMatch(/^xz: /);
});

test('exports a whole conversation', async () => {
  const { ws, first, second } = withTalks();
  const { out } = await runXz(ws, ['history', 'export', first], SHANGHAI);
  expect(out).toBe(
    `# parser work\n\n${first} · 2\n\n## 2026-03-03T23:30:00.000+08:00 user\n\n部署脚本超时了\n\n## 2026-03-03T23:31:00.000+08:00 assistant\n\nI fixed \`src/a.ts\` | and "C++"\n\n`,
  );
  expect((await json(ws, 'export', second)).value.items).toHaveLength(45);
});

test('a pipe gets all of it, like a file (L4)', async () => {
  const ws = tempWorkspace();
  const { db, talk } = testDatabase(join(ws.dir, '.agents', 'data', 'agent.db'));
  const id = talk(
    'long',
    Array.from({ length: 400 }, (_, n) => `${n} ${'long words 你好 '.repeat(120)}`),
  );
  db.close();
  for (const args of [`history session ${id} --limit 0`, `history export ${id}`, `history session ${id} --limit 0 --json`]) {
    const shell = `"$0" "$1" ${args} > file; echo $?; "$0" "$1" ${args} | (sleep 0.3; wc -c); echo "$PIPESTATUS"; wc -c < file`;
    const printed = execFileSync('bash', ['-c', shell, process.execPath, MAIN], { cwd: ws.dir, env: { ...ws.env }, encoding: 'utf8' });
    const [toFile, piped, toPipe, size] = printed.trim().split('\n');
    expect([toFile, toPipe, piped]).toEqual(['0', '0', size]);
    expect(Number(size)).toBeGreaterThan(500_000);
  }
});
