// The scheduler of a host: looks at its interval, starts what is due, records every end, stops in time.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startScheduler } from '../../lead/scheduler.ts';
import { everySecond } from '../../lead/tick.ts';
import { openDatabase } from '../../store/database/database.ts';
import { openClaims } from '../../store/schedule/claims.ts';
import { openSchedule } from '../../store/schedule/schedule.ts';
import type { RunResult } from '../../store/schedule/task.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { fakeClock, settle } from '../helpers/clock.ts';
import { testLayout } from '../helpers/layout.ts';
import { tempFolder } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

const START = Date.parse('2026-03-03T09:00:00Z');

function host(run: (signal: AbortSignal, text: string) => Promise<RunResult>, checkIntervalMs = 2_000) {
  const clock = fakeClock(START);
  const folder = tempFolder();
  const { home } = testLayout(folder, join(folder, 'home'));
  const db = openDatabase(join(folder, 'agent.db'), storeSchemas);
  const schedule = openSchedule(db, clock);
  const claims = openClaims({ db, clock, lease: 'scheduler-a', isFree: () => true });
  const problems: string[] = [];
  const looks: number[] = [];
  let tick: (() => void) | undefined;
  /** A second passes at a time: its timers fire, then the tick comes. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      await clock.advance(1_000);
      tick?.();
      await settle();
    }
  };
  const scheduler = startScheduler({
    workspace: '/ws',
    home,
    schedule,
    claims: {
      ...claims,
      due: (limit) => {
        looks.push(clock.now() - START);
        return claims.due(limit);
      },
    },
    clock,
    everySecond: (fn) => {
      tick = fn;
      return () => {
        tick = undefined;
      };
    },
    checkIntervalMs,
    room: () => 3 - scheduler.running().length,
    run: (claim, signal) => run(signal, claim.task.id),
    onProblem: (text) => problems.push(text),
  });
  const add = (description: string, when: string) => schedule.add({ description, when, timeZone: 'UTC', author: 'person' });
  const log = (): string[] =>
    readFileSync(home.tasksLog, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => {
        const fields = line.split('\t');
        return [fields[2], fields[4], fields[7]].join(' ');
      });
  return { clock, pass, db, schedule, scheduler, problems, looks, add, log };
}

const done: RunResult = { status: 'success', output: 'fine' };

describe('the scheduler', () => {
  it('looks when its interval has passed, not at every tick, and at once when the clock was set back', async () => {
    const here = host(async () => done);
    await here.pass(7_000);
    expect(here.looks).toEqual([1_000, 3_000, 5_000, 7_000]);
    here.clock.jump(START - 3_600_000);
    await here.pass(10_000);
    expect(here.looks.length).toBe(9);
    await here.scheduler.stop(0);
  });

  it('runs what is due, and adds a line to the log for each run', async () => {
    const here = host(async (_, id) => {
      if (id === 'bad') throw new Error('no such model');
      return done;
    });
    here.add('good', 'in 1 minute');
    here.add('bad', 'in 2 minutes');
    await here.pass(150_000);
    expect(here.log()).toEqual(['good success fine', 'bad failed no such model']);
    expect(here.schedule.log().map(({ task, status }) => `${task} ${status}`)).toEqual(['bad failed', 'good success']);
    await here.scheduler.stop(0);
  });

  it('starts no more than there is room for', async () => {
    const ends: Array<() => void> = [];
    const here = host(() => new Promise((resolve) => ends.push(() => resolve(done))));
    for (const name of ['a', 'b', 'c', 'd', 'e']) here.add(name, 'in 1 minute');
    await here.pass(70_000);
    expect(here.scheduler.running().map(({ task }) => task.id)).toEqual(['a', 'b', 'c']);
    ends[0]?.();
    await here.pass(4_000);
    expect(here.scheduler.running().map(({ task }) => task.id)).toEqual(['b', 'c', 'd']);
    for (const end of ends) end();
    await here.pass(4_000);
    for (const end of ends) end();
    await settle();
    await here.scheduler.stop(0);
    expect(here.log()).toHaveLength(5);
  });

  it('waits for a run when it is stopped, and keeps its true end', async () => {
    let end = (_: RunResult): void => {};
    const here = host(() => new Promise((resolve) => (end = resolve)));
    here.add('slow', 'in 1 minute');
    await here.pass(70_000);
    const stopping = here.scheduler.stop(5_000);
    await here.pass(3_000);
    end(done);
    await stopping;
    expect(here.log()).toEqual(['slow success fine']);
  });

  it('aborts a run that outlasts the grace and records it as interrupted, also when the run ignores it', async () => {
    const here = host((signal, id) => (id === 'deaf' ? new Promise(() => {}) : stopsWhen(signal)));
    here.add('polite', 'in 1 minute');
    here.add('deaf', 'in 1 minute');
    await here.pass(70_000);
    const stopping = here.scheduler.stop(5_000);
    await here.pass(8_000);
    await stopping;
    expect(here.log().sort()).toEqual(['deaf interrupted xz was stopped while it ran', 'polite interrupted asked to stop']);
    expect(here.schedule.log().every(({ status }) => status === 'interrupted')).toBe(true);
  });

  it('tells of a database that fails, once, and goes on when it is well again', async () => {
    const here = host(async () => done);
    here.add('good', 'in 1 minute');
    here.db.connection.exec('alter table task_executions rename to elsewhere');
    await here.pass(70_000);
    expect(here.problems).toEqual(['no such table: task_executions']);
    here.db.connection.exec('alter table elsewhere rename to task_executions');
    await here.pass(4_000);
    expect(here.log()).toEqual(['good success fine']);
    await here.scheduler.stop(0);
  });
});

function stopsWhen(signal: AbortSignal): Promise<RunResult> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve({ status: 'interrupted', output: '', error: 'asked to stop' }), { once: true });
  });
}

describe('the tick', () => {
  it('comes each second and stops when told to', async () => {
    let ticks = 0;
    const stop = everySecond(true)(() => ticks++);
    await until(() => ticks >= 2, 'two ticks');
    stop();
    expect(ticks).toBe(2);
  });

  it('goes on after a sleep of 26 hours and after the clock was set back 3 hours', async () => {
    const real = Date.now;
    let shift = 0;
    const RealDate = Date;
    class ShiftedDate extends RealDate {
      constructor(...given: [] | [number | string | Date]) {
        super(given.length === 0 ? real() + shift : given[0]);
      }
      static override now(): number {
        return real() + shift;
      }
    }
    Reflect.set(globalThis, 'Date', ShiftedDate);
    const hours: number[] = [];
    const stop = everySecond(true)(() => hours.push(Math.round(shift / 3_600_000)));
    try {
      await until(() => hours.includes(0), 'the first tick');
      shift = 26 * 3_600_000;
      await until(() => hours.includes(26), 'a tick after the sleep');
      shift = 23 * 3_600_000;
      await until(() => hours.includes(23), 'a tick after the step back');
    } finally {
      stop();
      globalThis.Date = RealDate;
    }
  });
});
