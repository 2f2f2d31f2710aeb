// `xz mail` as a person and a script use it: the built program, real files.
import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

async function json(ws: ReturnType<typeof tempWorkspace>, ...args: string[]) {
  const run = await runXz(ws, ['mail', ...args, '--json']);
  return { ...run, value: run.out === '' ? undefined : JSON.parse(run.out) };
}

test('a message is sent as user, listed, shown by a prefix of its id, and hidden from git', async () => {
  const ws = tempWorkspace();
  const sent = await json(ws, 'send', 'Lead', '看一下 the tests', '--type', 'task');
  expect(sent).toMatchObject({ code: 0, err: '', value: { type: 'task', from: 'user', to: 'Lead', body: '看一下 the tests', box: 'new' } });
  expect(readdirSync(ws.path('.Mailbox/Lead/new'))).toEqual([`2-${sent.value.id}-task.json`]);
  expect(ws.git('status', '--porcelain')).toBe('');
  const list = await json(ws, 'list', 'Lead');
  expect(list.value).toMatchObject({ total: 1, items: [{ ...sent.value, box: 'new' }], hasNext: false });
  const shown = await runXz(ws, ['mail', 'show', sent.value.id.slice(0, 14), '--lang', 'zh']);
  expect(shown.out).toContain('看一下 the tests');
  expect(shown.out).toContain('等待中');
});

test('an unknown recipient is refused, naming the known ones, and no box is made', async () => {
  const ws = tempWorkspace();
  for (const name of ['bob', '../../x', 'lead', 'user']) {
    const run = await runXz(ws, ['mail', 'send', name, 'hi']);
    expect(run.code, name).toBe(1);
    expect(run.err).toContain('known: Lead');
  }
  expect(existsSync(ws.path('.Mailbox'))).toBe(false);
  expect((await runXz(ws, ['mail', 'send', 'Lead', 'hi', '--type', 'end'])).code).toBe(2);
  expect((await runXz(ws, ['mail', 'send', 'Lead', ' '])).code).toBe(2);
});

test('a dead letter is listed with its reason and requeued', async () => {
  const ws = tempWorkspace();
  ws.write(
    '.Mailbox/ann/dead/2-0abc-task.json',
    JSON.stringify({
      id: '0abc',
      type: 'task',
      from: 'Lead',
      to: 'ann',
      at: '2026-03-03T09:00:00.000+00:00',
      body: 'do it',
      dead: { reason: 'three times in vain', at: 'x' },
    }),
  );
  expect((await json(ws, 'list', 'ann')).value.items).toMatchObject([{ id: '0abc', box: 'dead', dead: { reason: 'three times in vain' } }]);
  expect((await runXz(ws, ['mail', 'show', '0a'])).out).toContain('three times in vain');
  expect((await json(ws, 'requeue', '0abc')).value).toMatchObject({ id: '0abc', box: 'new' });
  expect((await json(ws, 'list', 'ann')).value.items).toMatchObject([{ id: '0abc', box: 'new' }]);
  expect((await runXz(ws, ['mail', 'requeue', '0abc'])).code).toBe(1);
});

test('an empty or missing box of Lead is an empty page', async () => {
  const ws = tempWorkspace();
  expect((await json(ws, 'list', 'Lead')).value).toMatchObject({ items: [], total: 0 });
  expect((await runXz(ws, ['mail', 'list', 'nobody'])).code).toBe(1);
  expect(existsSync(ws.path('.Mailbox'))).toBe(false);
});

test('files that are no mail are named on stderr and left where they are', async () => {
  const bad = { 'broken.json': '{"body":', 'empty.json': '', 'no-body.json': '{"type":"notice"}' };
  const ws = tempWorkspace({
    files: {
      '.Mailbox/Lead/new/good.json': '{"body":"hello"}',
      ...Object.fromEntries(Object.entries(bad).map(([name, text]) => [`.Mailbox/Lead/new/${name}`, text])),
    },
  });
  const list = await json(ws, 'list', 'Lead');
  expect(list.code).toBe(0);
  expect(list.value).toMatchObject({ total: 1, items: [{ body: 'hello' }] });
  for (const name of Object.keys(bad)) expect(list.err).toContain(ws.path(`.Mailbox/Lead/new/${name}`));
  expect(readdirSync(ws.path('.Mailbox/Lead/new'))).toHaveLength(4);
});
