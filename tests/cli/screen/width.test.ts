import { describe, expect, test } from 'vitest';
import { markdownLines } from '../../../cli/screen/panes/markdown.ts';
import { lineWidth, wrapText } from '../../../cli/screen/spans.ts';
import { cellsOf, clipText, fitText, nextBoundary, previousBoundary, textWidth } from '../../../cli/screen/width.ts';

const HARD_TEXTS = [
  '部署完成 ✅ 👩‍👩‍👧‍👦 🇨🇳 e\u0301 ㅤ',
  'tabs\tand\t\ttabs',
  'x'.repeat(5_000),
  '部'.repeat(500),
  '\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b2J \x07\x00',
  'a\u202egnp.exe \u2066x\u2069 \ud800 \u{f0000}',
  'हिन्दी देवनागरी ไทยน้ำ',
  '⚠️ 1️⃣ ☎️ 👍🏽 🏴‍☠️ 🏳️‍🌈',
];

describe('cells', () => {
  test('accents stay on their letter, a flag and a joined emoji are one cell, what is too long or narrow its first picture', () => {
    expect(cellsOf('e\u0301').map((cell) => cell.text)).toEqual(['é']);
    expect(cellsOf('x\u0323\u0301')).toEqual([{ text: 'x\u0323\u0301', width: 1 }]);
    expect(cellsOf('🇨🇳🇩')).toEqual([
      { text: '🇨🇳', width: 2 },
      { text: '🇩', width: 1 },
    ]);
    expect(cellsOf('👩‍👩‍👧‍👦')).toEqual([{ text: '👩‍👩‍👧‍👦', width: 2 }]);
    expect(cellsOf('👩🏽‍❤️‍💋‍👨🏿‍👧')).toEqual([{ text: '👩', width: 2 }]);
    expect(cellsOf('🏳️‍🌈')).toEqual([{ text: '🏳', width: 1 }]);
    expect(cellsOf('👍🏽⚠️')).toEqual([
      { text: '👍🏽', width: 2 },
      { text: '⚠', width: 1 },
    ]);
  });

  test('escape sequences and controls are inert', () => {
    expect(
      cellsOf('\x1b[31mred\x1b[0m')
        .map((cell) => cell.text)
        .join(''),
    ).toBe('red');
    expect(
      cellsOf('\x1b]0;evil\x07ok')
        .map((cell) => cell.text)
        .join(''),
    ).toBe('ok');
    for (const text of HARD_TEXTS)
      for (const cell of cellsOf(text)) expect(cell.text).not.toMatch(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u);
  });

  test('a tab goes to the next stop of its column', () => {
    expect(cellsOf('\tx', 0)).toHaveLength(5);
    expect(cellsOf('ab\tx', 0)).toHaveLength(5);
    expect(cellsOf('\tx', 3)).toHaveLength(2);
  });

  test('Chinese is two columns wide, box drawing one', () => {
    expect(textWidth('你好')).toBe(4);
    expect(textWidth('─│✓●')).toBe(4);
    expect(textWidth('⏰✅')).toBe(4);
  });
});

describe('wrapping', () => {
  test('no row is wider than asked, at any width and for any text', () => {
    for (const text of HARD_TEXTS)
      for (const width of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 79, 80])
        for (const line of wrapText(text, width)) expect(lineWidth(line)).toBeLessThanOrEqual(width);
  });

  test('no letter is lost', () => {
    const text = 'the quick brown fox 跳过了那只懒惰的狗，然后回家。 end';
    for (let width = 2; width < 40; width++) {
      const joined = wrapText(text, width)
        .map((line) => line.map((part) => part.text).join(''))
        .join('');
      expect(joined.replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    }
  });

  test('a line of Chinese does not begin with a comma or a full stop', () => {
    for (const line of wrapText('你好，世界。再见，世界。', 6)) expect(line[0]?.text ?? '').not.toMatch(/^[，。]/);
  });

  test('clipping marks what is cut and fitting fills up', () => {
    expect(clipText('abcdef', 4)).toBe('abc…');
    expect(clipText('你好世界', 4)).toBe('你…');
    expect(textWidth(fitText('你好世界', 5))).toBe(5);
    expect(clipText('abc', 0)).toBe('');
  });
});

describe('visible characters', () => {
  test('one step goes over a whole family, flag or accented letter', () => {
    for (const one of ['👩‍👩‍👧‍👦', '🇨🇳', 'e\u0301', '部', '👍🏽']) {
      const text = `a${one}b`;
      expect(previousBoundary(text, text.length - 1)).toBe(1);
      expect(nextBoundary(text, 1)).toBe(1 + one.length);
    }
    expect(previousBoundary('', 0)).toBe(0);
  });
});

test('of a table longer than anybody reads, it is said how many rows there are more', () => {
  const rows = Array.from({ length: 620 }, (_, n) => `| ${n} | x |`).join('\n');
  for (const width of [40, 6]) {
    const lines = markdownLines(`| id | what |\n| --- | --- |\n${rows}`, width).map((line) => line.map(({ text }) => text).join(''));
    expect(lines.at(-1)).toBe('… +120');
  }
});
