// What is claimed when: overlap, absence, a clock set back, processes that die, and several hosts at once.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../store/database/database.ts';
import { openLocks } from '../../../store/lock.ts';
import { type Claims, openClaims } from '../../../store/schedule/claims.ts';
import { openSchedule } from '../../../store/schedule/schedule.ts';
import { type Claim, wakeupText } from '../../../store/schedule/task.ts';
import { storeSchemas } from '../../../store/schemas.ts';
import { type FakeClock, fakeClock } from '../../helpers/clock.ts';
import { tempFolder } from '../../helpers/temp.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-03-03T09:00:00Z');
const at = (iso: string): number => Date.parse(`2026-03-${iso}Z`);

function host(clock: FakeClock = fakeClock(START), folder = tempFolder(), lease = 'scheduler-a', free: readonly string[] = []) {
  const db = openDatabase(join(folder, 'agent.db'), storeSchemas);
  const schedule = openSchedule(db, clock);
  const claims = openClaims({ db, clock, lease, isFree: (name) => free.includes(name) });
  return { clock, folder, db, schedule, claims };
}

const add = (schedule: ReturnType<typeof host>['schedule'], when: string, more: object = {}) =>
  schedule.add({ description: 'daily backup', when, timeZone: 'UTC', author: 'person', ...more });

/** What is claimed at this moment, each run ended at once. */
function runDue(claims: Claims): string[] {
  return claims.due(10).claims.map((claim) => {
    claims.finish(claim, { status: 'success', output: 'done' });
    return short(claim);
  });
}
const short = ({ task, execution }: Claim): string =>
  `${task.id} ${new Date(execution.slot).toISOString().slice(8, 16)}${execution.missed ? ` +${execution.missed}` : ''}`;

/** Walks the clock in steps of a tick and collects what ran. */
function walk({ clock, claims }: { clock: FakeClock; claims: Claims }, to: number, step = 60_000): string[] {
  const ran: string[] = [];
  while (clock.now() < to) {
    clock.jump(Math.min(to, clock.now() + step));
    ran.push(...runDue(claims));
  }
  return ran;
}

describe('a due task', () => {
  it('is claimed once, at its slot, and goes on to the next', () => {
    const here = host();
    add(here.schedule, 'every 2 hours');
    expect(walk(here, START + 5 * HOUR)).toEqual(['daily-backup 03T11:00', 'daily-backup 03T13:00']);
    expect(here.schedule.get('daily-backup')?.nextRun).toBe(at('03T15:00:00'));
    expect(here.schedule.log().map(({ status, output }) => [status, output])).toEqual([
      ['success', 'done'],
      ['success', 'done'],
    ]);
  });

  it('is claimed by one host only, however many look', () => {
    const one = host();
    const two = host(one.clock, one.folder, 'scheduler-b');
    add(one.schedule, 'in 1 minute');
    one.clock.jump(START + 60_000);
    expect([...one.claims.due(10).claims, ...two.claims.due(10).claims]).toHaveLength(1);
    two.clock.jump(START + 120_000);
    expect([...two.claims.due(10).claims, ...one.claims.due(10).claims]).toHaveLength(0);
    expect(one.schedule.get('daily-backup')).toMatchObject({ enabled: false, nextRun: undefined });
  });

  it('is left alone beyond the limit, and taken by the next look', () => {
    const here = host();
    for (let n = 0; n < 5; n++) add(here.schedule, 'in 1 minute');
    here.clock.jump(START + 90_000);
    expect(here.claims.due(3).claims).toHaveLength(3);
    expect(here.claims.due(3).claims.map(short)).toEqual(['daily-backup-4 03T09:01', 'daily-backup-5 03T09:01']);
  });

  it('that starts at a given moment keeps to it, then to its time of day', () => {
    const here = host();
    add(here.schedule, '2026-03-05 08:30', { recurring: 'daily' });
    expect(walk(here, at('07T00:00:00'), HOUR / 2)).toEqual(['daily-backup 05T08:30', 'daily-backup 06T08:30']);
  });
});

