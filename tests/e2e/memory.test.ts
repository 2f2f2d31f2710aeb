// Memory from outside: told on one day, recalled on the next, contradicted on the third, resolved; each in a process of its
// own, over real HTTP.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { localDate } from '../../store/clock.ts';
import { daysLater } from '../helpers/days.ts';
import { modelEnv, type Respond, type SentBody, sentText, startModelServer } from '../helpers/model-server.ts';
import { runXz, startXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

const isMemory = (body: SentBody) => (body.tools ?? []).length === 0;
const allText = (body: SentBody) => body.messages.map(sentText).join('\n');

/** The lead says "ok"; memory's own questions are answered by `answer`. */
function memoryModel(answer: (asked: string) => string): Respond {
  return (body) => (isMemory(body) ? { text: answer(allText(body)) } : { text: 'ok' });
}

const on = (server: { readonly url: string }) => ({ env: { ...modelEnv(server), XZ_MEMORY_ENABLED: 'true' } });

test('told on one day, recalled on the next, contradicted on the third, resolved', async () => {
  const ws = tempWorkspace();
  const server = await startModelServer(
    memoryModel((asked) => {
      if (asked.includes('You choose which stored notes')) return '{"topics": ["work/Database"]}';
      if (asked.includes('PERSON: We keep our data in MySQL'))
        return '```json\n{"facts": [{"category": "work", "topic": "Database", "fact": "The data is kept in MySQL.", "quote": "we keep our data in mysql", "relation": "new"}, {"category": "work", "topic": "Invented", "fact": "A page said so.", "quote": "words nobody said"}]}\n```';
      if (asked.includes('PERSON: We have moved everything to Postgres'))
        return '{"facts": [{"category": "work", "topic": "Database", "fact": "The data is kept in Postgres.", "quote": "We have moved everything to Postgres", "relation": "contradicts", "entry": "The data is kept in MySQL."}]}';
      return '{"facts": []}';
    }),
  );
  const today = Date.now();
  let day = 0;
  const xz = (...args: string[]) => {
    const { env } = on(server);
    return runXz(ws, args, { env: { ...env, ...daysLater(day) } });
  };

  const told = await xz('once', 'We keep our data in MySQL, in the cellar.');
  expect(told).toMatchObject({ code: 0, out: 'ok\n', err: 'xz: memory: kept in work/Database\n' });
  expect(ws.read('.MEMORY/work.md')).toMatch(/^## Database\n\n- The data is kept in MySQL\. \(\d{4}-\d\d-\d\d, [\d-]+-\w{6}\)\n$/);
  expect(server.requests.map(({ body }) => isMemory(body))).toEqual([false, true]);
  expect(server.requests.every(({ body }) => body.temperature === undefined)).toBe(true);
  expect(ws.git('status', '--porcelain')).toBe('');

  day = 1;
  const before = server.requests.length;
  await xz('once', 'Which tables does the database have, and where are they described?');
  const [asked, request] = server.requests.slice(before).map(({ body }) => body);
  expect(asked && allText(asked)).toContain('- work/Database: - The data is kept in MySQL.');
  const injected = sentText(request?.messages.at(-1));
  expect(injected).toContain('From .MEMORY/work.md lines 1-3 (work/Database):\n## Database\n\n- The data is kept in MySQL.');
  expect(injected).toContain('for reference; the present request decides');

  day = 2;
  const contradicted = await xz('once', 'We have moved everything to Postgres, by the way.');
  expect(contradicted.err).toContain('contradiction in work/Database');
  expect(ws.read('.MEMORY/work.md')).toContain('MySQL');
  const [waiting] = JSON.parse((await xz('memory', 'resolve', '--json')).out).items;
  expect(waiting).toMatchObject({ category: 'work', topic: 'Database', old: { text: 'The data is kept in MySQL.' } });
  const resolved = await xz('memory', 'resolve', waiting.id.slice(0, 4), '--keep', 'new');
  expect(resolved).toMatchObject({ code: 0, out: 'work/Database: the new words stand\n' });
  expect(ws.read('.MEMORY/work.md')).toContain(`## Database\n\n- The data is kept in Postgres. (${localDate(today + 2 * 86_400_000)}, `);
  expect((await xz('memory', 'undo')).code).toBe(0);
  expect(ws.read('.MEMORY/work.md')).toContain('MySQL');
});

test('nonsense from the model, or none at all: the turn ends, no topic is made, words still recall', async () => {
  const ws = tempWorkspace({
    files: { '.MEMORY/work.md': '## Deploy\n\n- Deploys go out from the branch main on Tuesdays.\n', 'README.md': '' },
  });
  const server = await startModelServer((body) => (isMemory(body) ? { text: 'Title' } : { text: 'ok' }));
  const run = await runXz(ws, ['once', 'On which day do deploys go out from main?'], on(server));
  expect(run).toMatchObject({ code: 0, out: 'ok\n' });
  expect(run.err).toMatch(/^xz: memory: recalled by words only.*\nxz: memory: nothing was kept.*\n$/);
  expect(server.requests.map(({ body }) => sentText(body.messages.at(-1))).find((text) => text.includes('Tuesdays'))).toContain(
    'work/Deploy',
  );
  expect(readdirSync(ws.path('.MEMORY')).sort()).toEqual(['.gitignore', 'index.json', 'work.md']);
  const failing = await startModelServer((body) => (isMemory(body) ? { status: 400 } : { text: 'ok' }));
  expect(await runXz(ws, ['once', 'Please remember that the cat is called Tom.'], on(failing))).toMatchObject({ code: 0, out: 'ok\n' });
  expect(ws.read('.MEMORY/general.md')).toContain('## To remember\n\n- the cat is called Tom. (');
});

test('off in the settings it says so and does nothing; /memory on recalls and keeps from then on', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '', '.MEMORY/work.md': '## Database\n\n- The data is kept in MySQL.\n' } });
  const fact = { category: 'work', topic: 'Deploy', fact: 'Deployed from main.', quote: 'we deploy from main', relation: 'new' };
  const server = await startModelServer(
    memoryModel((asked) =>
      asked.includes('You choose which')
        ? '{"topics": ["work/Database"]}'
        : asked.includes('PERSON:')
          ? JSON.stringify({ facts: [fact] })
          : 'Title',
    ),
  );
  const repl = startXz(ws, ['--repl'], { env: { ...modelEnv(server), XZ_MEMORY_ENABLED: 'false' } });
  repl.write('/memory\nwhich database do we have?\n/memory on\n/memory\nwhich database is it, and we deploy from main\n');
  await until(() => ws.read('.MEMORY/work.md').includes('Deployed from main.'));
  repl.child.stdin?.end();
  const { code, out } = await repl.ended;
  expect(code).toBe(0);
  expect(out.indexOf('Memory is off in the settings')).toBeLessThan(out.indexOf('Memory is on for this session'));
  expect(out.split('Memory is on for this session')[1]).not.toContain('Memory is off');
  const requests = server.requests.map(({ body }) => body).filter((body) => !isMemory(body));
  expect(requests.map((body) => sentText(body.messages.at(-1)).includes('(work/Database)'))).toEqual([false, true]);
});

