// What a summary keeps over a long life of a session: the present request word for word, whoever gave it, however often
// the conversation was summarised; and what a failing or an unneeded summary does.
import { Type } from 'typebox';
import { afterEach, expect, test } from 'vitest';
import { defineTool, type Tool } from '../../../../workers/agent/tools/tool.ts';
import { testAgent } from '../../../helpers/agent.ts';
import type { Reply } from '../../../helpers/model-reply.ts';
import { type ModelServer, pairingFault, type Respond, sentText, startModelServer } from '../../../helpers/model-server.ts';
import { until } from '../../../helpers/until.ts';

const servers: ModelServer[] = [];
const serve = async (respond: Respond): Promise<ModelServer> => {
  const server = await startModelServer(respond);
  servers.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

const bulk: Tool = defineTool({
  name: 'bulk',
  description: 'returns much',
  parameters: Type.Object({ size: Type.Number() }),
  readOnly: true,
  keyed: false,
  run: ({ size }) => Promise.resolve({ text: 'lorem ipsum '.repeat(Math.ceil(size / 12)).slice(0, size) }),
});

const hang: Tool = defineTool({
  name: 'hang',
  description: 'waits',
  parameters: Type.Object({}),
  readOnly: false,
  keyed: false,
  run: (_args, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ text: 'stopped' }))),
});

const REQUEST = 'Count to the end, and never forget the word 凤凰.';
const summaries = ({ requests }: ModelServer): number => requests.filter(({ body }) => body.tools === undefined).length;
const seen = { agent: 'ann', epoch: 'e', mailId: 'm1' };

test.each([
  ['a person', { kind: 'user', text: REQUEST } as const],
  ['a mail', { kind: 'mail', mail: [{ id: 'm1', text: REQUEST, seen }] } as const],
])('the request of %s stays word for word through every summary of a long turn', async (_who, input) => {
  let calls = 0;
  const server = await serve((body) => {
    if (body.tools === undefined) return { text: 'Counted so far.' };
    return ++calls <= 40 ? { calls: [{ name: 'bulk', args: { size: 6_000 } }], usage: false } : { text: 'the end', usage: false };
  });
  const { agent } = testAgent(server, { tools: [bulk], window: 12_000 });
  expect(await agent.run(input)).toMatchObject({ stopReason: 'done', text: 'the end' });
  expect(summaries(server)).toBeGreaterThan(2);
  for (const { body } of server.requests)
    if (body.tools !== undefined) {
      expect(pairingFault(body)).toBe('');
      expect(body.messages.map(sentText).join('\n').split(REQUEST)).toHaveLength(2);
    }
});

test('what an earlier request asked is not quoted as the present one', async () => {
  const server = await serve((body) => (body.tools === undefined ? { text: 'So far.' } : { text: 'ok', usage: false }));
  const { agent } = testAgent(server, { tools: [bulk], window: 6_000 });
  await agent.run({ kind: 'user', text: `${REQUEST} ${'filler '.repeat(1_500)}` });
  await agent.run({ kind: 'user', text: `second ${'filler '.repeat(1_500)}` });
  await agent.run({ kind: 'user', text: 'third' });
  expect(summaries(server)).toBeGreaterThan(0);
  const sent = server.requests.at(-1)?.body.messages.map(sentText).join('\n');
  expect(sent).toContain('third');
  expect(sent).not.toContain(REQUEST);
});

const BUSY: Reply = { status: 429, body: { error: { message: 'too many requests' } }, headers: { 'retry-after-ms': '1' } };

test('a summary that the provider refuses for a moment is asked for again', async () => {
  let summary = 0;
  let calls = 0;
  const server = await serve((body) => {
    if (body.tools === undefined) return ++summary === 1 ? BUSY : { text: 'Counted so far.' };
    return ++calls <= 30 ? { calls: [{ name: 'bulk', args: { size: 6_000 } }], usage: false } : { text: 'the end', usage: false };
  });
  const { agent, events } = testAgent(server, { tools: [bulk], window: 12_000 });
  expect(await agent.run({ kind: 'user', text: REQUEST })).toMatchObject({ stopReason: 'done', text: 'the end' });
  expect(events.filter((event) => event.type === 'notice').map(({ code }) => code)).toEqual(
    expect.arrayContaining(['retry', 'compaction']),
  );
});

test('a turn that was rolled back does not count any more when it is asked whether the next one fits', async () => {
  let stop = false;
  const server = await serve((body) => {
    if (body.tools === undefined) return { text: 'So far.' };
    if (stop || body.messages.length < 5) return { text: 'fine' };
    const results = body.messages.filter(({ role }) => role === 'tool').length;
    return { calls: [results < 3 ? { name: 'bulk', args: { size: 9_000 } } : { name: 'hang', args: {} }] };
  });
  const { agent, events } = testAgent(server, { tools: [bulk, hang], window: 14_000 });
  await agent.run({ kind: 'user', text: 'hello' });
  await agent.run({ kind: 'user', text: `look at this ${'x'.repeat(12_000)}` });
  const running = agent.run({ kind: 'user', text: 'read all' });
  await until(() => events.some((event) => event.type === 'tool_start' && event.name === 'hang'), 'the hanging call');
  agent.stop('interrupt');
  await running;
  stop = true;
  expect(await agent.run({ kind: 'user', text: `and now? ${'x'.repeat(4_000)}` })).toMatchObject({ stopReason: 'done' });
  expect(summaries(server)).toBe(0);
});

test('a compaction by hand takes away neither the word on what an interrupt left behind nor what there is to resume', async () => {
  const replies: Reply[] = [
    { text: 'older '.repeat(2_000), usage: false },
    { calls: [{ name: 'hang', args: {} }] },
    { text: 'next' },
    { calls: [{ name: 'bulk', args: { size: 10 } }] },
    { text: 'resumed' },
  ];
  let asked = 0;
  const server = await serve((body) => (body.tools === undefined ? { text: 'So far.' } : replies[asked++]));
  const { agent, events } = testAgent(server, { tools: [bulk, hang], window: 8_000 });
  await agent.run({ kind: 'user', text: 'first' });
  const running = agent.run({ kind: 'user', text: 'make it' });
  await until(() => events.some((event) => event.type === 'tool_start'), 'the hanging call');
  agent.stop('interrupt');
  await running;
  await agent.compact();
  await agent.run({ kind: 'user', text: 'what now?' });
  expect(server.requests.at(-1)?.body.messages.map(sentText).join('\n')).toMatch(/make it[\s\S]*what now\?/);

  expect(await agent.run({ kind: 'user', text: 'go on' }, { maxRounds: 1 })).toMatchObject({ stopReason: 'rounds' });
  await agent.compact();
  expect(agent.unfinished()).toBeDefined();
  expect(await agent.run({ kind: 'resume' })).toMatchObject({ stopReason: 'done', text: 'resumed' });
});