describe('overlap', () => {
  it('queues one run: the slots that pass meanwhile become one, told as missed', () => {
    const here = host();
    add(here.schedule, 'every 1 hour');
    here.clock.jump(at('03T10:00:00'));
    const [first] = here.claims.due(10).claims;
    for (let hour = 11; hour <= 14; hour++) {
      here.clock.jump(at(`03T${hour}:00:00`));
      expect(here.claims.due(10)).toEqual({ claims: [], skipped: [] });
    }
    if (first) here.claims.finish(first, { status: 'success', output: '' });
    const [second] = here.claims.due(10).claims;
    expect(second && short(second)).toBe('daily-backup 03T14:00 +3');
    expect(second && wakeupText(second)).toBe('daily backup (3 earlier runs were missed; this one stands for them)');
  });

  it('skips when asked to, with a row for what was dropped', () => {
    const here = host();
    add(here.schedule, 'every 1 hour', { overlap: 'skip' });
    here.clock.jump(at('03T10:00:00'));
    const [first] = here.claims.due(10).claims;
    here.clock.jump(at('03T11:00:00'));
    expect(here.claims.due(10).skipped.map(({ status, error }) => [status, error])).toEqual([
      ['skipped', 'the run before it was still going'],
    ]);
    if (first) here.claims.finish(first, { status: 'success', output: '' });
    expect(here.claims.due(10).claims).toEqual([]);
    here.clock.jump(at('03T12:00:00'));
    expect(here.claims.due(10).claims.map(short)).toEqual(['daily-backup 03T12:00']);
  });
});

describe('absence and clock steps', () => {
  it('catches up once after 26 hours of sleep, and again goes on by the hour when the clock is then set back 3 hours', () => {
    const here = host();
    add(here.schedule, 'every 1 hour');
    expect(walk(here, at('03T10:30:00'))).toEqual(['daily-backup 03T10:00']);
    here.clock.jump(at('04T12:30:00'));
    expect(runDue(here.claims)).toEqual(['daily-backup 04T12:00 +25']);
    here.clock.jump(at('04T09:30:00'));
    expect(runDue(here.claims)).toEqual([]);
    // 12:00 has its row; the hours before it, by the corrected clock still to come, are run.
    expect(walk(here, at('04T14:10:00'))).toEqual([
      'daily-backup 04T10:00',
      'daily-backup 04T11:00',
      'daily-backup 04T13:00',
      'daily-backup 04T14:00',
    ]);
  });

  it('does not wait for the old time when the clock is set back before the first run', () => {
    const here = host();
    add(here.schedule, 'every 1 hour');
    here.clock.jump(at('03T06:00:00'));
    expect(walk(here, at('03T08:30:00'))).toEqual(['daily-backup 03T07:00', 'daily-backup 03T08:00']);
  });

  it('does not repeat a done daily slot when the clock is set back over it', () => {
    const here = host();
    add(here.schedule, '09:30');
    expect(walk(here, at('03T10:00:00'))).toEqual(['daily-backup 03T09:30']);
    here.clock.jump(at('03T07:00:00'));
    expect(walk(here, at('04T10:00:00'), 600_000)).toEqual(['daily-backup 04T09:30']);
  });

  it('runs an overdue one-shot once at the start two days later', () => {
    const before = host();
    add(before.schedule, 'in 10 minutes');
    before.db.close();
    const after = host(fakeClock(at('05T09:00:00')), before.folder);
    expect(runDue(after.claims)).toEqual(['daily-backup 03T09:10']);
    expect(runDue(after.claims)).toEqual([]);
    after.clock.jump(at('03T09:00:00'));
    expect(walk(after, at('03T10:00:00'))).toEqual([]);
  });

  it('does not fire a one-shot of 30 days ahead before its day', () => {
    const here = host();
    add(here.schedule, 'in 30 days');
    expect(walk(here, START + 30 * 24 * HOUR - 1000, 6 * HOUR)).toEqual([]);
    expect(walk(here, START + 30 * 24 * HOUR)).toHaveLength(1);
  });

  it('with missed: skip records the absence and runs nothing, but a little lateness is no absence', () => {
    const here = host();
    add(here.schedule, 'every 1 hour', { missed: 'skip' });
    here.clock.jump(at('04T12:30:00'));
    const { claims, skipped } = here.claims.due(10);
    expect(claims).toEqual([]);
    expect(skipped.map(({ status, missed }) => [status, missed])).toEqual([['skipped', 26]]);
    here.clock.jump(at('04T13:02:00'));
    expect(runDue(here.claims)).toEqual(['daily-backup 04T13:00']);
  });

  it('does not make up for what fell due while it was disabled', () => {
    const here = host();
    add(here.schedule, 'every 1 hour');
    here.schedule.disable('daily-backup');
    here.clock.jump(at('03T20:30:00'));
    expect(runDue(here.claims)).toEqual([]);
    expect(here.schedule.enable('daily-backup').nextRun).toBe(at('03T21:00:00'));
  });
});

