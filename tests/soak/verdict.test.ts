import { describe, expect, test } from 'vitest';
import type { Sample } from './sample.ts';
import { verdictsOf } from './verdict.ts';

const flat = {
  leadHeap: 20,
  teamHeap: 30,
  reserved: 60,
  external: 10,
  descriptors: 50,
  threads: 14,
  children: 0,
  listeners: 30,
  resources: 20,
};

function samples(count: number, rss: (n: number) => number, more: (n: number) => Partial<Sample> = () => ({})): Sample[] {
  return Array.from({ length: count }, (_, n) => ({ round: n + 1, seconds: n * 8, rss: rss(n), ...flat, ...more(n) }));
}

const wrong = (all: readonly Sample[]) => verdictsOf(all).flatMap(({ what, ok }) => (ok === false ? [what] : []));

describe('what a soak says', () => {
  test('memory may grow while it warms up, and by less than a tenth afterwards', () => {
    expect(wrong(samples(40, (n) => (n < 10 ? 100 + n * 10 : 200 + n / 4)))).toEqual([]);
    expect(wrong(samples(40, (n) => 100 + n))).toEqual(['memory of the process (RSS)']);
  });

  test('nothing that is counted may grow at all, and what was just on its way does not count', () => {
    expect(
      wrong(
        samples(
          40,
          () => 200,
          (n) => ({ descriptors: n % 3 === 0 ? 55 : 50 }),
        ),
      ),
    ).toEqual([]);
    expect(
      wrong(
        samples(
          40,
          () => 200,
          (n) => ({ descriptors: 50 + Math.floor(n / 10) }),
        ),
      ),
    ).toEqual(['open descriptors']);
    expect(
      wrong(
        samples(
          40,
          () => 200,
          (n) => ({ children: n > 25 ? 1 : 0 }),
        ),
      ),
    ).toEqual(['child processes']);
  });

  test('a few rounds tell nothing', () => {
    expect(verdictsOf(samples(6, (n) => 100 + n * 50)).map(({ ok }) => ok)).not.toContain(false);
  });
});
