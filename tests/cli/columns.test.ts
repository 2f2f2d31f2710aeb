// Tables for people: aligned by what a terminal draws, cut and highlighted on a terminal only.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { columnLines, width } from '../../cli/print/columns.ts';
import { createPrinter } from '../../cli/print/printer.ts';
import { snippetOf } from '../../store/search/snippet.ts';
import { queryTerms } from '../../store/search/terms.ts';

function printer(terminal: boolean, colour = terminal) {
  const stdout = Object.assign(new PassThrough(), { isTTY: terminal, columns: 40 });
  return createPrinter({ stdout, stderr: new PassThrough(), json: false, colour });
}

const TEXT = '今天修复了部署脚本的超时问题，明天发布新版本，大家注意查看通知';
const { text, marks } = snippetOf(TEXT, queryTerms('部署 超时'));
const rows = [
  [{ text: '会话' }, { text, marks }],
  [{ text: 'abc' }, { text: 'plain' }],
];

test('a terminal gets highlights and lines no wider than it is', () => {
  const lines = columnLines(printer(true), ['ID', 'Preview'], rows);
  expect(lines[1]).toContain('\u001b[1;33m部署\u001b[0m');
  const plain = columnLines(printer(true, false), ['ID', 'Preview'], rows);
  expect(plain[1]).not.toContain('\u001b');
  expect(Math.max(...plain.map(width))).toBeLessThanOrEqual(40);
  expect(plain[1]?.endsWith('…')).toBe(true);
});

test('a pipe gets all of it, aligned and without a control character', () => {
  expect(columnLines(printer(false), ['ID', 'Preview'], rows)).toEqual(['ID    Preview', `会话  ${TEXT}`, 'abc   plain']);
});

test.each([
  ['the start of a short text', 'short text here', 'here', 'short text here', ['here']],
  [
    'the densest place of a long one',
    `${'filler words '.repeat(60)}the walrus swims with the narwhal ${'and on '.repeat(60)}`,
    'walrus narwhal',
    undefined,
    ['walrus', 'narwhal'],
  ],
  ['one line whatever the text', 'a\n\n\tb   walrus\u0007\u001b[31m', 'walrus', 'a b walrus[31m', ['walrus']],
  ['nothing marked for nothing found', 'some text', 'xyzzy', 'some text', []],
  ['whole runs of Chinese', '我们讨论部署脚本的细节', '部署脚本', '我们讨论部署脚本的细节', ['部署脚本']],
  ['inflected words and camelCase', 'getUserName deployed it', 'deploying user', 'getUserName deployed it', ['getUserName', 'deployed']],
])('a snippet shows %s', (_name, whole, query, wanted, found) => {
  const snippet = snippetOf(whole, queryTerms(query));
  if (wanted !== undefined) expect(snippet.text).toBe(wanted);
  expect(snippet.text.length).toBeLessThan(200);
  expect(snippet.marks.map(([start, end]) => snippet.text.slice(start, end))).toEqual(found);
});
