// `xz once` from outside: the built program, a real repository, a model behind a real HTTP port.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  inOrder,
  type ModelServer,
  modelEnv,
  offeredTools,
  pairingFault,
  type Respond,
  sentText,
  startModelServer,
} from '../helpers/model-server.ts';
import { runXz, startXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

const servers: ModelServer[] = [];
const serve = async (respond: Respond): Promise<ModelServer> => {
  const server = await startModelServer(respond);
  servers.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

const once = (ws: Workspace, server: ModelServer, ...args: string[]) => runXz(ws, ['once', ...args], { env: modelEnv(server) });

const FIXABLE = {
  'src/add.js': 'export const add = (a, b) => a - b;\n',
  'check.js': "import { add } from './src/add.js';\nif (add(2, 3) !== 5) process.exit(1);\nconsole.log('right');\n",
  'package.json': '{"type":"module"}\n',
};

describe('xz once', () => {
  test('reads, greps, edits, runs a command, and answers', async () => {
    const ws = tempWorkspace({ files: FIXABLE });
    const server = await serve(
      inOrder(
        {
          calls: [
            { name: 'read_file', args: { path: 'src/add.js' } },
            { name: 'grep', args: { pattern: 'add', path: '.' } },
          ],
        },
        { calls: [{ name: 'edit_file', args: { path: 'src/add.js', old_text: 'a - b', new_text: 'a + b' } }] },
        { calls: [{ name: 'bash', args: { command: 'node check.js' } }] },
        { text: 'Fixed the sign.' },
      ),
    );
    const run = await once(ws, server, 'make the check pass', '--yes', '--json');
    expect(run.err).toBe('');
    expect(run.code).toBe(0);
    expect(JSON.parse(run.out)).toMatchObject({
      text: 'Fixed the sign.',
      stopReason: 'done',
      changedFiles: ['src/add.js'],
      session: expect.stringMatching(/^\d{4}-\d\d-\d\d-\w{6}$/),
    });
    expect(ws.read('src/add.js')).toContain('a + b');
    expect(server.requests.map((request) => pairingFault(request.body))).toEqual(['', '', '', '']);
    expect(JSON.stringify(server.requests[3]?.body.messages.at(-1))).toContain('right');
    expect(offeredTools(server.requests[0]?.body ?? { model: '', messages: [] })).not.toContain('spawn_teammate');
    expect(ws.git('status', '--porcelain').trim()).toBe('M src/add.js');
  });

  test('prints the answer, or one event a line', async () => {
    const ws = tempWorkspace();
    const server = await serve(() => ({ text: '你好，世界' }));
    expect(await once(ws, server, 'hi')).toMatchObject({ code: 0, out: '你好，世界\n', err: '' });
    const streamed = await once(ws, server, 'hi', '--stream-json');
    const events = streamed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map((event) => event.type)).toEqual(expect.arrayContaining(['turn_start', 'text', 'usage', 'turn_end', 'end']));
    expect(events.at(-1)).toMatchObject({ type: 'end', stopReason: 'done' });
    const { session } = events.find((event) => event.type === 'turn_start');
    expect((await once(ws, server, 'and again', '--session', session)).code).toBe(0);
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('"hi"');
  });

  test('takes the prompt from stdin, and refuses an empty one', async () => {
    const ws = tempWorkspace();
    const server = await serve(() => ({ text: 'ok' }));
    const piped = await runXz(ws, ['once'], { env: modelEnv(server), input: '从管道来\n' });
    expect(piped.code).toBe(0);
    expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('从管道来');
    expect(await runXz(ws, ['once'], { env: modelEnv(server), input: '' })).toMatchObject({ code: 2, out: '' });
    expect(await once(ws, server, '')).toMatchObject({ code: 2 });
  });

  test('a piped prompt is a new turn of the session that is named; a stdin that holds nothing is none', async () => {
    const ws = tempWorkspace();
    const server = await serve((_body, n) => ({ text: `reply ${n}` }));
    const env = modelEnv(server);
    const { session } = JSON.parse((await once(ws, server, 'first', '--json')).out);
    const ways = [
      ['once', '--session', session],
      ['once', '--resume'],
      ['--resume', session],
      ['--resume', session.slice(0, -2)],
      ['--resume'],
    ];
    for (const [n, args] of ways.entries())
      expect(await runXz(ws, args, { env, input: `PIPED ${n}\n` })).toEqual({
        code: 0,
        signal: null,
        late: false,
        err: '',
        out: `reply ${n + 1}\n`,
      });
    const sent = server.requests
      .at(-1)
      ?.body.messages.filter(({ role }) => role === 'user')
      .map(sentText);
    expect(sent?.map((text) => /first|PIPED \d/.exec(text)?.[0])).toEqual(['first', ...ways.map((_, n) => `PIPED ${n}`)]);
    const nothing = { code: 0, out: '', err: 'xz: nothing was open: the last turn ended\n' };
    for (const input of ['', '\n']) expect(await runXz(ws, ['--resume'], { env, input })).toMatchObject(nothing);
    // A pipe that nobody writes to or closes: gone on without a prompt.
    expect(await startXz(ws, ['once', '--resume'], { env }).ended).toMatchObject(nothing);
    expect(server.requests).toHaveLength(ways.length + 1);
    for (const args of [
      ['--resume', 'nope'],
      ['once', '--session', 'nope'],
    ])
      expect(await runXz(ws, args, { env, input: 'PIPED' })).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringMatching(/^xz: no session "nope"/),
      });
  });

  test('the pieces of a reply that was cut at the output limit are one answer', async () => {
    const ws = tempWorkspace();
    const server = await serve((_body, n) => (n % 3 < 2 ? { text: `piece ${n % 3}, `, finish: 'length' } : { text: 'end' }));
    const whole = 'piece 0, piece 1, end';
    expect(await once(ws, server, 'hi')).toMatchObject({ code: 0, out: `${whole}\n` });
    expect(JSON.parse((await once(ws, server, 'hi', '--json')).out)).toMatchObject({ text: whole, stopReason: 'done' });
    const streamed = await once(ws, server, 'hi', '--stream-json');
    expect(JSON.parse(streamed.out.trim().split('\n').at(-1) ?? '')).toEqual({ type: 'end', stopReason: 'done', text: whole });
    // Also when another process gets the last piece.
    await once(ws, server, 'hi', '--max-rounds', '2');
    expect(await once(ws, server, '--resume')).toMatchObject({ code: 0, out: `${whole}\n` });
  });

  test('without a model: one line that says what to do, exit 2, nothing written', async () => {
    const ws = tempWorkspace();
    const run = await runXz(ws, ['once', 'hi']);
    expect(run.code).toBe(2);
    expect(run.err).toMatch(/xz config setup.*XZ_API_KEY.*npm run demo/s);
    expect(ws.has('.agents')).toBe(false);
  });

  test('a 401 and an unreachable address are plain errors that name the address, and the session is kept', async () => {
    const ws = tempWorkspace();
    const server = await serve(() => ({ status: 401, body: { error: { message: 'bad key' } } }));
    const refused = await once(ws, server, 'first', '--json');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(new URL(server.url).host);
    // No answer of a model without a price: what it cost is as unknown as after one.
    expect(JSON.parse(refused.out)).toMatchObject({ stopReason: 'error', costUsd: null });
    const { session } = JSON.parse(refused.out);
    await server.stop();
    const away = await runXz(ws, ['once', '--session', session, 'again'], { env: modelEnv(server), timeoutMs: 120_000 });
    expect(away.code).toBe(1);
    expect(away.err).toContain(new URL(server.url).host);
    const history = await runXz(ws, ['history', 'session', session, '--json']);
    expect(JSON.parse(history.out).items.map((item: { content: string }) => item.content)).toEqual(['first', 'again']);
  });

  test('a turn that an error ended is gone on with by --resume, and what it did is not done again', async () => {
    const ws = tempWorkspace();
    const calls = [{ name: 'bash', args: { command: 'echo x >> made' } }];
    const server = await serve(inOrder({ calls }, { status: 401, body: { error: { message: 'bad key' } } }, { text: 'finished' }));
    expect((await once(ws, server, 'make it', '--yes')).code).toBe(1);
    expect(JSON.parse((await once(ws, server, '--resume', '--yes', '--json')).out)).toMatchObject({ stopReason: 'done', text: 'finished' });
    expect(ws.read('made')).toBe('x\n');
    expect(
      server.requests
        .at(-1)
        ?.body.messages.filter(({ role }) => role === 'user')
        .map(sentText),
    ).toEqual([expect.stringContaining('make it')]);
  });

  test('unattended, what would ask is refused with the rule to add', async () => {
    const ws = tempWorkspace();
    const server = await serve(inOrder({ calls: [{ name: 'bash', args: { command: 'touch made' } }] }, { text: 'could not' }));
    const run = await once(ws, server, 'make it', '--json');
    expect(run.code).toBe(0);
    expect(ws.has('made')).toBe(false);
    expect(JSON.stringify(server.requests[1]?.body.messages.at(-1))).toContain('[permissions] allow');
  });

  test('--timeout and --max-rounds stop before the next call, keep the work, and --resume goes on', async () => {
    const ws = tempWorkspace();
    let free = false;
    const server = await serve(() => (free ? { text: 'finished' } : { calls: [{ name: 'bash', args: { command: 'true' } }] }));
    const run = await once(ws, server, 'loop', '--yes', '--json', '--max-rounds', '2');
    expect(run.code).toBe(1);
    expect(JSON.parse(run.out)).toMatchObject({ stopReason: 'rounds' });
    expect(server.requests.length).toBe(2);
    free = true;
    const resumed = await once(ws, server, '--resume', '--json');
    expect(resumed.code).toBe(0);
    expect(JSON.parse(resumed.out)).toMatchObject({ text: 'finished', stopReason: 'done' });
    expect(await once(ws, server, '--resume')).toMatchObject({ code: 0, err: expect.stringContaining('nothing was open') });
    const slow = await serve(() => ({ text: 'late', delayMs: 30_000 }));
    const timed = await once(ws, slow, 'wait', '--json', '--timeout', '1');
    expect(timed.code).toBe(1);
    expect(JSON.parse(timed.out)).toMatchObject({ stopReason: 'timeout' });
  });

  test('--max-cost with an unknown price is wrong use', async () => {
    const ws = tempWorkspace();
    const server = await serve(() => ({ text: 'ok' }));
    expect(await once(ws, server, 'hi', '--max-cost', '1')).toMatchObject({ code: 2, err: expect.stringContaining('price') });
    expect(await once(ws, server, 'hi', '--timeout', 'soon')).toMatchObject({ code: 2 });
    expect(await once(ws, server, 'hi', '--session', 'nope')).toMatchObject({ code: 1, err: expect.stringContaining('nope') });
  });

  test('a resumed session carries what was said, with the same system prompt', async () => {
    const ws = tempWorkspace();
    const server = await serve((body) => ({ text: `heard ${body.messages.filter((m) => m.role === 'user').length}` }));
    await once(ws, server, 'one');
    const second = await once(ws, server, '--resume', 'two');
    expect(second.out).toBe('heard 2\n');
    const [first, then] = server.requests;
    expect(then?.body.messages[0]).toEqual(first?.body.messages[0]);
  });

  test('Ctrl+C rolls the turn back, ends what it started, and exits 130', async () => {
    const ws = tempWorkspace();
    const server = await serve(
      inOrder(
        { calls: [{ name: 'write_file', args: { path: 'made.txt', content: 'x\n' } }] },
        { calls: [{ name: 'bash', args: { command: 'echo $$ > pid; sleep 60' } }] },
        { text: 'next' },
      ),
    );
    const child = startXz(ws, ['once', 'do it', '--yes'], { env: modelEnv(server) });
    await until(() => ws.has('pid') && ws.read('pid').trim() !== '', 'the command has started');
    child.kill('SIGINT');
    expect((await child.ended).code).toBe(130);
    expect(alive(Number(ws.read('pid')))).toBe(false);
    const next = await once(ws, server, '--resume', 'and now?');
    expect(next.code).toBe(0);
    const sent = JSON.stringify(server.requests.at(-1)?.body.messages);
    expect(sent).toContain('do it');
    expect(sent).toContain('made.txt');
    expect(server.requests.at(-1)?.body.messages.filter((m) => m.role === 'tool')).toEqual([]);
  });

  test('a second Ctrl+C while the first unwinds forces the exit with 130, and takes the command along', async () => {
    const ws = tempWorkspace();
    let free = false;
    const command = "trap '' TERM INT; echo $$ > pid; while :; do sleep 60; done";
    const server = await serve(() => (free ? { text: 'went on' } : { calls: [{ name: 'bash', args: { command } }] }));
    const child = startXz(ws, ['once', 'do it', '--yes'], { env: modelEnv(server) });
    await until(() => ws.has('pid') && ws.read('pid').trim() !== '', 'the command has started');
    child.kill('SIGINT');
    child.kill('SIGINT');
    // Two signals of a kind that are not yet handled are one: the second is sent until somebody has heard it.
    const again = setInterval(() => child.kill('SIGINT'), 5);
    expect((await child.ended).code).toBe(130);
    clearInterval(again);
    await until(() => !alive(Number(ws.read('pid'))), 'the command to be gone', 3_000);
    // Nothing was rolled back: there was no time for it.
    free = true;
    expect(await once(ws, server, '--resume')).toMatchObject({ code: 0, out: 'went on\n' });
  });

  test('a session is written by one process: a second one is told who holds it', async () => {
    const ws = tempWorkspace();
    const server = await serve(inOrder({ text: 'first' }, { text: 'slow', delayMs: 20_000 }));
    const { session } = JSON.parse((await once(ws, server, 'one', '--json')).out);
    const holder = startXz(ws, ['once', '--session', session, 'two'], { env: modelEnv(server) });
    await until(() => server.requests.length === 2, 'the second request');
    const refused = await once(ws, server, '--session', session, 'three');
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`session ${session} is in use by xz once`) });
    holder.kill('SIGKILL');
    await holder.ended;
    expect(server.requests).toHaveLength(2);
  });

  test('an unwritable workspace is told before the first model call', async () => {
    const ws = tempWorkspace();
    const server = await serve(() => ({ text: 'ok' }));
    const run = await runXz(ws, ['once', 'hi'], { env: { ...modelEnv(server), XZ_FAULT: 'EACCES:1:.agents' } });
    expect(run.code).toBe(1);
    expect(run.err).toMatch(/EACCES/);
    expect(server.requests).toEqual([]);
  });

  test('the version is that of the package', async () => {
    const ws = tempWorkspace();
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
    expect(await runXz(ws, ['--version'])).toMatchObject({ code: 0, out: `${version}\n` });
  });
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
