import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { Frame } from '../../../cli/screen/frame.ts';
import type { Input } from '../../../cli/screen/keys.ts';
import { span } from '../../../cli/screen/spans.ts';
import { openTerminal } from '../../../cli/screen/terminal.ts';
import { themeOf } from '../../../cli/screen/themes.ts';
import { fakeClock } from '../../helpers/clock.ts';

const FAMILY = '👩‍👩‍👧';
const frame: Frame = { columns: 40, lines: [[span(`${FAMILY} 🇨🇳 end`)]], cursor: undefined };

function terminalWith(answer: string) {
  const sent: string[] = [];
  const inputs: Input[] = [];
  const input = Object.assign(new EventEmitter(), { setRawMode: () => {}, resume: () => {}, pause: () => {} });
  const output = Object.assign(new EventEmitter(), { columns: 40, rows: 10 });
  const terminal = openTerminal({
    ...{ clock: fakeClock(0), theme: themeOf('amber', true), depth: 'true', cellBytes: 100 },
    ...{ input, output },
    write: (text) => sent.push(text) > 0,
    onInput: (one) => inputs.push(one),
    onResize: () => terminal.paint(frame),
    onLost: () => {},
  });
  terminal.enter();
  terminal.paint(frame);
  input.emit('data', Buffer.from(answer));
  return { sent: sent.join(''), last: sent.at(-1) ?? '', inputs };
}

test('a terminal that says it joins pictures and flags is sent them whole', () => {
  const { sent, last, inputs } = terminalWith('\x1b[2;3R\x1b[2;3R\x1b[2;3R');
  expect(sent.split('\x1b[6n')).toHaveLength(4);
  expect(last).toContain(FAMILY);
  expect(last).toContain('🇨🇳');
  // Only these cells: a screen cleared once more flickers.
  expect(last).not.toContain('\x1b[2J');
  expect(last).not.toContain('end');
  expect(inputs).toEqual([]);
});

test('one that joins neither, or does not answer, is sent the first picture and the letters of the flag', () => {
  for (const answer of ['\x1b[2;9R\x1b[2;5R\x1b[2;5R', '']) {
    const { last } = terminalWith(answer);
    expect(last).not.toContain(FAMILY);
    expect(last).toMatch(/👩\x1b\[3G.*CN/);
  }
});

test('what a key sends is never taken for the answer', () => {
  expect(terminalWith('\x1b[1;3R').inputs).toEqual([{ type: 'key', name: 'alt+f3' }]);
});
