// What a lock must give back whatever goes wrong around it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../store/clock.ts';
import { LOCK_WAIT_MS, openLocks } from '../../store/lock.ts';
import { fakeClock } from '../helpers/clock.ts';
import { tempFolder } from '../helpers/temp.ts';

it('a lock whose holder cannot be named (a full disk) is held and given back like any other', async () => {
  const folder = join(tempFolder(), 'locks');
  mkdirSync(join(folder, 'tasks.holder'), { recursive: true });
  mkdirSync(join(folder, 'team.holder'));
  const [mine, other] = [1, 2].map(() => openLocks(folder, 'a test', systemClock));
  onTestFinished(() => {
    mine?.close();
    other?.close();
  });
  expect(await mine?.withLock('tasks', undefined, () => 1)).toBe(1);
  expect(await mine?.withLock('tasks', undefined, () => 2)).toBe(2);
  expect(await other?.withLock('tasks', undefined, () => 3)).toBe(3);
  const lease = mine?.tryLease('team');
  expect(lease?.holder).toBeUndefined();
  expect(other?.isFree('team')).toBe(false);
});

it.each([
  ['back', -3 * 3_600_000],
  ['ahead', 3 * 3_600_000],
])('a lock is waited for as long when the clock is set %s meanwhile', async (_way, by) => {
  const folder = join(tempFolder(), 'locks');
  const clock = fakeClock();
  const [mine, other] = [1, 2].map(() => openLocks(folder, 'a test', clock));
  onTestFinished(() => {
    mine?.close();
    other?.close();
  });
  other?.tryLease('tasks');
  let ended: unknown;
  void mine?.withLock('tasks', undefined, () => 1).catch((error: unknown) => (ended = error));
  await clock.advance(1_000);
  // A timer is moved by no clock: what is left of it is left after the jump.
  const left = clock.next() ?? 0;
  clock.jump(clock.now() + by);
  await clock.advance(Math.max(0, left - by));
  expect(ended).toBeUndefined();
  await clock.advance(LOCK_WAIT_MS + 1_000);
  expect(ended).toMatchObject({ code: 'lock_busy' });
});

it('a lock file that holds something else is named, with the way out', async () => {
  const folder = join(tempFolder(), 'locks');
  mkdirSync(folder);
  writeFileSync(join(folder, 'tasks.db'), 'not a lock, but long enough to be looked at as one '.repeat(20));
  const locks = openLocks(folder, 'a test', systemClock);
  onTestFinished(() => locks.close());
  const named = {
    code: 'database_broken',
    message: expect.stringContaining(join(folder, 'tasks.db')),
    hint: expect.stringContaining('remove'),
  };
  await expect(locks.withLock('tasks', undefined, () => 1)).rejects.toMatchObject(named);
  expect(() => locks.tryLease('tasks')).toThrow(expect.objectContaining(named));
});

it('a lock whose file was removed and made again is the new one, also for who had it open', async () => {
  const folder = join(tempFolder(), 'locks');
  const clock = fakeClock();
  const [mine, other] = [1, 2].map(() => openLocks(folder, 'a test', clock));
  onTestFinished(() => {
    mine?.close();
    other?.close();
  });
  expect(await mine?.withLock('tasks', undefined, () => 1)).toBe(1);
  rmSync(folder, { recursive: true });
  const lease = other?.tryLease('tasks');
  let ended: unknown;
  void mine
    ?.withLock('tasks', undefined, () => 2)
    .then(
      (value) => (ended = value),
      (error: unknown) => (ended = error),
    );
  await clock.advance(1_000);
  expect(ended).toBeUndefined();
  if (lease?.holder === undefined) lease?.release();
  await clock.advance(1_000);
  expect(ended).toBe(2);
});
