import { expect, test } from 'vitest';
import { lineQueue } from '../../cli/repl/line-queue.ts';

const any = () => true;

test('of two questions each gets a line of its own, and the second is put when the first is settled', async () => {
  const lines = lineQueue();
  const put: string[] = [];
  const first = lines.ask({ begin: () => put.push('first'), fits: any });
  const second = lines.ask({ begin: () => put.push('second'), fits: any });
  expect(put).toEqual(['first']);
  lines.push('y');
  expect(await first).toBe('y');
  expect(put).toEqual(['first', 'second']);
  lines.push('n');
  expect(await second).toBe('n');
  expect(lines.isAsking()).toBe(false);
});

test('a question that is taken back leaves the next line to whoever comes after it', async () => {
  const lines = lineQueue();
  const stopped = new AbortController();
  const asked = lines.ask({ begin: () => {}, fits: any, signal: stopped.signal });
  const later = lines.ask({ begin: () => {}, fits: any, signal: AbortSignal.abort() });
  stopped.abort();
  expect([await asked, await later]).toEqual([undefined, undefined]);
  lines.push('go on');
  expect(lines.next()).toBe('go on');
});

test('lines that are there already are taken only where they fit; at the end of the input all answers are empty', async () => {
  const lines = lineQueue();
  lines.push('and then?');
  expect(await lines.ask({ begin: () => {}, fits: (line) => line === 'y' })).toBe('');
  expect(lines.next()).toBe('and then?');
  const waiting = [lines.ask({ begin: () => {}, fits: any }), lines.ask({ begin: () => {}, fits: any })];
  lines.end();
  expect(await Promise.all(waiting)).toEqual(['', '']);
});
