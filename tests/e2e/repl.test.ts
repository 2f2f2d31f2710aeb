import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type ModelServer, startModelServer } from '../helpers/model-server.ts';
import { runXz, startXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

let server: ModelServer;
let workspace: Workspace;
beforeEach(async () => {
  server = await startModelServer((request) =>
    request.tools !== undefined ? { text: 'the **answer** is \x1b[31m42' } : { text: 'Title' },
  );
  onTestFinished(() => server.stop());
  workspace = tempWorkspace();
});

const env = () => ({ XZ_PROVIDER: 'custom', XZ_MODEL: 'scripted', XZ_BASE_URL: server.url, XZ_API_KEY: 'k' });

describe('xz --repl', () => {
  test('reads lines from a pipe one after the other, commands too, and ends with the input', async () => {
    const result = await runXz(workspace, ['--repl'], { env: env(), input: '/help\nwhat is it?\n/mode\n/nonsense\n' });
    expect(result.err).toBe('');
    expect(result.code).toBe(0);
    expect(result.out).toContain('/crontab');
    expect(result.out).toContain('the **answer** is 42');
    expect(result.out.indexOf('answer')).toBeLessThan(result.out.indexOf('Mode: ask'));
    expect(result.out).toContain('There is no command /nonsense');
    expect(result.out).not.toContain('\x1b');
  });

  test('a question takes its answer from the next line if that can be one, and is refused at the end of the input', async () => {
    const call = { calls: [{ name: 'bash', args: { command: 'touch made' } }] };
    const asking = await startModelServer(({ messages }) => (messages.at(-1)?.role === 'user' ? call : { text: 'over' }));
    const run = (input: string) => runXz(workspace, ['--repl'], { env: { ...env(), XZ_BASE_URL: asking.url }, input });
    for (const input of ['make it\n', 'make it\nand then?\n']) {
      expect(await run(input)).toMatchObject({ code: 0, late: false, out: expect.stringContaining('over') });
      expect(workspace.has('made')).toBe(false);
    }
    expect((await run('make it\ny\n')).code).toBe(0);
    expect(workspace.has('made')).toBe(true);
  });

  test('a signal drops the lines that wait behind a turn', async () => {
    const slow = await startModelServer(() => ({ text: 'late', delayMs: 50_000 }));
    const repl = startXz(workspace, ['--repl'], { env: { ...env(), XZ_BASE_URL: slow.url, XZ_MEMORY_ENABLED: 'false' } });
    repl.write('first\nsecond\n/cost\n/resume nope\n');
    await until(() => slow.requests.length > 0, 'the first request');
    repl.kill('SIGTERM');
    const { code, out, err } = await repl.ended;
    expect({ code, out, err }).toEqual({ code: 143, out: expect.not.stringMatching(/^!|second|nope/m), err: '' });
    expect(slow.requests).toHaveLength(1);
    const history = JSON.parse((await runXz(workspace, ['history', 'list', '--json'])).out);
    expect(history.items).toMatchObject([{ messages: 1 }]);
  });

  test('/model keeps what the approved .env of the workspace says', async () => {
    workspace.write('.env', `XZ_PROVIDER=custom\nXZ_MODEL=first\nXZ_BASE_URL=${server.url}\nXZ_API_KEY=k\n`);
    await runXz(workspace, ['config', 'trust', '--env']);
    const result = await runXz(workspace, ['--repl'], { input: '/model second\nwhat is it?\n' });
    expect(result.out).toContain('From the next request on: second');
    expect(server.requests.find(({ body }) => body.tools !== undefined)?.body).toMatchObject({ model: 'second' });
  });

  test('a file in place of a store is said by its commands, not shown as an empty list', async () => {
    for (const store of ['.TASK', '.MEMORY']) workspace.write(store, 'not a folder');
    const result = await runXz(workspace, ['--repl'], { env: env(), input: '/task\n/task show x\n/memory\n/memory forget x\n' });
    for (const store of ['.TASK', '.MEMORY'])
      expect(result.out.split('\n').filter((line) => line.startsWith(`! ${workspace.path(store)} is no folder`))).toHaveLength(2);
    expect(result.out).not.toContain('Nothing here yet');
  });

  test('an answer in a pipe keeps its tabs and letters as they are', async () => {
    const answer = 'all:\n\tcp cafe\u0301 \ud83d\udc69\u200d\ud83d\udc67 x\n';
    const writing = await startModelServer(() => ({ text: answer }));
    const result = await runXz(workspace, ['--repl'], { env: { ...env(), XZ_BASE_URL: writing.url }, input: 'write it\n' });
    expect(result.out).toContain(answer);
  });

  test('what a command shows in a pipe is not broken into lines', async () => {
    const long = `${'a very long line of the file '.repeat(20)}end`;
    workspace.write('README.md', `${long}\n`);
    await runXz(workspace, ['task', 'create', long.slice(0, 150)]);
    const result = await runXz(workspace, ['--repl'], { env: env(), input: '/diff\n/task\n' });
    expect(result.out).toContain(`+${long}\n`);
    expect(result.out).toMatch(/^a-very-long-line-of-the-file-a-very-\S{60,} +pending/m);
  });

  test('/exit leaves at once with 0', async () => {
    const result = await runXz(workspace, ['--repl'], { env: env(), input: '/exit\nnever sent\n' });
    expect(result.code).toBe(0);
    expect(server.requests).toHaveLength(0);
  });
});
