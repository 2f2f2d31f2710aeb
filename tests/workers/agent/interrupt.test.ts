// An interrupt at every moment of a turn is a result and nothing else: no crash, no unseen rejection, and a history that
// the next request can be made from (L2, E4).
import { Type } from 'typebox';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentEvent } from '../../../workers/agent/events.ts';
import { defineTool, type Tool } from '../../../workers/agent/tools/tool.ts';
import { testAgent } from '../../helpers/agent.ts';
import type { Reply } from '../../helpers/model-reply.ts';
import { pairingFault, type SentBody, sentText, startModelServer } from '../../helpers/model-server.ts';
import { until } from '../../helpers/until.ts';

const unseen: unknown[] = [];
const note = (reason: unknown): void => void unseen.push(reason);
beforeEach(() => void process.on('unhandledRejection', note));
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unseen.splice(0)).toEqual([]);
});

/** What providers refuse besides pairing: a message that says nothing. */
const emptyMessages = (body: SentBody): unknown[] =>
  body.messages.filter((message) => sentText(message).trim() === '' && (message.tool_calls ?? []).length === 0);

const bulk: Tool = defineTool({
  name: 'bulk',
  description: 'returns much',
  parameters: Type.Object({}),
  readOnly: true,
  keyed: false,
  run: () => Promise.resolve({ text: 'lorem ipsum '.repeat(900) }),
});

/** A tool that ends only with the signal, and badly. */
const stubborn: Tool = defineTool({
  name: 'stubborn',
  description: 'waits',
  parameters: Type.Object({}),
  readOnly: false,
  keyed: false,
  run: (_args, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('broken by the abort')));
    }),
});

const HANG: Reply = { text: 'never whole', cut: 'hang' };

/** At which event or request the person interrupts, with what the model says until then. */
const MOMENTS: ReadonlyArray<readonly [when: string, replies: readonly Reply[], at: { events?: string; requests?: number }]> = [
  ['before the first byte', [{ cut: 'hang', cutAt: 'start' }], { requests: 1 }],
  ['during reasoning, with no word said', [{ reasoning: 'hm', cut: 'hang', cutAt: 'end' }], { requests: 1 }],
  ['in mid-text', [HANG], { requests: 1 }],
  [
    'inside the arguments of a call',
    [{ calls: [{ name: 'bulk', args: { a: 'a long one' } }], cut: 'hang', cutAt: 'calls' }],
    { requests: 1 },
  ],
  ['while a tool runs that breaks by it', [{ calls: [{ name: 'stubborn', args: {} }] }], { events: 'tool_start' }],
  ['in the wait before a retry', [{ status: 503, body: {}, headers: { 'retry-after': '30' } }], { events: 'notice' }],
];

test.each(MOMENTS)('%s', async (_when, replies, at) => {
  let asked = 0;
  const server = await startModelServer(() => replies[asked++] ?? { text: 'fine' });
  const { agent, events } = testAgent(server, { tools: [bulk, stubborn] });
  const running = agent.run({ kind: 'user', text: 'do it' });
  const seen = (type: string | undefined) => events.some((event: AgentEvent) => event.type === type);
  await until(() => (at.requests === undefined ? seen(at.events) : server.requests[at.requests - 1]?.reply !== undefined), 'the moment');
  agent.stop('interrupt');
  agent.stop('interrupt');
  expect(await running).toMatchObject({ stopReason: 'interrupted' });
  asked = replies.length;
  expect(await agent.run({ kind: 'user', text: 'and now?' })).toMatchObject({ stopReason: 'done', text: 'fine' });
  const sent = server.requests.at(-1)?.body;
  expect(sent && [pairingFault(sent), emptyMessages(sent)]).toEqual(['', []]);
  expect(sent?.messages.filter(({ role }) => role === 'assistant')).toEqual([]);
});

test('while a conversation is summarised', async () => {
  let hang = true;
  const server = await startModelServer((body) => {
    if (body.tools === undefined) return hang ? HANG : { text: 'A summary.' };
    const results = body.messages.filter(({ role }) => role === 'tool').length;
    return results < 6 && hang ? { calls: [{ name: 'bulk', args: {} }], usage: false } : { text: 'fine', usage: false };
  });
  const { agent } = testAgent(server, { tools: [bulk], window: 12_000 });
  const running = agent.run({ kind: 'user', text: 'read all' });
  await until(() => server.requests.some(({ body, reply }) => body.tools === undefined && reply !== undefined), 'the summary to begin');
  agent.stop('interrupt');
  expect(await running).toMatchObject({ stopReason: 'interrupted' });
  hang = false;
  expect(await agent.run({ kind: 'user', text: 'and now?' })).toMatchObject({ stopReason: 'done', text: 'fine' });
  for (const { body } of server.requests) expect([pairingFault(body), emptyMessages(body)]).toEqual(['', []]);
});

test('replies of nothing, or of blanks, leave nothing behind and are never sent back (E4)', async () => {
  const server = await startModelServer((body) => {
    if (emptyMessages(body).length > 0) return { status: 400, body: { error: { message: 'content must not be empty' } } };
    const last = sentText(body.messages.at(-1));
    return last.includes('speak') ? { text: 'words' } : last.includes('blank') ? { text: '\n\n' } : { text: '' };
  });
  const { agent, sessions } = testAgent(server);
  for (const text of ['say nothing', 'say blanks: blank', 'again nothing'])
    expect(await agent.run({ kind: 'user', text })).toMatchObject({ stopReason: 'error' });
  expect(sessions.messages(agent.session).filter(({ content }) => content.role === 'assistant')).toEqual([]);
  expect(await agent.run({ kind: 'user', text: 'now speak' })).toMatchObject({ stopReason: 'done', text: 'words' });
});
