// The demo is the whole story of the team, offline: it must end green in an empty home without a key or a terminal.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runXz, startXz } from '../helpers/run.ts';
import { tempFolder } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

test('the demo lands four modules with three teammates and one review', async () => {
  const home = tempFolder();
  const env = { PATH: process.env.PATH ?? '', HOME: home, LANG: 'en_US.UTF-8' };
  const run = await runXz({ dir: home, env }, ['--demo', '--repl'], { timeoutMs: 120_000 });
  expect(run, run.err).toMatchObject({ code: 0 });
  expect(run.out).toContain('Before: node --test: 0 pass, 4 fail');
  expect(run.out).toContain('claimed   "slug is written; all tests pass."');
  expect(run.out).toMatch(/observed {2}node --test test\/slug\.test\.js → exit 1/);
  expect(run.out).toContain('Lead → ann: sent back');
  expect(run.out.match(/merged as \w+ \(gate green\)/g)).toHaveLength(4);
  expect(run.out).toContain('After, on the merged tree: node --test: 6 pass, 0 fail');
}, 180_000);

test('the demo takes its scratch repository along when it is interrupted', async () => {
  const home = tempFolder();
  const env = { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home, LANG: 'zh_CN.UTF-8' };
  for (const [line, times] of [
    ['create_task', 1],
    ['spawn_teammate', 1],
    ['spawn_teammate', 2],
  ] as const) {
    const run = startXz({ dir: home, env }, ['--demo', '--repl']);
    await until(() => run.out().includes(line), line);
    for (let n = 0; n < times; n++) run.kill('SIGINT');
    const { code, out } = await run.ended;
    expect([code, readdirSync(home).filter((name) => name.startsWith('xz-demo'))]).toEqual([130, []]);
    expect(out).not.toContain('合并后');
  }
}, 60_000);
