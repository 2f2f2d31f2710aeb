import { describe, expect, it } from 'vitest';
import { openModel } from '../../../../workers/agent/model/model.ts';
import { inOrder, startModelServer } from '../../../helpers/model-server.ts';
import { ask, askServer, settingsFor, user } from './asking.ts';

describe.each(['openai-completions', 'anthropic-messages'] as const)('a reply over %s', (api) => {
  const CALLS = [
    { name: 'grep', args: { pattern: '你好🌍' }, id: 'c1' },
    { name: 'grep', args: { pattern: 'b' }, id: 'c2' },
  ];

  it('arrives with its text, reasoning, calls and finish', async () => {
    const server = await startModelServer(inOrder({ text: 'Looking now, 你好🌍.', reasoning: 'think first', calls: CALLS }));
    const { content, deltas } = await askServer(server, { api });
    expect(content.parts).toMatchObject([
      { type: 'thinking', text: 'think first' },
      { type: 'text', text: 'Looking now, 你好🌍.' },
      { type: 'call', id: 'c1', name: 'grep', arguments: { pattern: '你好🌍' } },
      { type: 'call', id: 'c2', name: 'grep', arguments: { pattern: 'b' } },
    ]);
    expect(content.finish).toBe('calls');
    const told = (type: string) =>
      deltas
        .filter((delta) => delta.type === type)
        .map(({ delta }) => delta)
        .join('');
    expect(told('text')).toBe('Looking now, 你好🌍.');
    expect(told('thinking')).toBe('think first');
  });

  it('is the same when every byte comes alone, with heartbeats and CRLF', async () => {
    const server = await startModelServer(
      inOrder({ text: '你好🌍 done', calls: CALLS, bytewise: true, heartbeats: true, eol: '\r\n', chunk: 1 }),
    );
    const { content } = await askServer(server, { api });
    expect(content.parts).toEqual([
      { type: 'text', text: '你好🌍 done' },
      { type: 'call', id: 'c1', name: 'grep', arguments: { pattern: '你好🌍' } },
      { type: 'call', id: 'c2', name: 'grep', arguments: { pattern: 'b' } },
    ]);
  });

  it('carries no temperature and no reasoning switch unless they are set', async () => {
    const server = await startModelServer();
    await askServer(server, { api, reasoning: true });
    await askServer(server, { api, reasoning: true, temperature: 0.2 });
    const [plain, set] = server.requests;
    expect(Object.keys(plain?.body ?? {}).filter((key) => /temperature|thinking|reasoning|store|strict|developer/.test(key))).toEqual([]);
    expect(set?.body.temperature).toBe(0.2);
    expect(JSON.stringify(plain?.body)).not.toContain('"role":"developer"');
  });

  it.each([
    ['a cleanly ended stream', { text: 'half of it is here', cut: 'fin' }, 'cut'],
    ['a reset connection', { text: 'half of it is here', cut: 'destroy' }, 'cut'],
    ['a stream without a finish reason', { text: 'all', finish: null }, 'cut'],
    ['half-written arguments', { calls: [{ name: 'grep', args: '{"pattern": "a' }] }, 'half_arguments'],
    ['a stream cut inside the arguments', { calls: CALLS, cut: 'fin', cutAt: 'calls' }, 'cut'],
    ['a web page', { raw: ['<html><body>Sign in</body></html>'], contentType: 'text/html' }, 'malformed'],
    ['a broken piece', { raw: ['data: {"choices": [{"del\n\n'] }, 'malformed'],
  ] as const)('is an error, not a reply, for %s', async (_what, reply, kind) => {
    const server = await startModelServer(() => reply);
    await expect(askServer(server, { api })).rejects.toMatchObject({
      code: 'model_failed',
      kind,
      message: expect.stringContaining('http://127.0.0.1'),
    });
    expect(server.requests.length).toBe(1);
  });

  it('that hits the output limit has nothing to execute', async () => {
    const server = await startModelServer(
      inOrder({
        text: 'Writing.',
        calls: [{ name: 'grep', args: '{"pattern": "abc' }],
        finish: api === 'openai-completions' ? 'length' : 'max_tokens',
      }),
    );
    const { content } = await askServer(server, { api });
    expect(content.finish).toBe('length');
    expect(content.parts.map(({ type }) => type)).toEqual(['text', 'text']);
  });

  it('costs what the provider counted, caches apart', async () => {
    const usage =
      api === 'openai-completions'
        ? { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100, prompt_tokens_details: { cached_tokens: 400 } }
        : { input_tokens: 600, output_tokens: 100, cache_read_input_tokens: 400, cache_creation_input_tokens: 0 };
    const server = await startModelServer(inOrder({ text: 'ok', usage }));
    const { content } = await askServer(server, { api, price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } });
    expect(content.usage).toEqual({ input: 600, output: 100, cacheRead: 400, cacheWrite: 0, total: 1100 });
    expect(content.costUsd).toBeCloseTo((600 * 3 + 100 * 15 + 400 * 0.3) / 1e6, 12);
    const { content: unknown } = await ask(openModel(settingsFor(server, { api })), [user('hi')]);
    expect(unknown.costUsd).toBeNull();
  });
});

