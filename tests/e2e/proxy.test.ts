// The built program behind a proxy that the environment names: https through a tunnel, in the lead's thread and a teammate's.
import { expect, test } from 'vitest';
import { modelEnv, sentText, startModelServer } from '../helpers/model-server.ts';
import { portOf, startProxy, TEST_CERTIFICATE } from '../helpers/proxy-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

const HERE = { url: 'https://model.test/v1' };

test('a request goes through a tunnel, and the program ends at once although the connection is kept', async () => {
  const ws = tempWorkspace();
  const server = await startModelServer(({ messages }) => {
    if (messages.at(-1)?.role === 'tool') return { text: `it says ${sentText(messages.at(-1))}` };
    return { calls: [{ name: 'bash', args: { command: 'echo $HTTPS_PROXY' } }] };
  });
  const proxy = await startProxy({ hosts: { 'model.test': portOf(server.url) }, credentials: 'me:secret-word' });
  const { code, out, err } = await runXz(ws, ['once', 'hi', '--yes'], {
    env: { ...modelEnv(HERE), HTTPS_PROXY: proxy.url.replace('//', '//me:secret-word@'), NODE_EXTRA_CA_CERTS: TEST_CERTIFICATE },
  });
  expect([code, err]).toEqual([0, '']);
  // Commands use it too, and the password in it is shown to nobody.
  expect(out).toBe(`it says ${proxy.url.replace('//', '//me:[secret]@')}\n`);
  // On a slow machine the server may have closed the kept connection before the second request.
  expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT model.test:443']));
  expect(server.requests).toHaveLength(2);
});

test('a teammate is behind the same proxy', async () => {
  const ws = tempWorkspace();
  const server = await startModelServer(({ messages }) => {
    const said = messages.map(sentText).join('\n');
    if (said.includes('[Task from Lead')) return { text: 'greetings from ann' };
    const results = messages.filter(({ role }) => role === 'tool').length;
    if (results === 0) return { calls: [{ name: 'spawn_teammate', args: { name: 'ann', task: 'say hello' } }] };
    if (results === 1) return { calls: [{ name: 'collect_results', args: { wait_seconds: 30 } }] };
    return { text: said.includes('greetings from ann') ? 'heard' : 'nothing' };
  });
  const proxy = await startProxy({ hosts: { 'model.test': portOf(server.url) } });
  const { code, out } = await runXz(ws, ['once', 'hi', '--yes', '--team'], {
    env: { ...modelEnv(HERE), https_proxy: proxy.url, NODE_EXTRA_CA_CERTS: TEST_CERTIFICATE },
  });
  expect([code, out]).toEqual([0, 'heard\n']);
  expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT model.test:443']));
});

test('without the certificate of the server nothing is sent to it, proxy or not', async () => {
  const ws = tempWorkspace();
  const server = await startModelServer();
  const proxy = await startProxy({ hosts: { 'model.test': portOf(server.url) } });
  const { code, err } = await runXz(ws, ['once', 'hi', '--timeout', '1'], { env: { ...modelEnv(HERE), HTTPS_PROXY: proxy.url } });
  expect(code).toBe(1);
  expect(err).toContain('self-signed certificate');
  expect(server.requests).toHaveLength(0);
});
