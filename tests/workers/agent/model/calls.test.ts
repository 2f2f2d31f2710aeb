// E6: which piece belongs to which call, over real HTTP.
import { describe, expect, it } from 'vitest';
import type { Content } from '../../../../store/sessions/message.ts';
import { callsOf } from '../../../../store/sessions/message.ts';
import { openModel } from '../../../../workers/agent/model/model.ts';
import type { Reply } from '../../../helpers/model-reply.ts';
import { inOrder, pairingFault, startModelServer } from '../../../helpers/model-server.ts';
import { ask, askServer, settingsFor, user } from './asking.ts';

const TWO: Reply = {
  calls: [
    { name: 'grep', args: { pattern: 'first {x}' }, id: 'read:0' },
    { name: 'read_file', args: { path: 'b' }, id: 'read:1' },
  ],
};
const EXPECTED = [
  ['read:0', 'grep', { pattern: 'first {x}' }],
  ['read:1', 'read_file', { path: 'b' }],
];
const told = (calls: ReturnType<typeof callsOf>) => calls.map(({ id, name, arguments: args }) => [id, name, args]);
const piece = (calls: unknown, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', model: 'm', choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: finish }] })}\n\n`;

describe('two calls in one reply keep their own id, name and arguments', () => {
  it.each<[string, Partial<Reply>]>([
    ['with indexes of their own', {}],
    ['under one shared index', { index: 'shared' }],
    ['without any index', { index: 'none' }],
    ['with id and name in every piece', { repeatId: true }],
    ['with id and name in every piece under one index', { repeatId: true, index: 'shared' }],
    ['with the name in pieces', { namePieces: true }],
    ['with two finish chunks', { finishTwice: true }],
    ['with the finish reason "stop"', { finish: 'stop' }],
    ['without [DONE]', { noDone: true }],
  ])('%s', async (_how, more) => {
    const server = await startModelServer(inOrder({ ...TWO, ...more }));
    const { content } = await askServer(server);
    expect(content.finish).toBe('calls');
    expect(told(callsOf(content))).toEqual(EXPECTED);
  });

  it('sent whole, without ids and under one index', async () => {
    const whole = (path: string) => [{ index: 0, function: { name: 'read_file', arguments: JSON.stringify({ path }) } }];
    const server = await startModelServer(inOrder({ raw: [piece(whole('a')), piece(whole('b'), 'tool_calls')] }));
    const { content } = await askServer(server);
    expect(callsOf(content).map(({ arguments: args }) => args)).toEqual([{ path: 'a' }, { path: 'b' }]);
    expect(new Set(callsOf(content).map(({ id }) => id)).size).toBe(2);
  });

  it('sent interleaved', async () => {
    const server = await startModelServer(
      inOrder({
        raw: [
          piece([{ index: 0, id: 'a', function: { name: 'grep', arguments: '{"pattern"' } }]),
          piece([{ index: 1, id: 'b', function: { name: 'read_file', arguments: '{"path":' } }]),
          piece([{ index: 0, function: { arguments: ':"1"}' } }]),
          piece([{ index: 1, function: { arguments: '"2"}' } }], 'tool_calls'),
        ],
      }),
    );
    const { content } = await askServer(server);
    expect(told(callsOf(content))).toEqual([
      ['a', 'grep', { pattern: '1' }],
      ['b', 'read_file', { path: '2' }],
    ]);
  });

  it('with an id that comes after the name, empty ids, and arguments given as an object', async () => {
    const server = await startModelServer(
      inOrder({
        raw: [
          piece([{ index: 0, id: '', function: { name: 'grep' } }]),
          piece([{ index: 0, id: 'late', function: { arguments: '{"pattern":"1"}' } }]),
          piece([{ index: 1, id: '', function: { name: 'grep', arguments: { pattern: '2' } } }], 'tool_calls'),
        ],
      }),
    );
    const { content } = await askServer(server);
    expect(callsOf(content)).toMatchObject([
      { id: 'late', arguments: { pattern: '1' } },
      { id: expect.stringMatching(/./), arguments: { pattern: '2' } },
    ]);
  });

  it('in one JSON body instead of a stream', async () => {
    const message = {
      role: 'assistant',
      content: 'both',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'grep', arguments: '{"pattern":"1"}' } }],
    };
    const body = JSON.stringify({
      id: 'x',
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 5, completion_tokens: 2 },
    });
    const server = await startModelServer(inOrder({ raw: [body], contentType: 'application/json' }));
    const { content } = await askServer(server);
    expect(content.parts).toMatchObject([
      { type: 'text', text: 'both' },
      { type: 'call', id: 'a' },
    ]);
    expect(content.usage.total).toBe(7);
  });
});

