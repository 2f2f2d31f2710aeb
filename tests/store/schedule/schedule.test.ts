// The tasks themselves: ids, listing, switching on and off; the register of workspaces and the log of runs.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../store/clock.ts';
import { openDatabase } from '../../../store/database/database.ts';
import { openLocks } from '../../../store/lock.ts';
import { appendRunLine, LARGEST_LOG_BYTES, runLine } from '../../../store/schedule/run-log.ts';
import { openSchedule } from '../../../store/schedule/schedule.ts';
import type { Execution } from '../../../store/schedule/task.ts';
import { registeredWorkspaces, registerWorkspace } from '../../../store/schedule/workspaces.ts';
import { storeSchemas } from '../../../store/schemas.ts';
import { fakeClock } from '../../helpers/clock.ts';
import { testLayout } from '../../helpers/layout.ts';
import { tempFolder } from '../../helpers/temp.ts';

const START = Date.parse('2026-03-03T09:00:00Z');
const open = (folder = tempFolder(), clock = fakeClock(START)) => openSchedule(openDatabase(join(folder, 'agent.db'), storeSchemas), clock);
const task = { timeZone: 'UTC', author: 'person' } as const;

describe('a task', () => {
  it('gets a readable id that nobody else has', () => {
    const schedule = open();
    expect(schedule.add({ ...task, description: 'Daily backup', when: '09:30' }).id).toBe('daily-backup');
    expect(schedule.add({ ...task, description: 'daily backup!', when: '09:30' }).id).toBe('daily-backup-2');
    expect(schedule.add({ ...task, description: '检查 备份', when: '09:30' }).id).toBe('检查-备份');
    expect(schedule.add({ ...task, description: '!!!', when: '09:30' }).id).toBe('task');
  });

  it('is made once for one tool call', () => {
    const schedule = open();
    const origin = 's/4/0';
    const made = schedule.add({ ...task, description: 'x', when: 'in 5 minutes', origin });
    expect(schedule.add({ ...task, description: 'x', when: 'in 5 minutes', origin })).toEqual(made);
    expect(schedule.ids()).toEqual(['x']);
  });

  it('needs a description', () => {
    expect(() => open().add({ ...task, description: '  ', when: '09:30' })).toThrow('description is empty');
  });

  it('is listed soonest first, with the word for its rhythm and its last run', () => {
    const schedule = open();
    for (const [description, when] of [
      ['c', 'in 3 hours'],
      ['a', '10:00'],
      ['b', 'every 1 hour'],
      ['d', 'mon-fri 23:00'],
      ['e', '0 22 * * *'],
    ] as const)
      schedule.add({ ...task, description, when });
    expect(schedule.list().map(({ id, recurring, lastStatus }) => [id, recurring, lastStatus])).toEqual([
      ['a', 'daily', undefined],
      ['b', 'hourly', undefined],
      ['c', 'none', undefined],
      ['e', 'daily', undefined],
      ['d', 'cron', undefined],
    ]);
    expect(schedule.outlook()).toEqual({ next: { id: 'a', at: START + 3_600_000, timeZone: 'UTC' }, pending: 5 });
  });

  it('is switched off and on, and removed', () => {
    const schedule = open();
    schedule.add({ ...task, description: 'a', when: '10:00' });
    expect(schedule.disable('a')).toMatchObject({ enabled: false, nextRun: undefined });
    expect(schedule.outlook()).toEqual({ next: undefined, pending: 0 });
    expect(schedule.enable('a')).toMatchObject({ enabled: true, nextRun: START + 3_600_000 });
    expect([schedule.remove('a'), schedule.remove('a')]).toEqual([true, false]);
    expect(() => schedule.enable('a')).toThrow('no scheduled task "a"');
  });

  it('that has no run left cannot be switched on', () => {
    const clock = fakeClock(START);
    const schedule = open(tempFolder(), clock);
    schedule.add({ ...task, description: 'a', when: 'in 5 minutes' });
    schedule.disable('a');
    clock.jump(START + 600_000);
    expect(() => schedule.enable('a')).toThrow('no run after now');
  });
});

describe('the register of workspaces', () => {
  it('holds each workspace once, and a damaged one is moved aside, not overwritten', async () => {
    const home = testLayout(tempFolder(), tempFolder()).home;
    const clock = fakeClock(Date.now() + 60_000);
    const locks = openLocks(home.locks, 'test', systemClock);
    await Promise.all([registerWorkspace(home, locks, clock, '/a'), registerWorkspace(home, locks, clock, '/b')]);
    await registerWorkspace(home, locks, clock, '/a');
    expect([...registeredWorkspaces(home).workspaces].sort()).toEqual(['/a', '/b']);
    writeFileSync(home.workspaces, '{"workspaces": [}');
    expect(registeredWorkspaces(home).bad).toContain('not JSON');
    await registerWorkspace(home, locks, clock, '/c');
    expect(registeredWorkspaces(home).workspaces).toEqual(['/c']);
    locks.close();
  });
});

describe('the log of runs', () => {
  const run: Execution = {
    id: 1,
    task: 'daily-backup',
    slot: START,
    missed: 0,
    lease: 'l',
    startedAt: START + 100,
    completedAt: START + 4_300,
    status: 'success',
    output: '\n  saved 3 files\nand more',
    error: undefined,
    session: '2026-03-03-abc123',
    costUsd: undefined,
  };

  it('has one line a run', () => {
    const fields = runLine('/work/my\tproject', run, 'Asia/Shanghai', START + 4_300).split('\t');
    expect(fields.slice(1)).toEqual([
      '/work/my project',
      'daily-backup',
      '2026-03-03T17:00:00+08:00',
      'success',
      '4.2s',
      '2026-03-03-abc123',
      'saved 3 files',
    ]);
    expect(fields[0]).toMatch(/^2026-03-03T.*[+-]\d\d:\d\d$/);
  });

  it('is turned over when it is large, keeping three', () => {
    const home = testLayout(tempFolder(), tempFolder()).home;
    mkdirSync(home.root, { recursive: true });
    for (let turn = 0; turn < 5; turn++) {
      writeFileSync(home.tasksLog, `${turn}`.repeat(LARGEST_LOG_BYTES));
      appendRunLine(home, `line ${turn}`);
    }
    expect(readFileSync(home.tasksLog, 'utf8')).toBe('line 4\n');
    expect([1, 2, 3].map((age) => readFileSync(`${home.tasksLog}.${age}`, 'utf8')[0])).toEqual(['4', '3', '2']);
  });
});
