// Whatever a server says when it fails, no error tells a secret or moves the cursor of a terminal. Over real HTTP.
import { expect, test } from 'vitest';
import type { ModelSettings } from '../../../../workers/agent/model/settings.ts';
import type { Reply } from '../../../helpers/model-reply.ts';
import { startModelServer } from '../../../helpers/model-server.ts';
import { askServer } from './asking.ts';

const KEY = 'sk-told-key-0123456789';
const OLD = 'other-secret-0123456789';
const message = `\u001b[31mred ${KEY}\u009b2J \u0007 ${OLD}\u202e`;

interface Failure {
  readonly name: string;
  readonly reply: Reply;
  readonly more?: Partial<ModelSettings>;
}

const failures: readonly Failure[] = [
  { name: 'an error answer', reply: { status: 400, body: { error: { message } } } },
  { name: 'a refused key', reply: { status: 401, body: { error: `wrong key: ${message}` } } },
  { name: 'an overloaded server', reply: { status: 500, body: message } },
  { name: 'a page', reply: { status: 400, body: `<html><b>${message}</b></html>` } },
  {
    name: 'an error that is cut in the middle of the key',
    reply: { status: 400, body: { error: { message: `${'x'.repeat(283)}${message}` } } },
  },
  { name: 'a key with codes in it', reply: { status: 400, body: { error: { message: `sk-told-\u001b[1mkey-0123456789 ${message}` } } } },
  { name: 'a redirect', reply: { status: 307, body: '', headers: { location: `http://127.0.0.1:9/${KEY}?${OLD}` } } },
  { name: 'an error in the stream', reply: { raw: [`data: ${JSON.stringify({ error: { message } })}\n\n`] } },
  { name: 'a piece that is no JSON', reply: { raw: [`data: ${'x'.repeat(70)} ${KEY} {\n\n`] } },
  { name: 'an answer that is no JSON', reply: { raw: [`${'x'.repeat(45)} ${KEY} ${OLD}`], contentType: 'application/json' } },
  { name: 'another content type', reply: { raw: ['x'], contentType: `text/${KEY}` } },
  {
    name: 'an error in the messages API',
    reply: { raw: [`event: error\ndata: ${JSON.stringify({ type: 'error', error: { message } })}\n\n`] },
    more: { api: 'anthropic-messages' },
  },
];

test.each(failures)('$name', async ({ reply, more }) => {
  const server = await startModelServer(() => reply);
  for (const auth of [{ apiKey: KEY }, { bearer: KEY }, { headers: { 'X-Api-Key': KEY } }]) {
    const error: unknown = await askServer(server, { auth: async () => auth, secrets: () => [OLD], ...more }).catch(
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof Error)) throw new Error('it did not fail');
    const all = JSON.stringify([error.message, { ...error }]);
    for (const part of [KEY.slice(0, 12), KEY.slice(-10), OLD.slice(0, 12)]) expect(all).not.toContain(part);
    expect(error.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(error.message.length).toBeLessThan(420);
  }
});
