import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../store/clock.ts';
import { openLocks } from '../../../../store/lock.ts';
import { openMemory } from '../../../../store/memory/memory.ts';
import { createMemoryAppend } from '../../../../workers/agent/tools/memory-append.ts';
import { testLayout } from '../../../helpers/layout.ts';
import { tempFolder } from '../../../helpers/temp.ts';

const AT = new Date(2026, 2, 3, 14, 23, 5).getTime();

function bench(at = AT) {
  const root = tempFolder();
  const layout = testLayout(root);
  const locks = openLocks(layout.locks, 'test', systemClock);
  const memory = openMemory({ layout, locks: () => locks, clock: systemClock });
  const tool = createMemoryAppend({
    layout,
    locks,
    memory: async () => memory,
    clock: systemClock,
    messageTime: () => at,
    secrets: () => ['hunter22'],
  });
  const context = {
    origin: { session: '2026-03-03-abc123', row: 7, index: 0 },
    agent: 'Lead',
    root,
    signal: new AbortController().signal,
  };
  const call = (args: Parameters<typeof tool.run>[0]) => tool.run(args, context);
  return { call, read: (file: string) => readFileSync(join(root, file), 'utf8'), memory };
}

test('without a category the entry goes to the log of the local day, once however often the call is executed', async () => {
  const { call, read } = bench();
  const args = { content: 'Moved the build to Node 22.', tags: ['build'] };
  expect((await call(args)).text).toBe('Added to memory/2026-03-03.md.');
  expect((await call(args)).text).toContain('already');
  expect(read('.agents/memory/2026-03-03.md')).toBe(
    '# 2026-03-03\n\n## 14:23:05 - [build] Moved the build to Node 22.\n\nMoved the build to Node 22.\n',
  );
  await call({ content: '## a heading\n```\nopen', topic: 'Odd' });
  await call({ content: 'after it', tags: ['x'] });
  expect(read('.agents/memory/2026-03-03.md')).toMatch(
    /## 14:23:05 - \[note\] Odd\n\n> ## a heading\n> ```\n> open\n\n## 14:23:05 - \[x\] after it\n\nafter it\n$/,
  );
  expect(read('.agents/.gitignore')).toContain('memory/');
});

test('with a category it goes to the topic, with its source, once', async () => {
  const { call, read, memory } = bench();
  const args = { content: 'Deploys go out from main.', category: 'work', topic: 'Deploy' } as const;
  expect((await call(args)).text).toBe('Added to work/Deploy.');
  expect((await call(args)).text).toBe('work/Deploy says this already.');
  await call({ ...args, content: 'Never on Fridays.' });
  expect(read('.MEMORY/work.md')).toBe(
    '## Deploy\n\n- Deploys go out from main. (2026-03-03, 2026-03-03-abc123)\n- Never on Fridays. (2026-03-03, 2026-03-03-abc123)\n',
  );
  expect(memory.topic('deploy')).toMatchObject({ name: 'work/Deploy', file: '.MEMORY/work.md', lineStart: 1, lineEnd: 4 });
  expect(await call({ content: 'x', category: 'work' })).toMatchObject({ isError: true });
});

test.each(['the password is hunter22', 'OPENAI key: sk-abcdefghijklmnop1234', '密码是 abc12345!', 'postgres://me:s3cret@db/x'])(
  'a secret is not kept: %s',
  async (content) => {
    const { call, memory } = bench();
    expect(await call({ content, category: 'general', topic: 'Keys' })).toMatchObject({ isError: true });
    expect(await call({ content })).toMatchObject({ isError: true });
    expect(memory.topics()).toEqual([]);
  },
);

test('what only speaks of secrets is kept', async () => {
  const { call } = bench();
  expect(await call({ content: 'The password is stored in the vault of the team.', category: 'work', topic: 'Access' })).not.toHaveProperty(
    'isError',
  );
});
