import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replaceText } from '../../../../workers/agent/files/replace.ts';

const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '$', '&', '\u201c', 'é'), maxLength: 6 });
const ending = fc.constantFrom('\n', '\r\n', '\r');

describe('replacing one line of a file with any endings', () => {
  test('changes that line only, and every other byte stays', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(line, ending), { minLength: 1, maxLength: 12 }), fc.nat(), line, (lines, pick, fresh) => {
        const at = pick % lines.length;
        const marked = lines.map(([text, end], index) => [index === at ? `MARK${text}` : text, end] as const);
        const file = marked.map(([text, end]) => text + end).join('');
        // A CR before an empty line with LF would read as one CRLF: not a file with the endings that were meant.
        fc.pre(!marked.some(([, end], index) => end === '\r' && marked[index + 1]?.[0] === '' && marked[index + 1]?.[1]?.startsWith('\n')));
        const around = marked.slice(Math.max(0, at - 1), at + 2).map(([text]) => text);
        const oldText = around.join('\n');
        const newText = around.map((text) => (text.startsWith('MARK') ? `NEW${fresh}` : text)).join('\n');
        const result = replaceText(file, oldText, newText, false);
        const wanted = marked.map(([text, end], index) => (index === at ? `NEW${fresh}` : text) + end).join('');
        expect(result).toMatchObject({ ok: true, text: wanted, count: 1 });
      }),
      { numRuns: 500 },
    );
  });
});

test('in a file without carriage returns the new text is put in byte for byte', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.string(), (fresh, before, after) => {
      fc.pre(!/\r/.test(before + after) && !(before + after).includes('OLD') && fresh !== 'OLD');
      const result = replaceText(`${before}OLD${after}`, 'OLD', fresh, false);
      expect(result).toMatchObject({ ok: true, text: before + fresh + after });
    }),
  );
});

test('removing and adding lines keeps the endings around', () => {
  const replace = (text: string, from: string, to: string) => {
    const result = replaceText(text, from, to, false);
    return result.ok ? result.text : result.reason;
  };
  expect(replace('a\r\nb\r\nc\r\n', 'b\n', '')).toBe('a\r\nc\r\n');
  expect(replace('a\r\nb\r\nc', 'a\nb\nc', 'a\nc')).toBe('a\r\nc');
  expect(replace('a\r\nb\nc\r\n', 'b', 'b1\nb2')).toBe('a\r\nb1\nb2\nc\r\n');
  expect(replace('a\r\nb\nc\r\n', 'a', 'a1\na2')).toBe('a1\r\na2\r\nb\nc\r\n');
  expect(replace('x\nx\n', 'x\nx', 'x')).toBe('x\n');
  expect(replace('{\n  a\n}\n', '{\n  a\n}', '{\n  a\n  b\n}')).toBe('{\n  a\n  b\n}\n');
});

test('a text quoted with the numbers of read_file is told so', () => {
  expect(replaceText('one\ntwo\n', '1\tone\n2\ttwo', 'x', false)).toMatchObject({
    ok: false,
    reason: expect.stringContaining('numbers that read_file puts'),
  });
  expect(replaceText('1\tone\n', '1\tone', 'x', false)).toMatchObject({ ok: true, text: 'x\n' });
});
