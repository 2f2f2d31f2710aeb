// The store over real files: what a person writes at the same time survives, what is destroyed can be brought back.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../store/clock.ts';
import { installFaultHook } from '../../../store/faults.ts';
import { openLocks } from '../../../store/lock.ts';
import { type Memory, openMemory } from '../../../store/memory/memory.ts';
import type { Finding } from '../../../store/quarantine.ts';
import { testLayout } from '../../helpers/layout.ts';
import { tempFolder } from '../../helpers/temp.ts';

const AT = new Date(2026, 2, 3, 12, 0, 0).getTime();
const from = { session: '2026-03-03-abc123', at: AT };
const SOURCE = '(2026-03-03, 2026-03-03-abc123)';

function bench(files: Readonly<Record<string, string>> = {}) {
  const root = tempFolder();
  const layout = testLayout(root);
  const path = (file: string) => join(layout.memory, file);
  const old = new Date(Date.now() - 60_000);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(path(file), '..'), { recursive: true });
    writeFileSync(path(file), text);
    utimesSync(path(file), old, old);
  }
  const findings: Finding[] = [];
  const open = (): Memory => {
    const locks = openLocks(layout.locks, 'test', systemClock);
    return openMemory({ layout, locks: () => locks, clock: systemClock, report: (finding) => findings.push(finding) });
  };
  return { memory: open(), open, path, findings, layout, read: (file: string) => readFileSync(path(file), 'utf8') };
}

const WORK = '# Work\n\nwritten by hand\n\n## Deploy\n\n- from main\n\n## C#\n\n```cs\n## no topic\n```\n';

test('list, show and the index agree with the file; a person saving over it is seen at once', () => {
  const { memory, path, read } = bench({ 'work.md': WORK, 'general.md': '## Deploy\n\nelsewhere\n' });
  expect(memory.topics().map(({ name, file, lineStart, lineEnd }) => [name, file, lineStart, lineEnd])).toEqual([
    ['work/Deploy', '.MEMORY/work.md', 5, 7],
    ['work/C#', '.MEMORY/work.md', 9, 13],
    ['general/Deploy', '.MEMORY/general.md', 1, 3],
  ]);
  expect(JSON.parse(read('index.json'))).toMatchObject({
    version: 2,
    topics: [
      { category: 'work', topic: 'Deploy', file: '.MEMORY/work.md', lineStart: 5, lineEnd: 7, keywords: ['deploy', 'main'] },
      {},
      {},
    ],
  });
  expect(() => memory.topic('Deploy')).toThrow('more than one topic');
  expect(memory.topic('work/dep').text).toBe('## Deploy\n\n- from main');
  // Same size, same second, another inode.
  writeFileSync(path('work.md.tmp'), WORK.replace('main', 'beta'));
  renameSync(path('work.md.tmp'), path('work.md'));
  expect(memory.topic('work/Deploy').text).toContain('beta');
  expect(JSON.parse(read('index.json')).topics[0].keywords).toEqual(['deploy', 'beta']);
});

test('duplicate titles are neither merged nor dropped, and each can be named', async () => {
  const { memory, read } = bench({ 'work.md': '## Same\n\n- a\n\n## Same\n\n- b\n\n## same\n\n- c\n\n## index\n' });
  expect(memory.topics().map(({ name }) => name)).toEqual(['work/Same', 'work/Same#2', 'work/same', 'work/index']);
  expect(memory.topic('work/Same#2').text).toContain('- b');
  expect(await memory.forget('work/Same#2')).toBe('work/Same#2');
  expect(read('work.md')).toBe('## Same\n\n- a\n\n## same\n\n- c\n\n## index\n');
  await memory.append({ category: 'work', topic: 'index', content: 'no file of its own', ...from });
  expect(read('work.md')).toContain(`## index\n\n- no file of its own ${SOURCE}\n`);
});

test('forget and undo: the copy comes back, but not over what a person wrote since', async () => {
  const { memory, read, path, layout } = bench({ 'work.md': WORK });
  await memory.forget('work/Deploy');
  expect(read('work.md')).toBe(WORK.replace('## Deploy\n\n- from main\n\n', ''));
  expect(await memory.undo()).toMatchObject({ what: 'forget', files: ['.MEMORY/work.md'] });
  expect(read('work.md')).toBe(WORK);
  await expect(memory.undo()).rejects.toMatchObject({ code: 'not_found' });
  await memory.forget('work/Deploy');
  writeFileSync(path('work.md'), `${read('work.md')}\n## By hand\n`);
  await expect(memory.undo()).rejects.toMatchObject({ code: 'conflict' });
  expect(read('work.md')).toContain('## By hand');
  for (let n = 0; n < 25; n++) {
    await memory.append({ category: 'short', topic: `t${n}`, content: 'x', ...from });
    await memory.forget(`short/t${n}`);
  }
  expect(readdirSync(layout.memorySnapshots)).toHaveLength(20);
});

