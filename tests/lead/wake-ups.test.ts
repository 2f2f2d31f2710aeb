// Wake-ups of a conversation: what it is asked, what is recorded, what happens to them when xz is left.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TurnOutcome } from '../../lead/conversation.ts';
import { startWakeUps } from '../../lead/wake-ups.ts';
import { openDatabase } from '../../store/database/database.ts';
import { openLocks } from '../../store/lock.ts';
import { someoneRuns } from '../../store/schedule/presence.ts';
import { openSchedule } from '../../store/schedule/schedule.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { fakeClock, settle } from '../helpers/clock.ts';
import { testLayout } from '../helpers/layout.ts';
import { tempFolder } from '../helpers/temp.ts';

function bench(outcome: () => Promise<TurnOutcome>) {
  const clock = fakeClock(Date.parse('2026-03-03T09:00:00Z'));
  const layout = testLayout(tempFolder(), tempFolder());
  const db = openDatabase(layout.database, storeSchemas);
  const [locks, homeLocks] = [openLocks(layout.locks, 'test', clock), openLocks(layout.home.locks, 'test', clock)];
  const schedule = openSchedule(db, clock);
  const asked: object[] = [];
  let tick = (): void => {};
  const start = () =>
    startWakeUps({
      conversation: {
        session: () => '2026-03-03-abc123',
        wake(input) {
          asked.push(input);
          return outcome();
        },
      },
      layout,
      locks,
      db,
      clock,
      checkIntervalMs: 2_000,
      onProblem: (text) => {
        throw new Error(text);
      },
      ticks: (fn) => {
        tick = fn;
        return () => {};
      },
    });
  const pass = async (ms: number): Promise<void> => {
    await clock.advance(ms);
    tick();
    await settle();
  };
  return { clock, schedule, asked, start, pass, alive: () => someoneRuns(locks, homeLocks, layout), folder: join(layout.locks) };
}

test('a due task is asked of the conversation with its mode, and its reply recorded', async () => {
  const here = bench(async () => ({ stopReason: 'done', text: 'backed up' }));
  expect(here.alive()).toBe(false);
  here.schedule.add({ description: 'back up', when: 'in 1 minute', timeZone: 'UTC', author: 'agent', mode: 'ask' });
  const wakeUps = here.start();
  expect(here.alive()).toBe(true);
  await here.pass(60_000);
  expect(here.asked).toEqual([{ taskId: 'back-up', description: 'back up', mode: 'ask' }]);
  expect(here.schedule.log()).toMatchObject([{ status: 'success', output: 'backed up', session: '2026-03-03-abc123' }]);
  await wakeUps.stop(0);
  expect(here.alive()).toBe(false);
});

test('what fell due while xz was closed is asked at once, with the number of missed runs', async () => {
  const here = bench(async () => ({ stopReason: 'done', text: '' }));
  here.schedule.add({ description: 'look', when: 'every 1 hour', timeZone: 'UTC', author: 'person' });
  here.clock.jump(Date.parse('2026-03-05T09:30:00Z'));
  const wakeUps = here.start();
  await settle();
  expect(here.asked).toEqual([{ taskId: 'look', description: 'look (47 earlier runs were missed; this one stands for them)' }]);
  await wakeUps.stop(0);
});

test('a turn that does not end well is no success, and one that xz leaves behind is interrupted', async () => {
  const here = bench(async () => ({ stopReason: 'budget', text: 'half' }));
  here.schedule.add({ description: 'a', when: 'in 1 minute', timeZone: 'UTC', author: 'person' });
  const first = here.start();
  await here.pass(60_000);
  await first.stop(0);
  expect(here.schedule.log('a')).toMatchObject([{ status: 'failed', error: 'stopped: budget', output: 'half' }]);
  const waiting = bench(() => new Promise(() => {}));
  waiting.schedule.add({ description: 'b', when: 'in 1 minute', timeZone: 'UTC', author: 'person' });
  const second = waiting.start();
  await waiting.pass(60_000);
  const stopping = second.stop(1_000);
  await waiting.clock.advance(5_000);
  await stopping;
  expect(waiting.schedule.log('b')).toMatchObject([{ status: 'interrupted' }]);
});
