// Several hosts on one schedule, some of them killed: every slot has one row, and the row is true.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../store/clock.ts';
import { openDatabase } from '../../store/database/database.ts';
import { openLocks } from '../../store/lock.ts';
import { openClaims } from '../../store/schedule/claims.ts';
import { openSchedule, type Schedule } from '../../store/schedule/schedule.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { testLayout } from '../helpers/layout.ts';
import { buildProgram } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

const SLOTS = 200;
let program = '';
beforeAll(async () => {
  program = await buildProgram('schedule-host');
});

function bench() {
  const root = tempFolder();
  const layout = testLayout(root, tempFolder());
  const db = openDatabase(layout.database, storeSchemas);
  const schedule = openSchedule(db, systemClock);
  const locks = openLocks(layout.locks, 'test', systemClock);
  for (let n = 0; n < SLOTS; n++)
    schedule.add({ description: `job ${n}`, when: `in ${2 + Math.floor(n / 40)} seconds`, timeZone: 'UTC', author: 'person' });
  const start = (longestMs: number): ChildProcess =>
    spawn(process.execPath, [program, root, layout.home.root, String(longestMs)], { stdio: ['ignore', 'inherit', 'inherit'] });
  const noted = (word: string): string[] =>
    readFileSync(`${root}/runs.txt`, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(`${word} `))
      .map((line) => line.slice(word.length + 1));
  const settle = () => openClaims({ db, clock: systemClock, lease: '', isFree: (name) => locks.isFree(name) }).settle();
  return { schedule, start, noted, settle };
}

const gone = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => (child.exitCode !== null || child.signalCode !== null ? resolve() : child.once('exit', () => resolve())));
const slots = (schedule: Schedule): string[] => schedule.log().map(({ task, slot }) => `${task} ${slot}`);

test(`three hosts run ${SLOTS} slots ${SLOTS} times`, async () => {
  const { schedule, start, noted } = bench();
  const hosts = [start(20), start(20), start(20)];
  await until(() => schedule.log().filter(({ status }) => status === 'success').length === SLOTS, 'all runs', 50_000);
  for (const host of hosts) host.kill('SIGTERM');
  await Promise.all(hosts.map(gone));
  expect(noted('problem')).toEqual([]);
  expect(noted('start').sort()).toEqual(slots(schedule).sort());
  expect(new Set(noted('start')).size).toBe(SLOTS);
  expect(noted('end').sort()).toEqual(noted('start').sort());
  // All three had a share: nobody was locked out.
  expect(noted('host')).toHaveLength(3);
});

test('hosts killed at random leave one row a slot, and it says what happened', async () => {
  const { schedule, start, noted, settle } = bench();
  let hosts = [start(120), start(120), start(120)];
  let kills = 0;
  const settled = (): boolean => {
    const log = schedule.log();
    return log.length === SLOTS && log.every(({ status }) => status !== 'running');
  };
  const end = Date.now() + 50_000;
  while (!settled() && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 250));
    const [victim, ...others] = hosts.sort(() => Math.random() - 0.5);
    // Some get the time to start up and claim; none lives long.
    if (victim !== undefined && kills < 25) {
      victim.kill('SIGKILL');
      kills++;
      hosts = [...others, start(120)];
    }
  }
  for (const host of hosts) host.kill('SIGTERM');
  await Promise.all(hosts.map(gone));
  settle();
  const log = schedule.log();
  expect(noted('problem')).toEqual([]);
  expect(log).toHaveLength(SLOTS);
  expect(new Set(slots(schedule)).size).toBe(SLOTS);
  // Nothing was started twice, whatever died.
  expect(new Set(noted('start')).size).toBe(noted('start').length);
  const ended = new Set(noted('end'));
  for (const { task, slot, status, completedAt } of log) {
    expect(['success', 'interrupted']).toContain(status);
    expect(completedAt).toBeDefined();
    if (status === 'success') expect(ended.has(`${task} ${slot}`)).toBe(true);
  }
  expect(log.filter(({ status }) => status === 'interrupted').length).toBeGreaterThan(0);
});
