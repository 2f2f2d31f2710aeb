// A wake-up in a real conversation: the real lead with its tools, a model behind a real HTTP port.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { composeApp } from '../../cli/compose.ts';
import { openLead } from '../../cli/open-lead.ts';
import { createPrinter } from '../../cli/print/printer.ts';
import { en } from '../../cli/text/en.ts';
import { inOrder, modelEnv, startModelServer } from '../helpers/model-server.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

function openApp(ws: Workspace, env: Readonly<Record<string, string>>) {
  return composeApp({
    ...{ env: { ...ws.env, ...env }, cwd: ws.dir, globals: {}, language: 'en', text: en, command: 'test' },
    print: createPrinter({ stdout: new PassThrough(), stderr: new PassThrough(), json: false, colour: false }),
  });
}

test('is a user turn marked with its task, and in a wider conversation may do no more than it was made for', async () => {
  const ws = tempWorkspace();
  const writes = { calls: [{ name: 'write_file', args: { path: 'made.txt', content: 'x' } }] };
  const server = await startModelServer(inOrder(writes, { text: 'could not' }, writes, { text: 'made it' }));
  const app = openApp(ws, { ...modelEnv(server), XZ_MODE: 'yolo' });
  const { lead, close } = await openLead(app, { title: 'test', attended: false });
  try {
    expect(await lead.wake({ taskId: 'job', description: 'make it', mode: 'plan' })).toMatchObject({
      stopReason: 'done',
      text: 'could not',
    });
    expect(ws.has('made.txt')).toBe(false);
    expect(lead.rows()[0]?.content).toMatchObject({
      role: 'user',
      text: '[Scheduled Task: make it]',
      origin: { type: 'wakeup', taskId: 'job' },
    });
    expect(lead.mode()).toBe('yolo');
    expect(await lead.wake({ taskId: 'job', description: 'make it' })).toMatchObject({ stopReason: 'done', text: 'made it' });
    expect(ws.has('made.txt')).toBe(true);
  } finally {
    await close();
    app.close();
  }
});

test('waits behind the turn that runs, and comes back after an interrupt once the person has had their say', async () => {
  const ws = tempWorkspace();
  const hanging = new Set([0, 1]);
  const server = await startModelServer((_, n) => (hanging.has(n) ? new Promise(() => {}) : { text: `reply ${n}` }));
  const app = openApp(ws, modelEnv(server));
  const { lead, close } = await openLead(app, { title: 'test', attended: false });
  const asked = (): string[] =>
    lead.rows().flatMap(({ content }) => (content.role === 'user' && content.origin?.type !== 'note' ? [content.text] : []));
  try {
    lead.submit('first');
    await until(() => server.requests.length === 1, 'the first request');
    const woken = lead.wake({ taskId: 'job', description: 'look' });
    expect(asked()).toEqual(['first']);
    await lead.interrupt();
    lead.submit('second');
    await until(() => server.requests.length === 2, 'the second request');
    await lead.interrupt();
    lead.submit('third');
    expect(await woken).toEqual({ stopReason: 'done', text: 'reply 3' });
    expect(asked()).toEqual(['first', 'second', 'third', '[Scheduled Task: look]']);
  } finally {
    await close();
    app.close();
  }
});

test('that is interrupted itself is asked again after what the person types next', async () => {
  const ws = tempWorkspace();
  const server = await startModelServer((_, n) => (n === 0 ? new Promise(() => {}) : { text: `reply ${n}` }));
  const app = openApp(ws, modelEnv(server));
  const { lead, close } = await openLead(app, { title: 'test', attended: false });
  try {
    const woken = lead.wake({ taskId: 'job', description: 'look' });
    await until(() => server.requests.length === 1, 'the request');
    await lead.interrupt();
    lead.submit('typed');
    expect(await woken).toEqual({ stopReason: 'done', text: 'reply 2' });
  } finally {
    await close();
    app.close();
  }
});
