// Two rows about nothing being lost: eight processes that race for every task, and what the last run of the crash tests
// reported (`docs/kills.json`), quoted with its date since such a run takes far longer than a measurement.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from 'typebox';
import { parserOf } from '../../store/schema.ts';
import { makePlace } from './place.ts';
import type { Row } from './row.ts';

const RACERS = 8;
const KILLS_WANTED = 1_000;

/** Races eight processes for `count` tasks; `racer` is the built program tests/fixtures/claim-racer.ts. */
export async function benchRace(racer: string, count: number): Promise<Row> {
  const place = makePlace();
  try {
    const folder = join(place.dir, '.TASK');
    mkdirSync(folder);
    const at = '2026-03-03T09:00:00.000+00:00';
    for (let n = 0; n < count; n++) {
      const id = `task-${n}`;
      const task = { id, title: id, description: id, state: 'pending', priority: 'normal', blockedBy: [], attempts: 0, failures: [] };
      writeFileSync(join(folder, `${id}.json`), JSON.stringify({ ...task, createdAt: at, updatedAt: at }));
    }
    const home = join(place.dir, '..', '.xz');
    const from = performance.now();
    const won = await Promise.all(Array.from({ length: RACERS }, (_, n) => wonBy(racer, [place.dir, home, `racer${n}`])));
    const seconds = (performance.now() - from) / 1_000;
    const winners = new Map<string, number>();
    for (const id of won.flat()) winners.set(id, (winners.get(id) ?? 0) + 1);
    const wrong = count - winners.size + [...winners.values()].filter((times) => times > 1).length;
    return {
      name: `eight-way claim race over ${count.toLocaleString('en-US')} tasks: tasks without exactly one winner`,
      measured: wrong,
      unit: '',
      goal: { at: 'most', value: 0 },
      note: `${seconds.toFixed(1)} s`,
    };
  } finally {
    place.remove();
  }
}

const wonParser = parserOf(Type.Array(Type.String()), 'what a racer won');

function wonBy(racer: string, args: readonly string[]): Promise<readonly string[]> {
  const child = spawn(process.execPath, [racer, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(wonParser.parseJson(out)) : reject(new Error(`a racer ended with ${code}`))));
  });
}

const killsParser = parserOf(
  Type.Object({ date: Type.String(), kills: Type.Number(), faults: Type.Number(), node: Type.String(), seed: Type.Number() }),
  'kills.json',
);

/** Quotes the last record that `npm run crash-test -- --record` wrote. */
export function killsRow(root: string): Row {
  const path = join(root, 'docs', 'kills.json');
  const name = `kill -9 during team runs, at least ${KILLS_WANTED} of them: messages lost, seen twice, files unreadable or left over, wrong ends`;
  const goal = { at: 'most', value: 0 } as const;
  if (!existsSync(path))
    return { name, measured: Number.NaN, unit: '', goal, note: 'no record: npm run crash-test -- --kills 1000 --record' };
  const { date, kills, faults, node, seed } = killsParser.parseJson(readFileSync(path, 'utf8'));
  const note = `${kills.toLocaleString('en-US')} kills on ${date.slice(0, 10)}, node ${node}, seed ${seed}`;
  // Fewer kills prove less than the goal asks for: the row says what was found and is not counted as reached.
  if (kills < KILLS_WANTED) return { name, measured: faults, unit: '', note: `${note}; too few for the goal` };
  return { name, measured: faults, unit: '', goal, note };
}
