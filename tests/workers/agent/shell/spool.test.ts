import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSpool } from '../../../../workers/agent/shell/spool.ts';
import { tempFolder } from '../../../helpers/temp.ts';

const limits = { end: 100, file: 1_000 };

test('a little output stays in memory and makes no file', () => {
  const folder = join(tempFolder(), 'outputs');
  const spool = createSpool(join(folder, 'a.txt'), [], limits);
  const bytes = Buffer.from('你好🌍');
  for (const byte of bytes) spool.write(Buffer.from([byte]));
  spool.end();
  expect(spool.text()).toEqual({ whole: '你好🌍' });
  expect(spool.bytes).toBe(10);
  expect(spool.file).toBeUndefined();
  expect(existsSync(folder)).toBe(false);
});

test('more goes to the file whole, with the ends in memory', () => {
  const file = join(tempFolder(), 'outputs/a.txt');
  const spool = createSpool(file, ['secret-value'], limits);
  const text = Array.from({ length: 100 }, (_, at) => `line ${at}`).join('\n');
  spool.write(Buffer.from(text.slice(0, 300)));
  spool.write(Buffer.from(`${text.slice(300)} secret-`));
  spool.write(Buffer.from('value!'));
  spool.end();
  expect(readFileSync(file, 'utf8')).toBe(`${text} [secret]!`);
  expect(spool.text()).toEqual({ head: text.slice(0, 100), tail: `${text} [secret]!`.slice(-100) });
  expect(spool.bytes).toBe(Buffer.byteLength(text) + 14);
});

test('of a flood the first and last bytes are kept, and how much is missing is said', () => {
  const folder = tempFolder();
  const file = join(folder, 'a.txt');
  const spool = createSpool(file, [], limits);
  for (let at = 0; at < 1_000; at++) spool.write(Buffer.from(`${String(at).padStart(9, '0')}\n`));
  spool.end();
  const kept = readFileSync(file, 'utf8');
  expect(kept.startsWith('000000000\n000000001\n')).toBe(true);
  expect(kept.endsWith('000000998\n000000999\n')).toBe(true);
  const [, left = ''] = /\[… ([\d,]+) bytes were not kept …\]/.exec(kept) ?? [];
  const notice = Buffer.byteLength(`\n[… ${left} bytes were not kept …]\n`);
  expect(Number(left.replaceAll(',', '')) + Buffer.byteLength(kept) - notice).toBe(10_000);
  const tail = kept.slice(kept.lastIndexOf('…]\n') + 3);
  expect(tail).toHaveLength(1_000);
  expect(readdirSync(folder)).toEqual(['a.txt']);
});

test('what is new is paged in order, and what went by unread is counted', () => {
  const spool = createSpool(join(tempFolder(), 'a.txt'), [], limits);
  spool.write(Buffer.from('abcdef'));
  expect(spool.takeNew(4)).toEqual({ text: 'abcd', skipped: 0, more: true });
  expect(spool.takeNew(4)).toEqual({ text: 'ef', skipped: 0, more: false });
  spool.write(Buffer.from('x'.repeat(500)));
  const next = spool.takeNew(1_000);
  expect(next.skipped + next.text.length).toBe(500);
  expect(next.skipped).toBe(400);
});

test('no look at the output ends in the middle of a character', () => {
  const spool = createSpool(join(tempFolder(), 'out.txt'), []);
  spool.write(Buffer.from('abc😀𠮷def'));
  expect(spool.takeNew(4)).toEqual({ text: 'abc', skipped: 0, more: true });
  expect(spool.takeNew(3)).toEqual({ text: '😀', skipped: 0, more: true });
  expect(spool.takeNew(100)).toEqual({ text: '𠮷def', skipped: 0, more: false });
});