test('an entry is reworded and a topic merged into another; neighbours stay, and both can be undone', async () => {
  const text = '## Deploy\n\n- from main\n- on Tuesdays\n\n## Release\n\n- From main.\n- with tags\n\n<!-- ## end -->\n';
  const { memory, read } = bench({ 'work.md': text, 'long.md': '## Release\n\nyearly\n' });
  expect(await memory.update('work/Deploy', 'from main', { content: 'from the branch beta', ...from })).toBe('work/Deploy');
  expect(read('work.md')).toBe(text.replace('- from main', `- from the branch beta ${SOURCE}`));
  await expect(memory.update('work/Deploy', 'from main', { content: 'x', ...from })).rejects.toMatchObject({ code: 'not_found' });
  await memory.undo();
  expect(await memory.merge(memory.topic('work/Release'), memory.topic('work/Deploy'))).toBe(true);
  expect(read('work.md')).toBe('## Deploy\n\n- from main\n- on Tuesdays\n- with tags\n- <!-- ## end -->\n\n');
  expect(await memory.merge(memory.topic('long/Release'), memory.topic('work/Deploy'))).toBe(true);
  expect(read('long.md')).toBe('');
  expect((await memory.undo()).files).toEqual(['.MEMORY/work.md', '.MEMORY/long.md']);
  await memory.undo();
  expect([read('work.md'), read('long.md')]).toEqual([text, '## Release\n\nyearly\n']);
});

for (const [written, what] of [
  [0, 'before anything was'],
  [1, 'between its two files'],
] as const)
  test(`a merge that was killed when its copy was made and ${what} written can be undone, and what was done before it too`, async () => {
    const files = { 'work.md': '## A\n\n- one\n', 'long.md': '## A\n\n- two\n\n## B\n\n- three\n' };
    const { memory, open, read } = bench(files);
    await memory.forget('long/B');
    const before = { work: read('work.md'), long: read('long.md') };
    // The kill is played by what it leaves: the copy is made, and one write in it fails for good.
    let writes = 0;
    installFaultHook(({ op, path }) => {
      if (op === 'rename' && /\/(?:work|long)\.md$/.test(path) && !path.includes('.snapshots') && writes++ >= written)
        throw new Error('killed');
      if (op === 'unlink' && path.includes('.snapshots')) throw new Error('killed');
      return undefined;
    });
    await expect(memory.merge(memory.topic('long/A'), memory.topic('work/A'))).rejects.toThrow('killed');
    installFaultHook(undefined);
    const next = open();
    if (written > 0) {
      expect(read('work.md')).toContain('- two');
      expect((await next.undo()).what).toBe('merge');
    }
    expect({ work: read('work.md'), long: read('long.md') }).toEqual(before);
    expect((await next.undo()).what).toBe('forget');
    expect(read('long.md')).toBe(files['long.md']);
    await expect(next.undo()).rejects.toMatchObject({ code: 'not_found' });
  });

test('a contradiction waits until the person chooses; both stay until then', async () => {
  const { memory, read } = bench({ 'work.md': '## Database\n\n- We use MySQL. (2026-03-01, 2026-03-01-aaaaaa)\n- Port 3306.\n' });
  const contradict = async (content: string) => {
    const topic = memory.topic('work/Database');
    const old = topic.block.entries[0]?.text ?? '';
    return memory.addConflict({ topic, old, fact: { category: 'work', topic: 'Database', content, ...from } });
  };
  expect(await contradict('We use Postgres.')).toBe(true);
  expect(await contradict('we use postgres')).toBe(false);
  const [conflict] = memory.conflicts();
  expect(conflict).toMatchObject({
    old: { text: 'We use MySQL.', source: '2026-03-01, 2026-03-01-aaaaaa' },
    new: { text: 'We use Postgres.', source: '2026-03-03, 2026-03-03-abc123' },
  });
  expect(read('work.md')).toContain('MySQL');
  expect(await memory.resolve(conflict?.id.slice(0, 3) ?? '', 'new')).toEqual({ name: 'work/Database', keep: 'new', gone: undefined });
  expect(read('work.md')).toBe(`## Database\n\n- We use Postgres. ${SOURCE}\n- Port 3306.\n`);
  expect(memory.conflicts()).toEqual([]);
  await memory.undo();
  expect(memory.conflicts()).toHaveLength(1);
  await memory.resolve(conflict?.id ?? '', 'merge');
  expect(read('work.md')).toBe(
    `## Database\n\n- We use MySQL. (2026-03-01, 2026-03-01-aaaaaa)\n- Port 3306.\n- We use Postgres. ${SOURCE}\n`,
  );
  await contradict('We use SQLite.');
  await memory.forget('work/Database');
  expect(memory.check()).toEqual([expect.objectContaining({ level: 'warning', what: expect.stringContaining('which is gone') })]);
  expect(await memory.resolve(memory.conflicts()[0]?.id ?? '', 'new')).toMatchObject({ gone: 'topic' });
  expect(read('work.md')).toBe(`## Database\n\n- We use SQLite. ${SOURCE}\n`);
});

