import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';

const run = promisify(execFile);
const PROCESSES = 8;
/** 10,000 in the full run (`XZ_TEST_FULL=1`). */
const TASKS = process.env.XZ_TEST_FULL ? 10_000 : 120;

describe('eight processes that race for the same tasks', () => {
  it(`give each of ${TASKS} tasks one winner, and lose no result`, async () => {
    const program = await buildProgram('claim-racer');
    const root = tempFolder();
    const home = tempFolder();
    mkdirSync(join(root, '.TASK'));
    for (let i = 0; i < TASKS; i++) writeFileSync(join(root, '.TASK', `t${i}.json`), JSON.stringify({ title: `t${i}` }));
    const racers = Array.from({ length: PROCESSES }, (_, i) => `racer${i}`);
    const ends = await Promise.all(
      racers.map((name) => run(process.execPath, [program, root, home, name], { maxBuffer: 1e8, timeout: 1_800_000 })),
    );
    const winners = new Map<string, string>();
    for (const [at, { stdout }] of ends.entries()) {
      for (const id of JSON.parse(stdout)) {
        expect(winners.has(id)).toBe(false);
        winners.set(id, racers[at] ?? '');
      }
    }
    expect(winners.size).toBe(TASKS);
    for (const [id, name] of winners)
      expect(JSON.parse(readFileSync(join(root, '.TASK', `${id}.json`), 'utf8'))).toMatchObject({
        state: 'completed',
        result: name,
        claim: { by: name },
        attempts: 0,
      });
    expect(readdirSync(join(root, '.TASK')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  }, 1_800_000);
});