describe('the end of a run', () => {
  it('of a process that died is recorded as interrupted, once, and is not started again', () => {
    const dead = host();
    add(dead.schedule, 'in 1 minute');
    dead.clock.jump(START + 60_000);
    dead.claims.due(10);
    const next = host(dead.clock, dead.folder, 'scheduler-b', ['scheduler-a']);
    expect(next.claims.settle().map(({ status }) => status)).toEqual(['interrupted']);
    expect(next.claims.settle()).toEqual([]);
    next.clock.jump(START + HOUR);
    expect(next.claims.due(10).claims).toEqual([]);
  });

  it('of a process that lives is not touched by others, and counts once', () => {
    const one = host();
    add(one.schedule, 'in 1 minute');
    one.clock.jump(START + 60_000);
    const [claim] = one.claims.due(10).claims;
    const two = host(one.clock, one.folder, 'scheduler-b');
    expect(two.claims.settle()).toEqual([]);
    if (claim === undefined) throw new Error('nothing was claimed');
    expect(
      one.claims.finish(claim, { status: 'failed', output: 'x'.repeat(9_000), error: 'boom', session: 's', costUsd: 0.5 }),
    ).toMatchObject({
      status: 'failed',
      error: 'boom',
      session: 's',
      costUsd: 0.5,
    });
    expect(one.claims.finish(claim, { status: 'success', output: '' }).status).toBe('failed');
    expect(one.schedule.log()[0]?.output.length).toBeLessThan(4_100);
  });

  it('is seen through a real lease: held means alive, released means gone', () => {
    const folder = tempFolder();
    const clock = fakeClock(START);
    const locks = openLocks(join(folder, 'locks'), 'test', clock);
    const db = openDatabase(join(folder, 'agent.db'), storeSchemas);
    const lease = locks.tryLease('scheduler-a');
    const claims = openClaims({ db, clock, lease: 'scheduler-a', isFree: locks.isFree });
    const other = openClaims({ db, clock, lease: 'scheduler-b', isFree: locks.isFree });
    add(openSchedule(db, clock), 'in 1 minute');
    clock.jump(START + 60_000);
    claims.due(1);
    expect(other.settle()).toEqual([]);
    if (lease.holder === undefined) lease.release();
    expect(other.settle()).toHaveLength(1);
    locks.close();
  });
});

describe('the record of runs', () => {
  it('forgets what is both old and many, and never what is recent', () => {
    const here = host();
    const fill = here.db.connection.prepare(
      "insert into task_executions (task_id, slot, missed, lease, started_at, completed_at, status, output) values ('a', ?, 0, '', ?, ?, 'success', '')",
    );
    here.db.write(() => {
      for (let n = 0; n < 2_500; n++) fill.run(START - 100 * 24 * HOUR + n, 0, 0);
      for (let n = 0; n < 1_000; n++) fill.run(START - n * HOUR, 0, 0);
    });
    expect(here.claims.prune()).toBe(1_500);
    expect(here.schedule.log('a')).toHaveLength(2_000);
    here.db.write(() => {
      for (let n = 0; n < 2_500; n++) fill.run(START - 1 - n, 0, 0);
    });
    expect(here.claims.prune()).toBe(1_000);
    expect(here.claims.prune()).toBe(0);
    expect(here.schedule.log('a')).toHaveLength(3_500);
  });
});

describe('a run asked for by hand', () => {
  it('has its own slot, leaves the next run alone, and is refused while one goes on', () => {
    const here = host();
    add(here.schedule, '12:00');
    const claim = here.claims.now('daily-backup');
    expect(() => here.claims.now('daily-backup')).toThrow('is running now');
    here.claims.finish(claim, { status: 'success', output: '' });
    expect(here.claims.now('daily-backup').execution.slot).toBe(START + 1);
    expect(here.schedule.get('daily-backup')?.nextRun).toBe(at('03T12:00:00'));
  });
});

describe('one bad task', () => {
  it('is switched off with the reason, and the others run', () => {
    const here = host();
    add(here.schedule, '10:00');
    add(here.schedule, '10:00');
    here.db.sql("update scheduled_tasks set time_zone = 'Mars/Olympus' where id = 'daily-backup'").run();
    expect(here.schedule.check().map(({ level, where }) => [level, where])).toEqual([['broken', 'schedule daily-backup']]);
    here.clock.jump(at('03T10:00:00'));
    expect(runDue(here.claims)).toEqual(['daily-backup-2 03T10:00']);
    expect(here.schedule.get('daily-backup')?.enabled).toBe(false);
    expect(here.schedule.log('daily-backup')[0]?.error).toContain('Mars/Olympus');
  });
});