test('identity is preloaded, whole files first, and what was cut is said', async () => {
  const ws = tempWorkspace({
    files: { '.agents/SOUL.md': 'You are terse.', '.agents/MEMORY.md': '- a fact that matters\n'.repeat(5_000), 'AGENTS.md': 'Use tabs.' },
  });
  const server = await startModelServer();
  const run = await runXz(ws, ['once', 'hello'], { env: modelEnv(server) });
  expect(run).toMatchObject({ code: 0, err: expect.stringContaining('xz: MEMORY.md: about ') });
  const system = sentText(server.requests[0]?.body.messages[0]);
  expect(system).toContain('## Who you are (SOUL.md)\nYou are terse.');
  expect(system).toContain('Use tabs.');
  expect(system).toContain('`xz memory get MEMORY.md` reads the rest]');
});

test('a heading of two lines is a topic with a name of one', async () => {
  const ws = tempWorkspace({ files: { '.MEMORY/work.md': 'How we\ndeploy\n------\n\n- from main\n\n## b\n\n- c\n', 'README.md': '' } });
  const list = await runXz(ws, ['memory', 'show']);
  expect(list.out.trimEnd().split('\n')).toHaveLength(3);
  expect(JSON.parse((await runXz(ws, ['memory', 'show', '--json'])).out).items[0]).toMatchObject({
    name: 'work/How we deploy',
    lineEnd: 5,
  });
  expect((await runXz(ws, ['memory', 'show', 'work/How we deploy'])).out).toBe('How we\ndeploy\n------\n\n- from main\n');
});

test('topics by command: show, forget, organize, undo', async () => {
  const ws = tempWorkspace({
    files: { '.MEMORY/work.md': '## C#\n\n- one\n\n## Deploy\n\n- a\n- a.\n\n## deploy\n\n- b\n', 'README.md': '' },
  });
  const xz = (...args: string[]) => runXz(ws, ['memory', ...args]);
  expect(JSON.parse((await xz('show', '--json')).out).items.map((item: { name: string }) => item.name)).toEqual([
    'work/C#',
    'work/Deploy',
    'work/deploy',
  ]);
  expect(await xz('show', 'C#')).toMatchObject({ code: 0, out: '## C#\n\n- one\n' });
  expect(await xz('show', 'DEPLOY')).toMatchObject({ code: 1, err: expect.stringContaining('more than one topic') });
  expect((await xz('organize')).out).toContain('merged work/deploy into work/Deploy');
  expect(ws.read('.MEMORY/work.md')).toBe('## C#\n\n- one\n\n## Deploy\n\n- a\n- b\n\n');
  await xz('forget', 'work/C#');
  expect(ws.read('.MEMORY/work.md')).toBe('## Deploy\n\n- a\n- b\n\n');
  expect((await xz('undo')).out).toMatch(/^undone: forget of /);
  expect(ws.read('.MEMORY/work.md')).toContain('## C#\n\n- one\n');
  expect(await xz('forget', 'nothing')).toMatchObject({ code: 1 });
});

test('the list of topics comes in pages where that is asked for', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '', '.MEMORY/work.md': '## a\n\n- x\n\n## b\n\n- y\n\n## c\n\n- z\n' } });
  const page = await runXz(ws, ['memory', 'show', '-l', '2', '-p', '2', '--json']);
  expect(JSON.parse(page.out)).toMatchObject({ items: [{ name: 'work/c' }], page: 2, perPage: 2, total: 3, hasPrev: true });
  expect((await runXz(ws, ['memory', 'show'])).out.split('\n')).toHaveLength(5);
});

test('where there is no topic or no contradiction, that is what is said', async () => {
  const ws = tempWorkspace();
  expect((await runXz(ws, ['memory', 'show'])).out).toBe('no topics yet\n');
  expect((await runXz(ws, ['memory', 'resolve'])).out).toBe('no contradictions\n');
});
