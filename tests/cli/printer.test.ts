// What the printer lets through: words, and only the colours that are ours.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { columnLines } from '../../cli/print/columns.ts';
import { createPrinter } from '../../cli/print/printer.ts';

const HOSTILE = 'a\u001b[2J\u001b]0;title\u0007b\u009b31mc\u001b[31md\te\u0008\u202ef';
const SEEN = 'abcd\tf';

function printed(terminal: boolean) {
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: terminal, columns: 80 });
  const stderr = new PassThrough({ encoding: 'utf8' });
  const print = createPrinter({ stdout, stderr, json: false, colour: terminal });
  return { print, out: (): unknown => stdout.read(), err: (): unknown => stderr.read() };
}

test.each([true, false])('nothing that is printed can steer a terminal (at one: %s)', (terminal) => {
  const { print, out, err } = printed(terminal);
  print.line(HOSTILE);
  expect(out()).toBe(`${SEEN}\n`);
  print.warn(`${HOSTILE}\nsecond`);
  expect(err()).toBe(`${SEEN}\nsecond\n`);
  print.styled(`\u001b[32m✓\u001b[0m \u001b[8mhidden\u001b[2J`);
  expect(out()).toBe(terminal ? '\u001b[32m✓\u001b[0m hidden\n' : '✓ hidden\n');
  print.raw(HOSTILE);
  expect(out()).toBe(terminal ? SEEN : HOSTILE);
  print.value({ text: HOSTILE });
  const json = String(out());
  expect(json).not.toMatch(/(?!\n)\p{Cc}/u);
  expect(JSON.parse(json)).toEqual({ text: HOSTILE });
  for (const line of columnLines(print, ['ID', 'Text'], [[{ text: 'x\u001b[2J' }, { text: `y\nz\u001b[1;33m`, marks: [[0, 1]] }]]))
    print.styled(line);
  expect(String(out()).split('\n').slice(1)).toEqual(['x   y z', '']);
});

test('the width is the one the terminal has now', () => {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const print = createPrinter({ stdout, stderr: new PassThrough(), json: false, colour: false });
  stdout.columns = 40;
  expect(print.columns).toBe(40);
  stdout.columns = 0;
  expect(print.columns).toBe(80);
});
