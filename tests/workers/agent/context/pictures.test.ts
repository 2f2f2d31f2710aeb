// A picture that the provider refuses does not make the session unusable.
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { openModel } from '../../../../workers/agent/model/model.ts';
import { defineTool } from '../../../../workers/agent/tools/tool.ts';
import { testAgent } from '../../../helpers/agent.ts';
import { startModelServer } from '../../../helpers/model-server.ts';

test('a refused picture is left out, that turn and the next go on, and a later picture is sent again', async () => {
  const server = await startModelServer((body) => {
    if (JSON.stringify(body.messages).includes('YmFk')) return { status: 400, body: { error: { message: 'Could not process image' } } };
    return /"(first|second)"/.test(JSON.stringify(body.messages.at(-1))) ? { calls: [{ name: 'look', args: {} }] } : { text: 'seen' };
  });
  const pictures = ['YmFk', 'Z29vZA=='];
  const look = defineTool({
    name: 'look',
    description: 'shows a picture',
    parameters: Type.Object({}),
    readOnly: true,
    keyed: false,
    run: () => Promise.resolve({ text: 'a picture', images: [{ data: pictures.shift() ?? '', mediaType: 'image/png' }] }),
  });
  const model = openModel({
    provider: 'custom',
    model: 'sees',
    baseUrl: server.url,
    api: 'openai-completions',
    auth: () => Promise.resolve({ apiKey: 'test-key' }),
    images: true,
  });
  const { agent } = testAgent(server, { tools: [look], over: { model: () => Promise.resolve(model) } });
  expect(await agent.run({ kind: 'user', text: 'first' })).toMatchObject({ stopReason: 'done' });
  expect(await agent.run({ kind: 'user', text: 'second' })).toMatchObject({ stopReason: 'done' });
  const last = JSON.stringify(server.requests.at(-1)?.body.messages);
  expect(last).toContain('the picture is not sent: the model, or its provider, did not take it');
  expect(last).toContain('Z29vZA==');
  await server.stop();
});
