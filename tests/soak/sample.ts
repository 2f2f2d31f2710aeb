// One look at the program under soak: memory, descriptors, threads and children from outside (proc(5)), and from inside each
// thread, after a collection of garbage, its heap, listeners and what keeps its loop awake (tests/fixtures/soak-sampler.ts).
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { parserOf } from '../../store/schema.ts';
import { memoryOf } from '../bench/place.ts';
import { until } from '../helpers/until.ts';

export interface Sample {
  readonly round: number;
  /** Since the start, seconds. */
  readonly seconds: number;
  /** Megabytes. */
  readonly rss: number;
  /** Megabytes of JavaScript heap of the lead's thread, and of all teammates together. */
  readonly leadHeap: number;
  readonly teamHeap: number;
  /** Megabytes that the heaps of all threads have taken from the system, used or not. */
  readonly reserved: number;
  /** Megabytes outside the heaps that JavaScript holds. */
  readonly external: number;
  readonly descriptors: number;
  readonly threads: number;
  readonly children: number;
  /** Listeners on the `process` of every thread. */
  readonly listeners: number;
  /** Timers, sockets, watchers and the like that keep a loop awake, over all threads. */
  readonly resources: number;
}

export interface Detail {
  readonly descriptors: Readonly<Record<string, number>>;
  readonly resources: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
}

const MB = 1024 * 1024;
const answerParser = parserOf(
  Type.Object({
    thread: Type.Number(),
    heapUsed: Type.Number(),
    heapTotal: Type.Number(),
    external: Type.Number(),
    listeners: Type.Number(),
    resources: Type.Record(Type.String(), Type.Number()),
    warnings: Type.Array(Type.String()),
  }),
  'the answer of a thread',
);

export interface Sampler {
  /** `threads`: how many JavaScript threads must answer. */
  take(round: number, threads: number): Promise<{ readonly sample: Sample; readonly detail: Detail }>;
}

/** Samples process `pid`, whose threads look into `folder`. */
export function createSampler(pid: number, folder: string): Sampler {
  const began = Date.now();
  let asked = 0;
  return {
    async take(round, threads) {
      writeFileSync(join(folder, 'ask'), String(++asked));
      const names = () => readdirSync(folder).filter((name) => name.startsWith(`${asked}-`) && name.endsWith('.json'));
      await until(() => names().length >= threads, `${threads} threads to answer`, 20_000);
      const answers = names().map((name) => answerParser.parseJson(readFileSync(join(folder, name), 'utf8')));
      const sum = (of: (answer: (typeof answers)[number]) => number) => answers.reduce((total, answer) => total + of(answer), 0);
      const lead = answers.find((answer) => answer.thread === 0)?.heapUsed ?? Number.NaN;
      const resources: Record<string, number> = {};
      for (const answer of answers)
        for (const [kind, count] of Object.entries(answer.resources)) resources[kind] = (resources[kind] ?? 0) + count;
      const descriptors = descriptorsOf(pid);
      return {
        sample: {
          round,
          seconds: Math.round((Date.now() - began) / 1000),
          rss: memoryOf(pid, 'VmRSS'),
          leadHeap: lead / MB,
          teamHeap: (sum((answer) => answer.heapUsed) - lead) / MB,
          reserved: sum((answer) => answer.heapTotal) / MB,
          external: sum((answer) => answer.external) / MB,
          descriptors: Object.values(descriptors).reduce((total, count) => total + count, 0),
          threads: readdirSync(`/proc/${pid}/task`).length,
          children: childrenOf(pid).length,
          listeners: sum((answer) => answer.listeners),
          resources: Object.values(resources).reduce((total, count) => total + count, 0),
        },
        detail: { descriptors, resources, warnings: [...new Set(answers.flatMap((answer) => answer.warnings))] },
      };
    },
  };
}

/** Open descriptors by what they lead to, numbers left out. */
function descriptorsOf(pid: number): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    const kind = targetOf(`/proc/${pid}/fd/${fd}`)?.replace(/\d+/g, '#');
    if (kind !== undefined) kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch (error) {
    // Closed meanwhile.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function childrenOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      return readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  });
}
