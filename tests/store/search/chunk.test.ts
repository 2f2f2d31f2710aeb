// Chunks: exact lines, Markdown boundaries, tags, and no line lost whatever a person writes.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesOf } from '../../../store/search/blocks.ts';
import { CHUNK_TOKENS, chunksOf } from '../../../store/search/chunk.ts';
import { tagsOf } from '../../../store/search/tags.ts';
import { estimateTokens } from '../../../store/search/tokens.ts';

const shape = (text: string) => chunksOf(text).map(({ lineStart, lineEnd, heading, tags }) => [lineStart, lineEnd, heading, tags.join()]);

test('sections are chunks; headings without text stay with what follows', () => {
  expect(shape('before\n\n# Title\n\n## One\n\ntext\n\nmore\n\n## Two\nlast\n')).toEqual([
    [1, 1, '', ''],
    [3, 9, 'Title > One', ''],
    [11, 12, 'Title > Two', ''],
  ]);
});

test('what looks like a heading inside a fence, a comment or front matter is none', () => {
  const text = [
    '---',
    'title: x',
    '# no',
    '---',
    '## C#',
    '````',
    '# step',
    '```',
    '## still code',
    '````',
    '<!--',
    '## hidden',
    '-->',
    'Set',
    '===',
    '~~~',
    '# unclosed',
  ].join('\n');
  expect(shape(text)).toEqual([
    [1, 4, '', ''],
    [5, 13, 'C#', ''],
    [14, 17, 'Set', ''],
  ]);
});

test('entries of a log are cut where their tags change; a tagged heading tags all under it', () => {
  const log =
    '# 2026-03-03\n- 14:23 [deploy] a\n  more\n- 14:30 [deploy] b\n- 15:00 [Test, UI] c\n- plain\n\n## 16:00 [ops]\n\ntext\n\n### sub\n\ntext\n';
  expect(shape(log)).toEqual([
    [1, 4, '2026-03-03', 'deploy'],
    [5, 5, '2026-03-03', 'test,ui'],
    [6, 6, '2026-03-03', ''],
    [8, 10, '2026-03-03 > 16:00 [ops]', 'ops'],
    [12, 14, '2026-03-03 > 16:00 [ops] > sub', 'ops'],
  ]);
});

test.each([
  ['- 14:23 [deploy] x', ['deploy']],
  ['## 09:00:12 [a] [b] x', ['a', 'b']],
  ['**14:23** [运维] x', ['运维']],
  ['- [ ] [later] x', ['later']],
  ['[14:23] [ops] x', ['ops']],
  ['- 2026-03-03 14:23 [ops] x', ['ops']],
  ['note about it [ops]', ['ops']],
  ['- [x] done', []],
  ['- [link](http://x) z', []],
  ['see [1]', []],
  ['[ref]: http://x', []],
  ['[ops][ref] text', []],
])('tags of %j', (line, tags) => {
  expect(tagsOf(line)).toEqual(tags);
});

test('a block that is too large is cut on line ends, a line that is too large between words', () => {
  const fence = `\`\`\`\n${Array.from({ length: 300 }, (_, n) => `line ${n} of the code`).join('\n')}\n\`\`\``;
  const chunks = chunksOf(`${fence}\n\n${'word '.repeat(2_000)}\n\n${'汉'.repeat(1_000)}`);
  expect(chunks.every(({ body }) => estimateTokens(body) <= CHUNK_TOKENS)).toBe(true);
  expect(chunks.filter(({ lineStart }) => lineStart === 304).every(({ lineEnd }) => lineEnd === 304)).toBe(true);
  expect(
    chunks
      .filter(({ lineStart }) => lineStart === 304)
      .map(({ body }) => body)
      .join(''),
  ).toBe('word '.repeat(2_000));
  expect(chunks.at(-1)).toMatchObject({ lineStart: 306, lineEnd: 306 });
});

const piece = fc.constantFrom(
  '# h',
  '## [t] h',
  '- a',
  '  - b',
  '1. c',
  '> q',
  '```',
  '~~~',
  '<!--',
  '-->',
  '---',
  '===',
  '| a | b |',
  '|---|---|',
  '    code',
  '[r]: http://x',
  '',
  '',
  'text',
  '汉字。',
  '\ttab',
  '<div>',
  '</div>',
  '\u00a0',
  'a\rb',
  '![i](x)',
  '***',
  '- [ ] x',
  ':::',
  '\u2028',
);

test('every line that is not blank is in exactly one chunk, whatever the Markdown', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.constantFrom('\n', '\r\n'), (pieces, end) => {
      const text = pieces.join(end);
      const lines = linesOf(text);
      const seen = lines.map(() => 0);
      for (const { lineStart, lineEnd, body } of chunksOf(text)) {
        expect(body).toBe(lines.slice(lineStart - 1, lineEnd).join('\n'));
        for (let at = lineStart - 1; at < lineEnd; at++) seen[at] = (seen[at] ?? 0) + 1;
      }
      lines.forEach((line, at) => {
        if (line.trim() !== '') expect([at, line, seen[at]]).toEqual([at, line, 1]);
        else expect(seen[at]).toBeLessThanOrEqual(1);
      });
    }),
    { numRuns: 400 },
  );
});
