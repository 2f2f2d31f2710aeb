// E12, L2, J2 and what servers answer when something is wrong: the right kind, the endpoint named, one request each.
import { createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { XzError } from '../../../../store/errors.ts';
import { openModel } from '../../../../workers/agent/model/model.ts';
import { errorText, type ModelError, retryAfterOf, retryTold } from '../../../../workers/agent/model/model-error.ts';
import { replyWithRetry } from '../../../../workers/agent/model/retry.ts';
import { fakeClock, settle } from '../../../helpers/clock.ts';
import type { Reply } from '../../../helpers/model-reply.ts';
import { inOrder, startModelServer } from '../../../helpers/model-server.ts';
import { until } from '../../../helpers/until.ts';
import { ask, askServer, requestOf, settingsFor, user } from './asking.ts';

afterEach(() => vi.unstubAllEnvs());

describe('an error answer has its kind', () => {
  const openAi = (message: string) => ({ error: { message, type: 'x' } });
  it.each<[number, unknown, string]>([
    [400, openAi('temperature must be 0.6'), 'bad_request'],
    [400, openAi("This model's maximum context length is 65536 tokens"), 'overflow'],
    [400, openAi('Your request exceeded model token limit: 262144 (requested: 300000)'), 'overflow'],
    [400, openAi('prompt is too long: 210000 tokens > 200000 maximum'), 'overflow'],
    // How others word it, each from a public report or the provider's own list of errors.
    [400, openAi('input length and `max_tokens` exceed context limit: 175272 + 32000 > 200000'), 'overflow'],
    [400, openAi('<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]'), 'overflow'],
    [400, openAi('Input length 203743 exceeds the maximum length 202752'), 'overflow'],
    [400, openAi('Prompt exceeds max length'), 'overflow'],
    [400, { error: { code: '1261', message: 'Prompt 超长' } }, 'overflow'],
    [400, openAi('The decoder prompt (length 40000) is longer than the maximum model length of 32768'), 'overflow'],
    [400, openAi('Input length (40000 tokens) exceeds the maximum allowed length (32768 tokens)'), 'overflow'],
    [400, { code: 20015, message: 'length of prompt_tokens (130000) must be less than max_seq_len (131072)' }, 'overflow'],
    [400, openAi('Input Tokens Exceeded: Number of input tokens exceeds maximum length'), 'overflow'],
    [422, { error: '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens' }, 'overflow'],
    [400, openAi('Total tokens of image and text exceed max message tokens'), 'overflow'],
    [500, openAi('Context size has been exceeded.'), 'overflow'],
    [500, openAi('rate limit: context window of requests'), 'server'],
    [429, { error: { code: '1113', message: '余额不足或无可用资源包,请充值。' } }, 'quota'],
    [400, openAi('rate limit: too many tokens per minute'), 'bad_request'],
    [413, 'Payload Too Large', 'overflow'],
    [401, openAi('bad key'), 'auth'],
    [403, openAi('forbidden'), 'auth'],
    [404, openAi('no such model'), 'bad_request'],
    [402, openAi('pay first'), 'quota'],
    [429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }, 'quota'],
    [429, openAi('slow down'), 'rate'],
    [429, [{ error: { code: 429, message: 'You exceeded your current quota, check your billing. Please retry in 47.4s.' } }], 'rate'],
    [429, [{ error: { code: 429, message: 'You exceeded your current quota, check your billing. Retry in 12h34m16s.' } }], 'quota'],
    [400, { error: { message: 'Provider returned error', metadata: { raw: '{"message":"maximum context length is 8192"}' } } }, 'overflow'],
    [500, '<html><title>Oops</title></html>', 'server'],
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'server'],
  ])('%i %j is %s', async (status, body, kind) => {
    const server = await startModelServer(() => ({ status, body }));
    const failed = askServer(server);
    await expect(failed).rejects.toMatchObject({ kind, status, code: 'model_failed' });
    await expect(failed).rejects.toThrow(`${server.url}: ${status} `);
    expect(server.requests.length).toBe(1);
  });

  it.each<[string, string]>([
    ['{"error":{"message":"Overloaded","type":"overloaded_error"}}', 'server'],
    ['{"error":{"message":"slow down","code":429}}', 'rate'],
    ['{"error":"context_length_exceeded"}', 'overflow'],
    ['{"error":{"message":"Invalid API key","type":"authentication_error"}}', 'auth'],
  ])('also inside a stream: %s is %s', async (data, kind) => {
    const server = await startModelServer(() => ({ raw: [`data: ${data}\n\n`] }));
    await expect(askServer(server)).rejects.toMatchObject({ kind });
    const anthropic = await startModelServer(() => ({
      raw: [`event: error\ndata: ${JSON.stringify({ type: 'error', ...JSON.parse(data) })}\n\n`],
    }));
    await expect(askServer(anthropic, { api: 'anthropic-messages' })).rejects.toMatchObject({ kind });
  });

  it.each<[string, string, string]>([
    ['{"code":401,"msg":"token invalid"}', 'auth', 'token invalid'],
    ['{"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}', 'quota', 'insufficient balance'],
    ['{"error":{"message":"busy","code":503}}', 'server', 'busy'],
    ['{"object":"error","message":"Invalid api_key"}', 'auth', 'Invalid api_key'],
  ])('also under the status 200: %s is %s', async (body, kind, said) => {
    const error = { kind, message: expect.stringContaining(said) };
    const whole = await startModelServer(() => ({ raw: [body], contentType: 'application/json' }));
    await expect(askServer(whole)).rejects.toMatchObject(error);
    const streamed = await startModelServer(() => ({ raw: [`event: error\ndata: ${body}\n\n`] }));
    await expect(askServer(streamed)).rejects.toMatchObject(error);
    const unnamed = await startModelServer(() => ({ raw: [`data: ${body}\n\ndata: [DONE]\n\n`] }));
    await expect(askServer(unnamed)).rejects.toMatchObject(error);
  });

  it.each<[string, string]>([
    ['[{"error":{"code":400,"message":"in a list"}}]', 'in a list'],
    ['{"error":{"message":"{\\"error\\":{\\"message\\":\\"in JSON\\"}}"}}', 'in JSON'],
    [
      '{"error":{"message":"Provider returned error","metadata":{"raw":"{\\"error\\":{\\"message\\":\\"the cause\\"}}"}}}',
      'Provider returned error: the cause',
    ],
    ['{"error":{"message":"Provider returned error","metadata":{"raw":"upstream is busy"}}}', 'Provider returned error: upstream is busy'],
    ['{"error":{"message":"Provider returned error","metadata":{"raw":{"error":"an object"}}}}', 'Provider returned error: an object'],
    ['{"error":{"message":"[1] is no list"}}', '[1] is no list'],
  ])('in %s is told as %s', (body, told) => {
    expect(errorText(body)).toBe(told);
  });

  it.each<[string, number | undefined]>([
    ['Please retry in 47.5s.', 47_500],
    ['{"retryDelay": "12s"}', 12_000],
    ['Please try again in 1m2.5s. Visit', 62_500],
    ['try again in 350ms', 350],
    ['Retry after 20 seconds', 20_000],
    ['try again later', undefined],
    ['retry in production', undefined],
  ])('that says %j asks to wait %s ms', (text, ms) => {
    expect(retryTold(text)).toBe(ms);
  });

  it('that names a field of ours is answered without that field, then and later', async () => {
    const refused = [
      ['stream_options', 'Unrecognized request argument supplied: stream_options'],
      ['max_tokens', "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."],
    ] as const;
    const server = await startModelServer((body) => {
      const field = refused.find(([name]) => name in body);
      return field === undefined ? { text: 'ok' } : { status: 400, body: { error: { message: field[1] } } };
    });
    const model = openModel(settingsFor(server, { maxOutput: 100 }));
    expect((await ask(model, [user('hi')])).content.finish).toBe('stop');
    expect((await ask(model, [user('hi')])).content.finish).toBe('stop');
    expect(server.requests).toHaveLength(4);
    expect(server.requests.at(-1)?.body).toMatchObject({ max_completion_tokens: 100 });
  });

  it('that is plain text in a stream is told', async () => {
    const server = await startModelServer(() => ({ raw: ['event: error\ndata: upstream went away\n\n'] }));
    await expect(askServer(server)).rejects.toMatchObject({ kind: 'server', message: expect.stringContaining('upstream went away') });
  });

  it.each<[string, string]>([
    ['sensitive', 'bad_request'],
    ['SAFETY', 'bad_request'],
    ['model_context_window_exceeded', 'overflow'],
    ['MALFORMED_FUNCTION_CALL', 'half_arguments'],
    ['abort', 'server'],
  ])('that is a finish reason, %s, is %s', async (finish, kind) => {
    const server = await startModelServer(() => ({ text: 'part', finish }));
    await expect(askServer(server)).rejects.toMatchObject({ kind, message: expect.stringContaining(finish) });
  });

  it('of a server that is not there, naming it', async () => {
    const gone = await startModelServer();
    await gone.stop();
    await expect(askServer(gone)).rejects.toMatchObject({
      kind: 'network',
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1: cannot be reached \(.*ECONNREFUSED/),
    });
  });

  it('of one that hangs up without a word', async () => {
    const server = await startModelServer(() => ({ cut: 'destroy', cutAt: 'start' }));
    await expect(askServer(server)).rejects.toMatchObject({ kind: 'network' });
  });

  it('of one that speaks no HTTP', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`;
    await expect(
      askServer({ url, anthropicUrl: url, requests: [], embeddingRequests: [], peak: () => 0, inFlight: () => 0, stop: async () => {} }),
    ).rejects.toMatchObject({ kind: 'network' });
    server.close();
  });

  it('of a redirect, which is not followed with the key', async () => {
    const other = await startModelServer();
    const server = await startModelServer(() => ({ status: 307, body: '', headers: { location: `${other.url}/chat/completions` } }));
    await expect(askServer(server)).rejects.toMatchObject({ kind: 'bad_request', message: expect.stringContaining(other.url) });
    expect(other.requests).toEqual([]);
  });
});

describe('silence', () => {
  it.each<[string, Reply]>([
    ['before the answer', { cut: 'hang', cutAt: 'start' }],
    ['in mid-stream', { text: 'some words, then none', cut: 'hang' }],
  ])('%s ends the request as idle', async (_when, reply) => {
    const server = await startModelServer(() => reply);
    const clock = fakeClock();
    const deltas: string[] = [];
    const failed = openModel(settingsFor(server, { idleMs: 60_000 }), clock).reply(
      requestOf([user('hi')], { onDelta: ({ delta }) => deltas.push(delta) }),
    );
    failed.catch(() => undefined);
    await until(() => server.requests[0]?.reply !== undefined && (reply.cutAt === 'start' || deltas.join('').length >= 12));
    await until(async () => {
      await clock.advance(60_000);
      return server.requests[0]?.closed;
    });
    await expect(failed).rejects.toMatchObject({ kind: 'idle', message: expect.stringContaining('60 s') });
    expect(clock.pending()).toBe(0);
  });

  it('of content is not hidden for ever by heartbeats', async () => {
    const server = await startModelServer(() => ({ raw: new Array<string>(10_000).fill(': still here\n\n'), chunkMs: 2 }));
    const clock = fakeClock();
    const failed = openModel(settingsFor(server, { idleMs: 60_000 }), clock).reply(requestOf([user('hi')]));
    failed.catch(() => undefined);
    await until(() => server.requests[0]?.reply !== undefined);
    // Each heartbeat starts the idle time anew; only the clock of content goes on.
    await until(() => {
      clock.jump(clock.now() + 50_000);
      return server.requests[0]?.closed;
    });
    await expect(failed).rejects.toMatchObject({ kind: 'idle', message: expect.stringContaining('heartbeats') });
  });

  it('after the finish reason loses nothing', async () => {
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    for (const cut of ['hang', 'destroy'] as const) {
      const pieces = [chunk({ content: 'whole' }, null), chunk({}, 'stop')];
      const server = await startModelServer(() => ({
        cut,
        cutAt: 'end',
        text: 'whole',
        raw: cut === 'destroy' ? pieces : [...pieces, ': still here\n\n'],
      }));
      const { content } = await askServer(server);
      expect(content).toMatchObject({ finish: 'stop', parts: [{ type: 'text', text: 'whole' }] });
    }
  });
});

describe('an abort', () => {
  it.each<[string, Reply]>([
    ['before the first byte', { cut: 'hang', cutAt: 'start' }],
    ['in mid-text', { text: 'some words, then none', cut: 'hang' }],
    [
      'inside the arguments of a call',
      { calls: [{ name: 'grep', args: { pattern: 'a long pattern to search for' } }], cut: 'hang', cutAt: 'calls' },
    ],
  ])('%s is "interrupted" and closes the connection', async (_when, reply) => {
    const server = await startModelServer(() => reply);
    const stop = new AbortController();
    const failed = openModel(settingsFor(server)).reply(requestOf([user('hi')], { signal: stop.signal }));
    failed.catch(() => undefined);
    await until(() => server.requests[0]?.reply !== undefined);
    stop.abort();
    await expect(failed).rejects.toMatchObject({ code: 'interrupted' });
    await until(() => server.requests[0]?.closed);
  });

  it('before the start sends nothing, and during a token refresh does not wait for it', async () => {
    const server = await startModelServer();
    await expect(ask(openModel(settingsFor(server)), [user('hi')], { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'interrupted',
    });
    const stop = new AbortController();
    const clock = fakeClock();
    const model = openModel(settingsFor(server, { auth: () => new Promise(() => {}) }), clock);
    const failed = model.reply(requestOf([user('hi')], { signal: stop.signal }));
    await settle();
    stop.abort();
    await expect(failed).rejects.toMatchObject({ code: 'interrupted' });
    expect(server.requests).toEqual([]);
    // No timer is left that would hold the process.
    await until(() => clock.pending() === 0);
  });

  it('leaves no listener behind on a signal that serves many requests', async () => {
    const server = await startModelServer();
    const model = openModel(settingsFor(server));
    const stop = new AbortController();
    const warnings: string[] = [];
    const note = (warning: Error) => warnings.push(warning.message);
    process.on('warning', note);
    for (let n = 0; n < 15; n++) await ask(model, [user('hi')], { signal: stop.signal });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});

describe('what proves who asks', () => {
  it('is asked for every request; after a 401 once more, and no further', async () => {
    const server = await startModelServer((_body, n) => (n === 1 ? { status: 401 } : n > 2 ? { status: 401 } : { text: 'ok' }));
    let token = 1;
    let refreshed = 0;
    const model = openModel(
      settingsFor(server, {
        auth: async () => ({ bearer: `token-${token}`, headers: { 'x-device': 'd1' } }),
        refresh: async () => {
          token++;
          refreshed++;
          return true;
        },
      }),
    );
    await ask(model, [user('one')]);
    await ask(model, [user('two')]);
    await expect(ask(model, [user('three')])).rejects.toMatchObject({
      kind: 'auth',
      status: 401,
      hint: expect.stringContaining('xz auth check'),
    });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-2',
      'Bearer token-2',
      'Bearer token-3',
    ]);
    expect(server.requests[0]?.headers['x-device']).toBe('d1');
    expect(refreshed).toBe(2);
  });

  it('that cannot be had is an error of its own, neither retried nor called a network fault', async () => {
    const server = await startModelServer();
    const auth = () => Promise.reject(new XzError('not_configured', 'no credentials'));
    const clock = fakeClock();
    const failed = replyWithRetry(openModel(settingsFor(server, { auth }), clock), requestOf([user('hi')]), {
      clock,
      signal: new AbortController().signal,
    });
    await expect(failed).rejects.toMatchObject({ code: 'not_configured', message: 'no credentials' });
    expect(clock.pending()).toBe(0);
  });

  it('is never taken from the environment', async () => {
    for (const name of [
      'OPENAI_API_KEY',
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_OAUTH_TOKEN',
      'OPENAI_ORG_ID',
      'OPENAI_PROJECT_ID',
      'MOONSHOT_API_KEY',
    ])
      vi.stubEnv(name, 'someone-elses');
    const server = await startModelServer();
    for (const provider of ['custom', 'openai', 'anthropic', 'moonshotai'])
      for (const api of ['openai-completions', 'anthropic-messages'] as const)
        await askServer(server, { provider, api, auth: async () => ({}) });
    expect(server.requests.length).toBe(8);
    expect(JSON.stringify(server.requests.map(({ headers, body }) => [headers, body]))).not.toContain('someone-elses');
    expect(server.requests.every(({ headers }) => headers.authorization === undefined && headers['x-api-key'] === undefined)).toBe(true);
  });

  it('goes out as a key or as a bearer, as each API wants it', async () => {
    const server = await startModelServer();
    await askServer(server, { auth: async () => ({ apiKey: 'k' }) });
    await askServer(server, { api: 'anthropic-messages', auth: async () => ({ apiKey: 'sk-ant-oat-looks-like-a-token' }) });
    await askServer(server, { api: 'anthropic-messages', auth: async () => ({ bearer: 'b' }) });
    expect(server.requests.map(({ headers }) => [headers.authorization, headers['x-api-key']])).toEqual([
      ['Bearer k', undefined],
      [undefined, 'sk-ant-oat-looks-like-a-token'],
      ['Bearer b', undefined],
    ]);
    expect(JSON.stringify(server.requests.map(({ body, headers }) => [body, headers['user-agent']]))).not.toMatch(
      /claude code|claude-cli/i,
    );
  });
});

describe('retrying over HTTP', () => {
  const options = (clock: ReturnType<typeof fakeClock>, notes: unknown[]) => ({
    clock,
    signal: new AbortController().signal,
    random: () => 0,
    onRetry: (retry: number, waitMs: number, error: ModelError) => notes.push([retry, waitMs, error.kind]),
  });

  it('honours Retry-After, then succeeds', async () => {
    const clock = fakeClock();
    const date = new Date(clock.now() + 8_000).toUTCString();
    const server = await startModelServer(
      inOrder(
        { status: 429, headers: { 'retry-after': '2' } },
        { status: 429, headers: { 'retry-after': date } },
        { status: 529 },
        { text: 'ok' },
      ),
    );
    const notes: unknown[] = [];
    const done = replyWithRetry(openModel(settingsFor(server), clock), requestOf([user('hi')]), options(clock, notes));
    for (const count of [1, 2, 3]) {
      await until(() => notes.length === count && clock.pending() > 0);
      await clock.advance(clock.next() ?? 0);
    }
    expect((await done).parts).toEqual([{ type: 'text', text: 'ok' }]);
    expect(notes).toEqual([
      [1, 2_000, 'rate'],
      [2, 6_000, 'rate'],
      [3, 1_500, 'server'],
    ]);
  });

  it('tells each word once when a cut reply is tried again', async () => {
    const clock = fakeClock();
    const text = 'A sentence that is told only once to whoever listens.';
    const server = await startModelServer(inOrder({ text, chunk: 5, cut: 'fin' }, { text, chunk: 7 }));
    let told = '';
    const notes: unknown[] = [];
    const done = replyWithRetry(
      openModel(settingsFor(server), clock),
      requestOf([user('hi')], { onDelta: ({ delta }) => (told += delta) }),
      options(clock, notes),
    );
    await until(() => notes.length === 1 && clock.pending() > 0);
    expect(told.length).toBeGreaterThan(10);
    await clock.advance(clock.next() ?? 0);
    expect((await done).parts).toEqual([{ type: 'text', text }]);
    expect(told).toBe(text);
  });

  it('stops when the person does not want to wait', async () => {
    const clock = fakeClock();
    const server = await startModelServer(() => ({ status: 429, headers: { 'retry-after': '99999' } }));
    const stop = new AbortController();
    const notes: unknown[] = [];
    const done = replyWithRetry(openModel(settingsFor(server), clock), requestOf([user('hi')], { signal: stop.signal }), {
      ...options(clock, notes),
      signal: stop.signal,
    });
    done.catch(() => undefined);
    await until(() => notes.length === 1 && clock.pending() > 0);
    expect(notes).toEqual([[1, 30_000, 'rate']]);
    stop.abort();
    await expect(done).rejects.toMatchObject({ code: 'interrupted' });
    expect(server.requests.length).toBe(1);
    expect(clock.pending()).toBe(0);
  });
});

it('a Retry-After that makes no sense is no Retry-After', () => {
  const clock = fakeClock();
  const asked = (value: string) => retryAfterOf((name) => (name === 'retry-after' ? value : undefined), clock);
  expect(['2', '0', '1.5', '99999', '-1', 'soon', '', new Date(clock.now() - 60_000).toUTCString()].map(asked)).toEqual([
    2_000,
    0,
    1_500,
    99_999_000,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
