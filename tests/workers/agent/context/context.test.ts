// Context care: what is sent fits, the present request stays word for word, and compaction that cannot help stops.
import { Type } from 'typebox';
import { afterEach, describe, expect, test } from 'vitest';
import type { MessageRow } from '../../../../store/sessions/sessions.ts';
import { cutPoint, presentRequest, summaryPrompt } from '../../../../workers/agent/context/summary.ts';
import { estimateContent } from '../../../../workers/agent/model/estimate.ts';
import { defineTool, type Tool } from '../../../../workers/agent/tools/tool.ts';
import { testAgent } from '../../../helpers/agent.ts';
import { type ModelServer, pairingFault, type Respond, sentText, startModelServer } from '../../../helpers/model-server.ts';

const servers: ModelServer[] = [];
const serve = async (respond: Respond): Promise<ModelServer> => {
  const server = await startModelServer(respond);
  servers.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

/** A tool whose result has `size` characters. */
const bulk: Tool = defineTool({
  name: 'bulk',
  description: 'returns much',
  parameters: Type.Object({ size: Type.Number() }),
  readOnly: true,
  keyed: false,
  run: ({ size }) => Promise.resolve({ text: 'lorem ipsum '.repeat(Math.ceil(size / 12)).slice(0, size) }),
});

const REQUEST = 'Count to the end, and never forget the word 凤凰.';

describe('a long turn', () => {
  test('is shrunk and summarised inside the tool loop, with the request word for word', async () => {
    let calls = 0;
    const server = await serve((body) => {
      if (body.tools === undefined) return { text: 'Summary: counted so far; the word is kept.' };
      return ++calls <= 40 ? { calls: [{ name: 'bulk', args: { size: 3_000 } }], usage: false } : { text: 'the end', usage: false };
    });
    const { agent, events } = testAgent(server, { tools: [bulk], window: 16_000 });
    const outcome = await agent.run({ kind: 'user', text: REQUEST });
    expect(outcome).toMatchObject({ stopReason: 'done', text: 'the end' });
    for (const { body } of server.requests) {
      expect(pairingFault(body)).toBe('');
      const size = body.messages.reduce((sum, message) => sum + sentText(message).length, 0);
      expect(size / 4).toBeLessThan(16_000);
      if (body.tools !== undefined) expect(body.messages.map(sentText).join('\n')).toContain(REQUEST);
    }
    expect(events.some((event) => event.type === 'notice' && event.code === 'compaction')).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['more than it stands for', 'x'.repeat(400_000)],
  ])('a summary of %s is not taken, and the turn ends instead of looping', async (_what, summary) => {
    let summaries = 0;
    const server = await serve((body) => {
      if (body.tools === undefined) {
        summaries++;
        return { text: summary };
      }
      return { calls: [{ name: 'bulk', args: { size: 9_000 } }], usage: false };
    });
    const { agent } = testAgent(server, { tools: [bulk], window: 8_000 });
    const outcome = await agent.run({ kind: 'user', text: REQUEST });
    expect(outcome.stopReason).toBe('error');
    expect(outcome.fault?.text).toContain('summarising does not help');
    expect(summaries).toBeLessThanOrEqual(3);
  });

  test('an overflow that the provider reports is answered by one summary and one more try', async () => {
    let asked = 0;
    const server = await serve((body) => {
      if (body.tools === undefined) return { text: 'Short summary.' };
      asked++;
      if (asked === 6) return { status: 400, body: { error: { message: 'maximum context length is 8192 tokens' } } };
      return asked < 6 ? { calls: [{ name: 'bulk', args: { size: 2_000 } }] } : { text: 'made it' };
    });
    const { agent, sessions } = testAgent(server, { tools: [bulk], window: 32_000 });
    expect(await agent.run({ kind: 'user', text: REQUEST })).toMatchObject({ stopReason: 'done', text: 'made it' });
    // The summary is paid too, though it is no reply of the conversation.
    const replies = sessions.messages(agent.session).flatMap(({ content }) => (content.role === 'assistant' ? [content.usage.total] : []));
    const paid = replies.reduce((sum, total) => sum + total, 0);
    expect(agent.tokens()).toBeGreaterThan(paid);
    expect(sessions.spent(agent.session).tokens).toBe(agent.tokens());
    expect(asked).toBe(7);
  });

  test.each([
    ['known', 12_000],
    ['not known', 200_000],
  ])('results of one reply that are too much together for a window that is %s are cut to their ends', async (_what, window) => {
    let asked = 0;
    const server = await serve((body) => {
      const size = body.messages.reduce((sum, message) => sum + sentText(message).length, 0);
      if (size / 4 > 12_000) return { status: 400, body: { error: { message: 'maximum context length is 12000 tokens' } } };
      return asked++ === 0 ? { calls: Array.from({ length: 12 }, () => ({ name: 'bulk', args: { size: 6_000 } })) } : { text: 'made it' };
    });
    const { agent } = testAgent(server, { tools: [bulk], window });
    expect(await agent.run({ kind: 'user', text: REQUEST })).toMatchObject({ stopReason: 'done', text: 'made it' });
    const sent = server.requests.at(-1)?.body;
    expect(sent === undefined ? 'none' : pairingFault(sent)).toBe('');
    expect(sent?.messages.map(sentText).join('\n')).toContain('left out to fit your window');
  });

  test('a summary is asked for of less when its request overflows, and in fewer words when it was cut off', async () => {
    let asked = 0;
    const server = await serve((body) => {
      const size = body.messages.reduce((sum, message) => sum + sentText(message).length, 0);
      if (size > 40_000) return { status: 400, body: { error: { message: 'maximum context length is 10000 tokens' } } };
      if (body.tools !== undefined) return ++asked <= 6 ? { calls: [{ name: 'bulk', args: { size: 9_000 } }] } : { text: 'made it' };
      return body.messages.map(sentText).join('').includes('at most 600 words')
        ? { text: 'Short and whole.' }
        : { text: 'Half a sum', finish: 'length' };
    });
    const { agent } = testAgent(server, { tools: [bulk], window: 200_000 });
    expect(await agent.run({ kind: 'user', text: REQUEST })).toMatchObject({ stopReason: 'done', text: 'made it' });
    expect(server.requests.at(-1)?.body.messages.map(sentText).join('\n')).toContain('Short and whole.');
  });

  test('60,000 Chinese characters are summarised before a window of 64,000 overflows', async () => {
    const server = await serve((body) => (body.tools === undefined ? { text: '摘要' } : { text: '好', usage: false }));
    const { agent } = testAgent(server, { tools: [bulk], window: 64_000 });
    for (let i = 0; i < 4; i++) await agent.run({ kind: 'user', text: '部署'.repeat(7_500) });
    await agent.run({ kind: 'user', text: '最后一个问题' });
    for (const { body } of server.requests) {
      const han =
        body.messages
          .map(sentText)
          .join('')
          .match(/\p{Script=Han}/gu)?.length ?? 0;
      expect(han).toBeLessThan(64_000);
    }
    expect(server.requests.some(({ body }) => body.tools === undefined)).toBe(true);
  });
});

describe('the cut of a summary', () => {
  const row = (id: number, content: MessageRow['content']): MessageRow => ({ id, session: 's', turn: 1, content, createdAt: id });
  const call = (id: number): MessageRow =>
    row(id, {
      role: 'assistant',
      parts: [{ type: 'call', id: `c${id}`, name: 'bulk', arguments: {} }],
      provider: 'p',
      model: 'm',
      api: 'a',
      finish: 'calls',
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      costUsd: null,
    });
  const result = (id: number, of: number): MessageRow =>
    row(id, { role: 'tool', callRow: of, callIndex: 0, callId: `c${of}`, name: 'bulk', text: 'x'.repeat(400), isError: false });
  const rows = [row(1, { role: 'user', text: REQUEST }), ...[2, 4, 6, 8, 10].flatMap((id) => [call(id), result(id + 1, id)])];

  test.each([50, 150, 300, 450])('keeping %i tokens never parts a call from its result', (keep) => {
    const through = cutPoint(rows, keep, estimateContent);
    const first = rows.find((one) => one.id > (through ?? 0));
    expect(first?.content.role).not.toBe('tool');
  });

  test('the present request is quoted when it is cut off, and only then', () => {
    expect(presentRequest(rows, 5)).toBe(REQUEST);
    expect(presentRequest([...rows, { ...row(12, { role: 'user', text: 'later' }), turn: 2 }], 5)).toBeUndefined();
  });

  test('what the model is asked fits the size given, whatever the rows hold', () => {
    const huge = Array.from({ length: 500 }, (_, id) => row(id, { role: 'user', text: '长'.repeat(5_000) }));
    expect(summaryPrompt(huge, 4_000).length).toBeLessThan(6_000);
  });

  test('an earlier summary and what a person said are asked about in full where long results stand beside them', () => {
    const earlier = `${'a '.repeat(1_500)}never touch prod.db ${'b '.repeat(1_500)}`;
    const many = Array.from({ length: 90 }, (_, id) => [call(2 * id + 10), result(2 * id + 11, 2 * id + 10)]).flat();
    const all = [
      row(1, { role: 'user', text: earlier, origin: { type: 'summary', throughMessage: 0 } }),
      row(2, { role: 'user', text: `${'c'.repeat(500)} only German ${'d'.repeat(500)}` }),
      ...many,
    ];
    const prompt = summaryPrompt(all, 50_000);
    expect(prompt).toContain('never touch prod.db');
    expect(prompt).toContain('only German');
    expect(prompt.length).toBeLessThan(51_000);
  });
});
