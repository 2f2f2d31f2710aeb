// `xz memory search` with vectors as a person sees it: the built-in embedder, an endpoint of their own, and one that fails.
import { expect, test } from 'vitest';
import { startEmbeddingServer, vectorsFor } from '../helpers/embedding-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';

const TOPICS = { '.MEMORY/work.md': '## parsers\n\nthe parser reads commas\n\n## animals\n\nthe walrus swims\n' };

function configured(ws: Workspace, url: string, model: string): void {
  ws.write('../home/.xz/config.toml', `[memory.embedding]\nmodel = "${model}"\nbase_url = "${url}"\napi_key = "k1"\n`);
}

test('without settings a search is hybrid, forgives spelling, and finds nothing for nonsense', async () => {
  const ws = tempWorkspace({ files: TOPICS });
  const found = await runXz(ws, ['memory', 'search', 'walruss', '--json']);
  expect([found.code, found.err]).toEqual([0, '']);
  expect(JSON.parse(found.out)).toMatchObject({ way: 'hybrid', total: 1, items: [{ file: '.MEMORY/work.md', lineStart: 5, lineEnd: 7 }] });
  for (const query of ['xyzzy', '龘靐', '   ', '*', '✅'])
    expect(JSON.parse((await runXz(ws, ['memory', 'search', query, '--json'])).out)).toMatchObject({ total: 0, items: [] });
  expect(ws.git('status', '--porcelain', '--', '.agents')).toBe('');
});

test('an endpoint of the settings makes the vectors, each text once, with its own key', async () => {
  const ws = tempWorkspace({ files: TOPICS });
  const server = await startEmbeddingServer(({ input }) => vectorsFor(input, 256));
  configured(ws, server.url, 'stub');
  const first = await runXz(ws, ['memory', 'search', 'walrus swims', '--semantic', '--json']);
  expect([first.err, JSON.parse(first.out).way]).toEqual(['', 'semantic']);
  expect(JSON.parse(first.out).items[0]).toMatchObject({ lineStart: 5 });
  expect(server.requests.every(({ headers }) => headers.authorization === 'Bearer k1')).toBe(true);
  const texts = server.requests.flatMap(({ input }) => input).length;
  await runXz(ws, ['memory', 'search', 'walrus swims', '--json']);
  expect(server.requests.flatMap(({ input }) => input)).toHaveLength(texts + 1);
});

test('another width is built beside; a server that fails leaves a search by words that says so', async () => {
  const ws = tempWorkspace({ files: TOPICS });
  let width = 4;
  const server = await startEmbeddingServer(({ input }) => (width === 0 ? { status: 401, body: 'no' } : vectorsFor(input, width)));
  configured(ws, server.url, 'stub');
  expect(JSON.parse((await runXz(ws, ['memory', 'search', 'walrus', '--json'])).out).way).toBe('hybrid');
  width = 8;
  expect(JSON.parse((await runXz(ws, ['memory', 'search', 'walrus', '--json'])).out).way).toBe('hybrid');
  width = 0;
  const failed = await runXz(ws, ['memory', 'search', 'walrus', '--json']);
  expect([failed.code, JSON.parse(failed.out).way, JSON.parse(failed.out).total]).toEqual([0, 'keyword', 1]);
  expect(failed.err).toContain('401');
  const doctor = await runXz(ws, ['doctor', '--json']);
  expect(JSON.parse(doctor.out).checks.filter(({ name }: { name: string }) => name === 'indexes')).toMatchObject([{ status: 'ok' }]);
});
