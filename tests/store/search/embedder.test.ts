// The contract of both embedders, and what the endpoint does with servers that fail.
import { expect, test } from 'vitest';
import type { Clock } from '../../../store/clock.ts';
import { type Collection, checkedVectors, type Embedder } from '../../../store/search/embedder.ts';
import { endpointEmbedder } from '../../../store/search/endpoint-embedder.ts';
import { hashEmbedder } from '../../../store/search/hash-embedder.ts';
import { type EmbeddingAnswer, startEmbeddingServer, vectorsFor } from '../../helpers/embedding-server.ts';

/** Waits are taken at once, and remembered. */
function hurriedClock(): Clock & { readonly waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => 0,
    after(ms, fn) {
      waits.push(ms);
      setImmediate(fn);
      return () => undefined;
    },
  };
}

const evenly: Collection = { rarity: () => 1 };
const cosine = (a: Float32Array = new Float32Array(), b: Float32Array = new Float32Array()) =>
  a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

async function endpoint(answer: Parameters<typeof startEmbeddingServer>[0], dimensions?: number) {
  const server = await startEmbeddingServer(answer);
  const clock = hurriedClock();
  const embedder = endpointEmbedder(
    { model: 'stub', baseUrl: server.url, dimensions, authorization: async () => 'Bearer key-of-the-test-1' },
    clock,
  );
  return { server, clock, embedder };
}

const both: ReadonlyArray<readonly [string, () => Promise<Embedder>]> = [
  ['built-in', async () => hashEmbedder()],
  ['endpoint', async () => (await endpoint(({ input }) => vectorsFor(input, 64))).embedder],
];

test.each(both)('%s: one vector a text, in order, alike for alike texts, and the same every time', async (_name, make) => {
  const embedder = await make();
  const texts = ['the parser fails on commas', 'walrus and narwhal', 'commas make the parser fail', '部署脚本超时'];
  const vectors = checkedVectors(await embedder.documents(texts, undefined), texts.length, embedder.width);
  expect(await embedder.documents(texts, undefined)).toEqual(await embedder.documents(texts, undefined));
  const [query] = checkedVectors(
    [(await embedder.query('parser commas fails', evenly, undefined)) ?? new Float32Array()],
    1,
    embedder.width,
  );
  const scores = vectors.map((vector) => cosine(query, vector));
  expect(Math.min(scores[0] ?? 0, scores[2] ?? 0)).toBeGreaterThan(Math.max(scores[1] ?? 1, scores[3] ?? 1));
});

test('built-in: forgives spelling and word forms, confirms only what is there, and has no opinion on symbols', async () => {
  const embedder = hashEmbedder();
  expect(embedder.confirm?.('deploymnt', 'the deployment was slow', evenly)).toBeGreaterThanOrEqual(0.25);
  expect(embedder.confirm?.('analyze', 'an analysis of the log', evenly)).toBeGreaterThan(0);
  expect(embedder.confirm?.('xyzzyplugh', 'the deployment was slow', evenly)).toBe(0);
  expect(await embedder.query('✅ !!', evenly, undefined)).toBeUndefined();
  expect(checkedVectors(await embedder.documents(['', '✅'], undefined), 2, 512)).toHaveLength(2);
});

test('endpoint: sends model, key, width and format, and puts an answer in any order right', async () => {
  const { server, embedder } = await endpoint(({ input }) => {
    const { data } = vectorsFor(input, 8).body as { data: object[] };
    return { body: { data: data.reverse() } };
  }, 8);
  const texts = ['one', 'two', 'three'];
  const vectors = await embedder.documents(texts, undefined);
  for (const [at, text] of texts.entries()) expect(vectors[at]).toEqual((await embedder.documents([text], undefined))[0]);
  expect(server.requests[0]).toMatchObject({ model: 'stub', input: texts, dimensions: 8, encoding_format: 'float' });
  expect(server.requests[0]?.headers.authorization).toBe('Bearer key-of-the-test-1');
});

test.each([429, 500, 503])('endpoint: tries again after %d, and honours Retry-After within a cap', async (status) => {
  const { server, clock, embedder } = await endpoint(({ input }, n) =>
    n < 3 ? { status, headers: { 'retry-after': n === 1 ? '2' : '9999' }, body: 'busy' } : vectorsFor(input, 4),
  );
  expect(await embedder.documents(['x'], undefined)).toHaveLength(1);
  expect(server.requests).toHaveLength(3);
  expect(clock.waits).toEqual([2_000, 20_000]);
});

test('endpoint: gives up after four tries, and at once on a refusal', async () => {
  const busy = await endpoint(() => ({ status: 503, body: 'down' }));
  await expect(busy.embedder.documents(['x'], undefined)).rejects.toMatchObject({
    code: 'model_failed',
    message: expect.stringContaining('503: down'),
  });
  expect(busy.server.requests).toHaveLength(4);
  const refused = await endpoint(() => ({ status: 401, body: 'bad \u001b[31mkey key-of-the-test-1' }));
  await expect(refused.embedder.documents(['x'], undefined)).rejects.toMatchObject({
    code: 'model_failed',
    message: expect.stringMatching(/401: bad \S*key \[secret\]$/),
  });
  expect(refused.server.requests).toHaveLength(1);
});

test('endpoint: a batch refused for its size is sent in halves', async () => {
  const { server, embedder } = await endpoint(({ input }) =>
    input.length > 10 ? { status: 400, body: 'at most 10 inputs' } : vectorsFor(input, 4),
  );
  const texts = Array.from({ length: 25 }, (_, n) => `text ${n}`);
  expect(await embedder.documents(texts, undefined)).toHaveLength(25);
  expect(Math.max(...server.requests.slice(-1).map(({ input }) => input.length))).toBeLessThanOrEqual(10);
});

test('endpoint: an unreachable server is named with its reason, and an abort is an abort', async () => {
  const embedder = endpointEmbedder(
    { model: 'm', baseUrl: 'http://127.0.0.1:9', dimensions: undefined, authorization: async () => undefined },
    hurriedClock(),
  );
  await expect(embedder.documents(['x'], undefined)).rejects.toMatchObject({
    code: 'model_failed',
    message: expect.stringMatching(/cannot be reached/),
  });
  await expect(embedder.documents(['x'], AbortSignal.abort())).rejects.toMatchObject({ code: 'interrupted' });
});

const wrong: ReadonlyArray<readonly [string, EmbeddingAnswer]> = [
  ['null for a number', { body: { data: [{ embedding: [0.1, null] }, { embedding: [1, 1] }] } }],
  ['NaN as text', { body: '{"data":[{"embedding":[NaN,1]},{"embedding":[1,1]}]}' }],
  ['an empty list', { body: { data: [] } }],
  ['fewer vectors than texts', { body: { data: [{ embedding: [1, 1] }] } }],
  ['an empty vector', { body: { data: [{ embedding: [] }, { embedding: [] }] } }],
  ['a zero vector', { body: { data: [{ embedding: [0, 0] }, { embedding: [1, 1] }] } }],
  ['two widths', { body: { data: [{ embedding: [1, 1] }, { embedding: [1, 1, 1] }] } }],
  ['numbers beyond 32 bits', { body: { data: [{ embedding: [1e300, 1] }, { embedding: [1, 1] }] } }],
  ['a page of HTML', { body: '<html>' }],
];

test.each(wrong)('endpoint: %s is refused', async (_name, answer) => {
  const { embedder } = await endpoint(() => answer);
  const embed = async () => checkedVectors(await embedder.documents(['a', 'b'], undefined), 2, embedder.width);
  await expect(embed()).rejects.toMatchObject({ code: 'model_failed' });
});
