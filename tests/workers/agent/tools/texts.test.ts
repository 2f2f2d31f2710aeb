import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MASK, maskOf, maskStream } from '../../../../store/mask.ts';
import { capText, joinCapped } from '../../../../workers/agent/tools/cap.ts';
import { visibleText } from '../../../../workers/agent/tools/visible-text.ts';

describe('visible text (G5)', () => {
  test.each([
    ['10%\r50%\r100%\n', '100%\n'],
    ['working...\r\u001b[Kdone\n', 'done\n'],
    ['working...\rdone\n', 'doneing...\n'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['\u001b[1mbold\u001b[0m \u001b[38;2;1;2;3mcolour\u001b[m', 'bold colour'],
    ['\u001b[2J\u001b[H\u001b[3Aup\u001b[?25l\u001b[?1049h', 'up'],
    ['\u001b]0;title\u0007x\u001b]2;t\u001b\\y', 'xy'],
    ['\u001b]8;;https://x.invalid\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u001b]52;c;aGVsbG8=\u0007clip', 'clip'],
    ['\u001bP1$r0m\u001b\\dcs\u001b_apc\u001b\\\u001b^pm\u001b\\', 'dcs'],
    ['bell\u0007 nul\u0000 del\u007f', 'bell nul del'],
    ['abc\b\bXY', 'aXY'],
    ['man p\bpag\bge', 'man page'],
    ['\u009b31mC1\u009b0m', 'C1'],
    ['\u001b(Bcharset\u001b=\u001b>', 'charset'],
    ['tab\tkept\n', 'tab\tkept\n'],
    ['evil\u202egnp.exe', 'evilgnp.exe'],
    ['你好\r世', '世好'],
    ['\ud83d half', '\ufffd half'],
    ['unfinished \u001b[', 'unfinished ['],
  ])('%j', (text, seen) => {
    expect(visibleText(text)).toBe(seen);
  });

  test('never leaves a control code, whatever comes', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\u001b', '[', ']', '\r', '\b', '\n', 'K', 'm', '\u0007', '\u001b\\', '\u009b'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const seen = visibleText(pieces.join(''));
        expect(seen).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
        expect(Buffer.from(seen).toString()).toBe(seen);
      }),
    );
  });
});

describe('capping', () => {
  test('a text that fits is left alone', () => {
    expect(capText('x'.repeat(1000), 1000)).toBeUndefined();
    expect(capText('你'.repeat(333), 1000)).toBeUndefined();
  });

  test('never cuts a grapheme, never exceeds the cap, always tells the size', () => {
    const unit = fc.constantFrom('a', '\n', '你', '👩‍👩‍👧‍👦', 'e\u0301', '🇨🇳', ' ');
    fc.assert(
      fc.property(fc.array(unit, { minLength: 400, maxLength: 900 }), fc.integer({ min: 600, max: 1200 }), (units, cap) => {
        const text = units.join('');
        const capped = capText(text, cap);
        if (capped === undefined) return expect(Buffer.byteLength(text)).toBeLessThanOrEqual(cap);
        const joined = joinCapped(capped, '.agents/data/outputs/x.txt');
        expect(Buffer.byteLength(joined)).toBeLessThanOrEqual(cap);
        expect(joined).toContain(`${Buffer.byteLength(text).toLocaleString('en-US')} bytes in all`);
        expect(text.startsWith(capped.head)).toBe(true);
        expect(text.endsWith(capped.tail)).toBe(true);
        const whole = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].map(({ index }) => index);
        const borders = new Set([...whole, text.length]);
        expect(borders.has(capped.head.length)).toBe(true);
        expect(borders.has(text.length - capped.tail.length)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('a text of five million marks on one letter is cut all the same', () => {
    const capped = capText(`e${'\u0301'.repeat(100_000)}`, 2_000);
    expect(Buffer.byteLength(capped?.head ?? '')).toBeLessThan(2_000);
  });
});

describe('masking (G6)', () => {
  test('takes every known value out, the longer first, and nothing short', () => {
    const mask = maskOf(['sk-abcdef', 'sk-abcdef-longer', 'short', '']);
    expect(mask('a sk-abcdef-longer b sk-abcdef c short')).toBe(`a ${MASK} b ${MASK} c short`);
    expect(maskOf(['$&$&$&$&$&'])('x $&$&$&$&$& y')).toBe(`x ${MASK} y`);
  });

  test('finds a secret over the borders of pieces', () => {
    const secret = 'tvly-1234567890';
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(secret), fc.string({ maxLength: 5 })), { maxLength: 8 }),
        fc.integer({ min: 1, max: 9 }),
        (parts, size) => {
          const text = parts.join('');
          const stream = maskStream([secret, 'tvly-other-key']);
          let out = '';
          for (let at = 0; at < text.length; at += size) out += stream.write(text.slice(at, at + size));
          out += stream.end();
          expect(out).toBe(maskOf([secret])(text));
        },
      ),
    );
  });
});