test('a bad conflicts file is moved aside once it has settled, never written over', async () => {
  const { memory, path, findings, layout } = bench({ 'work.md': '## A\n\n- one\n', '.conflicts.json': '{ oops' });
  expect(memory.check()).toEqual([expect.objectContaining({ level: 'broken' })]);
  expect(existsSync(path('.conflicts.json'))).toBe(true);
  expect(memory.conflicts()).toEqual([]);
  expect(findings).toEqual([expect.objectContaining({ level: 'broken', fix: expect.stringContaining('moved aside') })]);
  expect(readdirSync(layout.memory).filter((name) => name.startsWith('.conflicts.json.bad-'))).toHaveLength(1);
  writeFileSync(path('.conflicts.json'), '{ again');
  const fact = { category: 'work', topic: 'A', content: 'two', ...from } as const;
  expect(await memory.addConflict({ topic: memory.topic('work/A'), old: 'one', fact })).toBe(false);
  expect(readFileSync(path('.conflicts.json'), 'utf8')).toBe('{ again');
});

test('a category that cannot be read does not keep the others from loading', () => {
  const { memory, path } = bench({ 'work.md': '## A\n', 'long.md/inside.txt': '' });
  writeFileSync(path('short.md'), Buffer.from([0x23, 0, 0x23]));
  expect(memory.topics().map(({ name }) => name)).toEqual(['work/A']);
  expect(memory.check().map(({ what }) => what)).toEqual([expect.stringContaining('is a folder'), expect.stringContaining('is not text')]);
});

test('older layouts are taken over once; the old files stay in a snapshot', async () => {
  const { memory, read, layout } = bench({
    'memory.md': 'loose words\n\n## Deploy\n\nfrom main\n',
    'work/lexer.md': '# The lexer\n\nsome words\n\n## Details\n\n```\n## kept\n',
    'work/other.md': 'only text',
    'work.md': '## Existing\n\n- stays\n',
  });
  expect(await memory.takeOver()).toEqual(['memory.md', 'work/lexer.md', 'work/other.md']);
  expect(await memory.takeOver()).toEqual([]);
  expect(memory.topics().map(({ name }) => name)).toEqual([
    'work/Existing',
    'work/The lexer',
    'work/other',
    'general/memory',
    'general/Deploy',
  ]);
  expect(read('work.md')).toBe(
    '## Existing\n\n- stays\n\n## The lexer\n\nsome words\n\n### Details\n\n```\n## kept\n```\n\n## other\n\nonly text\n',
  );
  const [snapshot = ''] = readdirSync(layout.memorySnapshots);
  expect(readdirSync(join(layout.memorySnapshots, snapshot)).filter((name) => name.startsWith('old-'))).toHaveLength(3);
  await expect(memory.undo()).rejects.toMatchObject({ code: 'not_found' });
});

test('a person, two processes of xz and many facts at once: all survive', async () => {
  const { open, path, read } = bench({ 'work.md': WORK });
  const add = (memory: Memory, who: string) =>
    Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        memory.append({ category: 'work', topic: n % 2 ? 'Deploy' : who, content: `${who} says ${n}`, ...from }),
      ),
    );
  const person = async () => {
    for (let n = 0; n < 5; n++) {
      writeFileSync(path('work.md.new'), read('work.md').replace('# Work\n', `# Work\n\nby hand ${n}\n`));
      renameSync(path('work.md.new'), path('work.md'));
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all([add(open(), 'one'), add(open(), 'two'), person()]);
  const text = read('work.md');
  for (const who of ['one', 'two']) for (let n = 0; n < 8; n++) expect(text).toContain(`${who} says ${n} ${SOURCE}`);
  for (let n = 0; n < 5; n++) expect(text).toContain(`by hand ${n}\n`);
  expect(text).toContain('```cs\n## no topic\n```');
});

test('a fact is kept whatever line ends it has, and although it begins with a rule', async () => {
  const { memory, read } = bench();
  for (const content of ['---\nafter a rule', '* * *\n\n---\r\nafter two', 'one\r\ntwo\rthree'])
    await memory.append({ category: 'work', topic: 'Deploy', content, ...from });
  for (const words of ['after a rule', 'after two', 'one\n  two\n  three']) expect(read('work.md')).toContain(`- ${words}`);
  await expect(memory.append({ category: 'work', topic: 'Deploy', content: '---', ...from })).rejects.toThrow('nothing to remember');
});
