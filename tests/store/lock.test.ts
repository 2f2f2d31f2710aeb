// What a lock must give back whatever goes wrong around it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../store/clock.ts';
import { openLocks } from '../../store/lock.ts';
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
