// What the samples of a soak say: how far each figure has grown from the first third after the warm-up to the last third.
import { median } from '../bench/row.ts';
import type { Sample } from './sample.ts';

export interface Verdict {
  readonly what: string;
  readonly first: number;
  readonly last: number;
  readonly unit: 'MB' | '';
  /** Growth in per cent. */
  readonly growth: number;
  /** Undefined when there are too few samples to tell. */
  readonly ok: boolean | undefined;
}

/** Of the samples, so many belong to the warm-up: caches fill, code is compiled, the conversation grows to its bound. */
const WARM_UP = 0.25;
const FEWEST_SAMPLES = 9;
/** Of memory, per cent. */
const MOST_GROWTH = 10;
/** Kilobytes of heap a round that are no leak: what was said in it (some 45 blocks) stays on the screen, to be scrolled back to. */
const SAID_A_ROUND = 50;

/** What is counted at rest may differ by what is just on its way, so the lowest of each third is compared. */
const COUNTS = ['descriptors', 'threads', 'children', 'listeners', 'resources'] as const;
const MEMORY = ['rss', 'leadHeap', 'teamHeap', 'external'] as const;
const NAMES = {
  rss: 'memory of the process (RSS)',
  leadHeap: "heap of the lead's thread after garbage collection",
  teamHeap: 'heaps of the three teammates after garbage collection',
  external: 'memory outside the heaps',
  descriptors: 'open descriptors',
  threads: 'threads',
  children: 'child processes',
  listeners: 'listeners on process',
  resources: 'timers, sockets and watchers that are awake',
} as const;

export function verdictsOf(samples: readonly Sample[]): readonly Verdict[] {
  const warm = samples.slice(Math.ceil(samples.length * WARM_UP));
  const third = Math.max(1, Math.floor(warm.length / 3));
  const [early, late] = [warm.slice(0, third), warm.slice(-third)];
  const enough = warm.length >= FEWEST_SAMPLES;
  const verdict = (what: string, unit: Verdict['unit'], first: number, last: number, most: number): Verdict => {
    const growth = first === 0 ? (last === 0 ? 0 : Number.POSITIVE_INFINITY) : (last / first - 1) * 100;
    return { what, unit, first, last, growth, ok: enough ? growth <= most : undefined };
  };
  const roundsApart = Math.max(1, warm.length - third);
  return [
    ...MEMORY.map((key) => {
      const [first, last] = [median(early.map((sample) => sample[key])), median(late.map((sample) => sample[key]))];
      const said = key === 'leadHeap' ? ((SAID_A_ROUND * roundsApart) / 1024 / first) * 100 : 0;
      return verdict(NAMES[key], 'MB', first, last, Math.max(MOST_GROWTH, said));
    }),
    ...COUNTS.map((key) =>
      verdict(NAMES[key], '', Math.min(...early.map((sample) => sample[key])), Math.min(...late.map((sample) => sample[key])), 0),
    ),
  ];
}
