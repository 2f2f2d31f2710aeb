// Mail to a lead that has no team: the first lead reads its own box whether the team is on or off.
import { readdirSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modelEnv, type SentBody, sentText, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';

const inBox = (ws: Workspace, box: string) => readdirSync(ws.path(`.Mailbox/Lead/${box}`));
const asked = (body: SentBody | undefined) => (body?.messages ?? []).filter(({ role }) => role === 'user').map(sentText);

test('a notice goes along with the next request, is read once, and starts no turn of its own', async () => {
  const ws = tempWorkspace();
  const server = await startModelServer();
  const xz = (...args: string[]) => runXz(ws, args, { env: modelEnv(server) });
  await xz('mail', 'send', 'Lead', 'the office is closed');
  expect(await xz('once', 'hi')).toMatchObject({ code: 0, out: 'ok\n', err: '' });
  expect(server.requests.map(({ body }) => asked(body))).toEqual([['[Notice from user] the office is closed\n\nhi']]);
  for (const box of ['new', 'cur', 'dead']) expect(inBox(ws, box)).toEqual([]);
  await xz('once', 'and now');
  expect(server.requests.map(({ body }) => asked(body)).slice(1)).toEqual([['and now']]);
  // The conversation keeps it where it was read.
  await xz('mail', 'send', 'Lead', 'open again');
  await xz('once', 'go on', '--resume');
  expect(asked(server.requests.at(-1)?.body)).toEqual(['and now', '[Notice from user] open again\n\ngo on']);
});

test('a task is read after the request, with a turn of its own', async () => {
  const ws = tempWorkspace();
  const server = await startModelServer();
  const xz = (...args: string[]) => runXz(ws, args, { env: modelEnv(server) });
  await xz('mail', 'send', 'Lead', 'water the plants', '--type', 'task');
  expect(await xz('once', 'hi')).toMatchObject({ code: 0, out: 'ok\n', err: '' });
  expect(server.requests.map(({ body }) => asked(body))).toEqual([['hi'], ['hi', '[Task from user] water the plants']]);
  for (const box of ['new', 'cur', 'dead']) expect(inBox(ws, box)).toEqual([]);
});

test('a file under a good name that is no mail is moved aside and named, also when nothing else waits', async () => {
  const names = ['3-0mx3qmmin000r6jxit-notice.json', '2-0mx3qmmin000r6jxiu-task.json'];
  const ws = tempWorkspace({ files: Object.fromEntries(names.map((name) => [`.Mailbox/Lead/new/${name}`, '{"body":"x"}}}='])) });
  for (const name of names) utimesSync(ws.path(`.Mailbox/Lead/new/${name}`), 1_700_000_000, 1_700_000_000);
  const server = await startModelServer();
  const run = await runXz(ws, ['once', 'hi'], { env: modelEnv(server) });
  expect(run).toMatchObject({ code: 0, out: 'ok\n' });
  for (const name of names) expect(run.err).toContain(`${name}: mail: not JSON`);
  expect(inBox(ws, 'new').filter((name) => name.includes('.json.bad-'))).toHaveLength(2);
  expect(server.requests).toHaveLength(1);
});

test('a notice that went along with a request is shown once to a turn that its time limit stopped and that goes on', async () => {
  const ws = tempWorkspace();
  let slow = true;
  const server = await startModelServer(() => (slow ? { delayMs: 20_000, text: 'never' } : { text: 'ok' }));
  const env = modelEnv(server);
  await runXz(ws, ['mail', 'send', 'Lead', 'the office is closed'], { env });
  const cut = await runXz(ws, ['once', 'hi', '--timeout', '1'], { env });
  expect(cut.code).toBe(1);
  slow = false;
  expect(await runXz(ws, ['once', '--resume'], { env })).toMatchObject({ code: 0, out: 'ok\n' });
  expect(asked(server.requests.at(-1)?.body).filter((text) => text.includes('office'))).toHaveLength(1);
  for (const box of ['new', 'cur', 'dead']) expect(inBox(ws, box)).toEqual([]);
});
