// The other ways to a model, from outside: Claude Code's variables, OpenAI's key, and keys that stay at home.
import { afterEach, expect, test } from 'vitest';
import { inOrder, type ModelServer, type Respond, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

const servers: ModelServer[] = [];
const serve = async (respond: Respond): Promise<ModelServer> => {
  const server = await startModelServer(respond);
  servers.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

const WORK = inOrder({ calls: [{ name: 'read_file', args: { path: 'README.md' } }] }, { text: 'read it' });

test('Claude Code’s variables are enough: the messages API with a bearer token', async () => {
  const ws = tempWorkspace();
  const server = await serve(WORK);
  const env = { ANTHROPIC_BASE_URL: server.anthropicUrl, ANTHROPIC_AUTH_TOKEN: 'claude-token', ANTHROPIC_MODEL: 'claude-x' };
  const run = await runXz(ws, ['once', 'read the readme', '--json'], { env });
  expect(run.code, run.err).toBe(0);
  expect(JSON.parse(run.out)).toMatchObject({ text: 'read it', stopReason: 'done' });
  expect(server.requests[0]?.headers.authorization).toBe('Bearer claude-token');
  expect(server.requests[0]?.body.model).toBe('claude-x');
});

test('a provider’s own variable serves as its key, and goes to no other address', async () => {
  const ws = tempWorkspace();
  const server = await serve(() => ({ text: 'hi' }));
  const env = { XZ_PROVIDER: 'openai', XZ_BASE_URL: server.url, XZ_MODEL: 'm', OPENAI_API_KEY: 'sk-openai', ANTHROPIC_API_KEY: 'sk-other' };
  expect((await runXz(ws, ['once', 'hi'], { env })).code).toBe(0);
  expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-openai');
  const custom = await runXz(ws, ['once', 'hi'], { env: { ...env, XZ_PROVIDER: 'custom' } });
  expect(custom.code === 2 || server.requests.at(-1)?.headers.authorization !== 'Bearer sk-openai').toBe(true);
});

test('flags stand over the environment, and a key is neither stored nor shown', async () => {
  const ws = tempWorkspace();
  const server = await serve(
    inOrder({ calls: [{ name: 'bash', args: { command: 'env; echo $XZ_API_KEY' } }] }, { text: 'the key is sk-secret-123' }),
  );
  const flags = ['--provider', 'custom', '--base-url', server.url, '--model', 'flagged', '--api-key', 'sk-secret-123'];
  const run = await runXz(ws, ['once', 'print the environment', '--yes', '--json', ...flags], {
    env: { XZ_MODEL: 'other', XZ_API_KEY: 'sk-secret-456' },
  });
  expect(run.code, run.err).toBe(0);
  expect(server.requests[0]?.body.model).toBe('flagged');
  const sent = JSON.stringify(server.requests[1]?.body.messages);
  expect(sent).not.toContain('sk-secret-456');
  expect(sent).not.toContain('sk-secret-123');
});
