import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { preloadIdentity } from '../../../store/identity/preload.ts';
import { blocksOf } from '../../../store/search/blocks.ts';
import { estimateTokens } from '../../../store/search/tokens.ts';
import { testLayout } from '../../helpers/layout.ts';
import { tempFolder } from '../../helpers/temp.ts';

const ALL = { preloadIdentity: true, preloadMemory: true, preloadTokens: 10_000 };
const NOW = new Date(2026, 2, 3, 0, 30).getTime();

function load(files: Readonly<Record<string, string>>, settings = ALL) {
  const layout = testLayout(tempFolder());
  mkdirSync(layout.dailyLogs, { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    if (text === 'DIRECTORY') mkdirSync(join(layout.agents, name));
    else writeFileSync(join(layout.agents, name), text);
  }
  return preloadIdentity(layout, settings, NOW);
}

test('small files are loaded whole: identity, key facts, the logs of the local today and yesterday', async () => {
  const { text, notices } = await load({
    'SOUL.md': '\ufeffI am xz.\r\n',
    'USER.md': 'Ann writes Go.',
    'MEMORY.md': 'The build needs Node 22.',
    'memory/2026-03-03.md': 'today',
    'memory/2026-03-02.md': 'yesterday',
    'memory/2026-03-01.md': 'before',
  });
  expect(text).toBe(
    [
      '## Who you are (SOUL.md)\nI am xz.',
      '## Who the person is (USER.md)\nAnn writes Go.',
      '## Key facts (MEMORY.md)\nThe build needs Node 22.',
      '## Log of today (memory/2026-03-03.md)\ntoday',
      '## Log of yesterday (memory/2026-03-02.md)\nyesterday',
    ].join('\n\n'),
  );
  expect(notices).toEqual([]);
});

test.each([
  ['2 MB of lines', `${'- a fact about the build\n'.repeat(80_000)}`],
  ['30,000 Chinese characters', '部署从主分支开始。\n'.repeat(3_000)],
  ['one line of 1 MB', 'x'.repeat(1_000_000)],
  ['a fence over the cut', `\`\`\`js\n${'let a = 1;\n'.repeat(4_000)}\`\`\`\nend\n`],
])('%s: cut within the budget, said to both, and SOUL and USER stay whole', async (_name, big) => {
  const soul = 'Be brief. '.repeat(600);
  const { text, notices } = await load({ 'SOUL.md': soul, 'USER.md': 'Ann', 'MEMORY.md': big, 'memory/2026-03-03.md': 'today' });
  expect(text).toContain(soul.trim());
  expect(text).toContain('today');
  expect(notices).toEqual([expect.stringContaining('MEMORY.md: about ')]);
  expect(text).toContain(`[${notices[0]}]`);
  const memory = text.slice(text.indexOf('## Key facts'), text.indexOf('## Log of today'));
  expect(estimateTokens(memory)).toBeLessThan(4_100);
  expect(estimateTokens(memory)).toBeGreaterThan(2_500);
  expect(blocksOf(text.split('\n')).filter((block) => block.title?.startsWith('Log of today'))).toHaveLength(1);
});

test('what cannot be read is named and the rest is loaded; empty and missing files are nothing', async () => {
  const { text, notices } = await load({ 'SOUL.md': 'DIRECTORY', 'USER.md': '', 'MEMORY.md': 'facts' });
  expect(text).toBe('## Key facts (MEMORY.md)\nfacts');
  expect(notices).toEqual(['SOUL.md was not loaded: it is not a file']);
});

test('a long log keeps its newest entries', async () => {
  const log = Array.from({ length: 900 }, (_, n) => `## 10:00:00 - [x] entry ${n}\n\nwords of entry ${n}\n`).join('\n');
  const { text, notices } = await load({ 'memory/2026-03-03.md': log, 'memory/2026-03-02.md': 'yesterday' });
  expect(text).toContain('entry 899');
  expect(text).not.toContain('entry 100\n');
  expect(text.split('\n')[1]).toMatch(/^## 10:00:00/);
  expect(notices.length).toBeGreaterThan(0);
});

test('switched off by the settings, and bounded by preload_tokens', async () => {
  const files = { 'SOUL.md': 'soul', 'MEMORY.md': 'many words here\n'.repeat(100) };
  expect((await load(files, { ...ALL, preloadIdentity: false })).text).not.toContain('soul');
  expect((await load(files, { ...ALL, preloadMemory: false })).text).toBe('## Who you are (SOUL.md)\nsoul');
  expect(estimateTokens((await load(files, { ...ALL, preloadTokens: 50 })).text)).toBeLessThan(120);
});