it('what Gemini puts on a call goes back with it, to the model that made it and to no other', async () => {
  const seal = { google: { thought_signature: 'SIG==' } };
  const first = { index: 0, id: 'a', function: { name: 'grep', arguments: '{"pattern":"1"}' } };
  const second = { index: 1, id: 'b', function: { name: 'grep', arguments: '{"pattern":"2"}' }, extra_content: seal };
  const server = await startModelServer(
    inOrder({ raw: [piece([first]), piece([second], 'tool_calls')] }, { text: 'done' }, { text: 'other' }),
  );
  const model = openModel(settingsFor(server));
  const { content } = await ask(model, [user('hi')]);
  const results = callsOf(content).map(
    ({ id, name }, callIndex): Content => ({ role: 'tool', callRow: 1, callIndex, callId: id, name, text: 'found', isError: false }),
  );
  for (const to of [model, openModel(settingsFor(server, { model: 'other' }))]) await ask(to, [user('hi'), content, ...results]);
  const sent = server.requests.slice(1).map(({ body }) => body.messages.filter((message) => message.role === 'assistant'));
  const calls = [first, second].map(({ id, function: made }) => ({ id, type: 'function', function: made }));
  expect(sent[0]).toEqual([{ role: 'assistant', content: null, tool_calls: [calls[0], { ...calls[1], extra_content: seal }] }]);
  expect(sent[1]).toEqual([{ role: 'assistant', content: null, tool_calls: calls }]);
});

it('arguments with raw line breaks, none at all, or encoded twice are read', async () => {
  const calls = [
    { name: 'write_file', args: '{"content":"a\nb\tc"}', id: '1' },
    { name: 'list_tasks', args: '', id: '2' },
    { name: 'grep', args: JSON.stringify('{"pattern":"x"}'), id: '3' },
  ];
  const server = await startModelServer(inOrder({ calls }));
  const { content } = await askServer(server);
  expect(callsOf(content).map(({ arguments: args }) => args)).toEqual([{ content: 'a\nb\tc' }, {}, { pattern: 'x' }]);
});

it('an id that repeats in the next turn is echoed unchanged, each result in its own turn', async () => {
  const reply = (pattern: string): Reply => ({ calls: [{ name: 'grep', args: { pattern }, id: 'read:0' }] });
  const server = await startModelServer(inOrder(reply('one'), reply('two'), { text: 'done' }));
  const model = openModel(settingsFor(server));
  const history: Content[] = [user('go')];
  for (const text of ['result one', 'result two']) {
    const { content } = await ask(model, history);
    history.push(content, { role: 'tool', callRow: 0, callIndex: 0, callId: 'read:0', name: 'grep', text, isError: false });
  }
  await ask(model, history);
  const sent = server.requests[2]?.body;
  expect(sent && pairingFault(sent)).toBe('');
  expect(
    sent?.messages
      .slice(2)
      .map(({ tool_calls, tool_call_id, content }) => [
        tool_calls?.[0]?.id ?? tool_call_id,
        tool_calls?.[0]?.function.arguments ?? content,
      ]),
  ).toEqual([
    ['read:0', '{"pattern":"one"}'],
    ['read:0', 'result one'],
    ['read:0', '{"pattern":"two"}'],
    ['read:0', 'result two'],
  ]);
});