it('halves of a character in two pieces are told as one', async () => {
  const chunk = (content: string, finish: string | null = null) =>
    `data: {"id":"x","choices":[{"index":0,"delta":{"content":"${content}"},"finish_reason":${JSON.stringify(finish)}}]}\n\n`;
  const server = await startModelServer(inOrder({ raw: [chunk('a\\ud83c'), chunk('\\udf0d b'), chunk('\\ud83c', 'stop')] }));
  const { content, deltas } = await askServer(server);
  expect(deltas.map(({ delta }) => delta)).toEqual(['a', '🌍 b']);
  expect(content.parts).toEqual([{ type: 'text', text: 'a🌍 b\ufffd' }]);
});

it('a refusal is the text of the reply', async () => {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const server = await startModelServer(
    inOrder({ raw: [chunk({ content: null, refusal: 'I will ' }), chunk({ refusal: 'not.' }), chunk({}, 'stop')] }),
  );
  expect((await askServer(server)).content.parts).toEqual([{ type: 'text', text: 'I will not.' }]);
});

describe('a reply is read by what its body is', () => {
  const piece = (delta: unknown, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const stream = `${piece({ content: 'hello' })}${piece({}, 'stop')}data: [DONE]\n\n`;
  const whole = JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }] });

  it.each([
    ['a stream called text/plain', 'text/plain; charset=utf-8', stream],
    ['a stream called JSON', 'application/json', stream],
    ['a stream called bytes', 'application/octet-stream', stream],
    ['one JSON value called a stream', 'text/event-stream', whole],
    ['JSON after blanks that kept the connection open', 'application/json', `\n \n${whole}`],
    ['a stream without empty lines between its events', 'text/event-stream', stream.replaceAll('\n\n', '\n')],
  ])('%s', async (_what, contentType, body) => {
    const server = await startModelServer(() => ({ raw: [body], contentType }));
    const { content } = await askServer(server);
    expect(content).toMatchObject({ finish: 'stop', parts: [{ type: 'text', text: 'hello' }] });
  });

  it('a page is no reply, whatever it is called', async () => {
    const server = await startModelServer(() => ({ raw: ['<html><body>Please log in</body></html>'], contentType: 'text/plain' }));
    await expect(askServer(server)).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('an Anthropic stream without empty lines, too', async () => {
    const data = [
      { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ];
    const body = data.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n`).join('');
    const server = await startModelServer(() => ({ raw: [body] }));
    const { content } = await askServer(server, { api: 'anthropic-messages' });
    expect(content).toMatchObject({ finish: 'stop', parts: [{ type: 'text', text: 'hello' }] });
  });

  it('a limit named in capitals is a limit: nothing of its calls is to be run', async () => {
    const server = await startModelServer(() => ({ calls: [{ name: 'grep', args: { pattern: 'a' } }], finish: 'MAX_TOKENS' }));
    expect((await askServer(server)).content.finish).toBe('length');
  });

  it('a call in the form before tool calls is a call', async () => {
    const pieces = [{ function_call: { name: 'grep', arguments: '' } }, { function_call: { arguments: '{"pattern":"a"}' } }];
    const server = await startModelServer(() => ({ raw: [...pieces.map((each) => piece(each)), piece({}, 'function_call')] }));
    const { content } = await askServer(server);
    expect(content.parts).toMatchObject([{ type: 'call', name: 'grep', arguments: { pattern: 'a' } }]);
  });
});
