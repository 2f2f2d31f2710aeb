// Start-up beside an ES module that prints one line, in turns in the same run: the version, a small task list, and
// `xz once` until its first request has arrived.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePlace, type Place, runNode, startBenchModel } from './place.ts';
import { median, type Row } from './row.ts';

/** Measures; `main` is the built `dist/main.js`. Ratios are medians of the ratios of each turn. */
export async function benchStart(main: string, turns: number): Promise<readonly Row[]> {
  const place = makePlace();
  let arrived = 0;
  const model = await startBenchModel((_body, at) => {
    arrived ||= at;
    return { text: 'ok' };
  });
  const first = async (where: Place) => {
    arrived = 0;
    const from = performance.now();
    await runNode(where, [main, 'once', 'hello', '--yes'], model.env);
    return arrived - from;
  };
  try {
    const bare = join(place.dir, '..', 'hello.mjs');
    writeFileSync(bare, "console.log('hello');\n");
    for (let n = 0; n < 5; n++) await runNode(place, [main, 'task', 'create', `task ${n}`]);
    await first(place);
    const rounds: Array<Record<'bare' | 'version' | 'list' | 'first', number>> = [];
    for (let n = 0; n < turns; n++)
      rounds.push({
        bare: await runNode(place, [bare]),
        version: await runNode(place, [main, '--version']),
        list: await runNode(place, [main, 'task', 'list']),
        first: await first(place),
      });
    const row = (name: string, what: 'version' | 'list' | 'first', most: number): Row => {
      const yardstick = median(rounds.map((round) => round.bare));
      const measured = median(rounds.map((round) => round[what] / round.bare)) * yardstick;
      return { name, measured, unit: 'ms', yardstick, goal: { at: 'most', value: most, of: 'ratio' } };
    };
    return [
      row('xz --version, against a bare ES module', 'version', 1.2),
      row('xz task list (5 tasks), against the same', 'list', 2.2),
      row('xz once until its first request, against the same', 'first', 6),
    ];
  } finally {
    model.stop();
    place.remove();
  }
}
