// A wake-up in a real conversation: the real lead with its tools, a model behind a real HTTP port.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { composeApp } from '../../cli/compose.ts';
import { openLead } from '../../cli/open-lead.ts';
import { createPrinter } from '../../cli/print/printer.ts';
import { en } from '../../cli/text/en.ts';
import { inOrder, modelEnv, startModelServer } from '../helpers/model-server.ts';
import { tempWorkspace } from '../helpers/temp.ts';

test('is a user turn marked with its task, and in a wider conversation may do no more than it was made for', async () => {
  const ws = tempWorkspace();
  const writes = { calls: [{ name: 'write_file', args: { path: 'made.txt', content: 'x' } }] };
  const server = await startModelServer(inOrder(writes, { text: 'could not' }, writes, { text: 'made it' }));
  const app = composeApp({
    ...{ env: { ...ws.env, ...modelEnv(server), XZ_MODE: 'yolo' }, cwd: ws.dir, globals: {}, language: 'en', text: en, command: 'test' },
    print: createPrinter({ stdout: new PassThrough(), stderr: new PassThrough(), json: false, colour: false }),
  });
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
