// How much later the first token of a reply is there because of memory: the same conversation in `xz --repl` over a
// loopback model with memory off and on, turn beside turn; and the first request of a new process.
import { homeLayout, type Layout, layoutOf } from '../../store/layout.ts';
import { makePlace, type Place, runNode, type Started, startBenchModel, startNode } from './place.ts';
import { median, type Row } from './row.ts';

export interface FirstTokenInput {
  /** The built `dist/main.js`. */
  readonly main: string;
  readonly turns: number;
  /** Fills the memory of a workspace with about this many chunks. */
  readonly chunks: number;
  readonly fill: (layout: Layout, chunks: number) => void;
}

/** A conversation that can be had: where, and whether memory is on. */
type Variant = readonly [place: Place, memory: boolean];

/** What a person may type: a follow-up of few words that names no topic, and a request for which topics are chosen. */
const followUp = (): string => 'and what comes after that?';
const request = (n: number) => `how do we deploy topic ${n} when the queue of the worker is full and nothing is left to merge`;
/** A person reads for longer: what memory does after a turn is no part of the next one. All wait the same, since a process that rested wakes slowly. */
const READ_MS = 500;
const TOKEN = 'first-token';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function benchFirstToken({ main, turns, chunks, fill }: FirstTokenInput): Promise<readonly Row[]> {
  const [off, empty, full] = [makePlace(), makePlace(), makePlace()];
  let chosen = '{"topics": ["work/work topic 3"]}';
  let arrived = 0;
  const model = await startBenchModel((body, at) => {
    if (body.tools === undefined && JSON.stringify(body.messages).includes('choose which stored notes')) return { text: chosen };
    if (body.tools === undefined) return { text: '{"facts": []}' };
    arrived ||= at;
    return { text: TOKEN };
  });
  const env = (memory: boolean) => ({ ...model.env, XZ_MEMORY_ENABLED: String(memory) });
  const talks = async (variants: readonly Variant[], line: (n: number) => string): Promise<readonly number[]> => {
    const open = variants.map(([place, memory]) =>
      openTalk(startNode(place, [main, '--repl'], { env: env(memory), stdin: true, stdout: true })),
    );
    for (const talk of open) await talk.ask(request(3));
    const times = open.map((): number[] => []);
    for (let n = 1; n <= turns; n++) for (const [at, talk] of open.entries()) times[at]?.push(await talk.ask(line(n)));
    for (const talk of open) await talk.end();
    return times.map(median);
  };
  const cold = async ([place, memory]: Variant): Promise<number> => {
    arrived = 0;
    const from = performance.now();
    await runNode(place, [main, 'once', request(3), '--yes'], env(memory));
    return arrived - from;
  };
  try {
    fill(layoutOf(full.dir, homeLayout(full.env)), chunks);
    await runNode(full, [main, 'memory', 'search', 'deploy'], env(true));
    const [without = 0, nothing = 0, reused = 0] = await talks(
      [
        [off, false],
        [empty, true],
        [full, true],
      ],
      followUp,
    );
    const [plain = 0, asked = 0] = await talks(
      [
        [off, false],
        [full, true],
      ],
      request,
    );
    chosen = 'no answer that can be used';
    const [bare = 0, searched = 0] = await talks(
      [
        [off, false],
        [full, true],
      ],
      request,
    );
    const colds: Array<readonly [off: number, on: number]> = [];
    for (let n = 0; n < Math.max(3, turns / 4); n++) colds.push([await cold([off, false]), await cold([full, true])]);
    const [coldOff, coldOn] = [median(colds.map(([time]) => time)), median(colds.map(([, time]) => time))];
    return [
      ...added('nothing stored yet', nothing, without, 3),
      ...added(`${chunks} chunks, a follow-up that keeps the topics`, reused, without, 5),
      ...added(`${chunks} chunks, topics chosen by a model that answers at once`, asked, plain),
      ...added(`${chunks} chunks, its answer useless, so searched by words`, searched, bare, 60),
      ...added(`${chunks} chunks, first request of a new process, searched by words`, coldOn, coldOff),
    ];
  } finally {
    model.stop();
    for (const place of [off, empty, full]) place.remove();
  }
}

/** The time with memory beside the time without, and what lies between. */
function added(what: string, measured: number, yardstick: number, most?: number): readonly Row[] {
  return [
    { name: `first token with memory on, p50, against off: ${what}`, measured, unit: 'ms', yardstick },
    {
      name: '  added by memory',
      measured: measured - yardstick,
      unit: 'ms',
      ...(most !== undefined && { goal: { at: 'most', value: most } }),
    },
  ];
}

/** A conversation over pipes. */
function openTalk(started: Started) {
  let heard = () => {};
  started.onOut((text) => {
    if (text.includes(TOKEN)) heard();
  });
  return {
    /** Milliseconds from the typed line until the first token is printed. */
    async ask(line: string): Promise<number> {
      const first = new Promise<void>((resolve) => {
        heard = resolve;
      });
      const from = performance.now();
      started.write(`${line}\n`);
      await first;
      const took = performance.now() - from;
      await pause(READ_MS);
      return took;
    },
    async end(): Promise<void> {
      started.write('/exit\n');
      await started.ended;
    },
  };
}
