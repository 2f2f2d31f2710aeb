// What dead processes leave is swept, whatever instant they died in; what a living one holds stays.
import { cpSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../store/clock.ts';
import { ensureFolder } from '../../store/files.ts';
import { openLocks } from '../../store/lock.ts';
import { isProcessAlive, nameProcess, sweepDeadProcesses } from '../../store/process.ts';
import { setTempOwner, writeTemp } from '../../store/temp-files.ts';
import { tempFolder } from '../helpers/temp.ts';

test('a sweep removes temp files and every part of a dead process, and nothing of a living one', () => {
  const folder = tempFolder();
  const work = tempFolder();
  const mine = openLocks(folder, 'me', systemClock);
  const other = openLocks(folder, 'other', systemClock);
  ensureFolder(folder);
  const living = nameProcess(other, folder);
  living.hold();
  // Dead ones: one with its list of folders, one killed before it had any, one killed while its files were removed.
  writeFileSync(join(folder, 'process-pdead1.db'), '');
  writeFileSync(join(folder, 'process-pdead1.folders'), `${work}\n`);
  writeFileSync(join(work, '.a.json.pdead1-0-x1.tmp'), 'half');
  writeFileSync(join(work, '.a.json.pother-0-x1.tmp'), 'not of a dead one that is known');
  writeFileSync(join(folder, 'process-pdead2.db'), '');
  writeFileSync(join(folder, 'process-pdead2.holder'), 'xz once');
  writeFileSync(join(folder, 'process-pdead3.holder'), 'xz once');
  expect(sweepDeadProcesses(mine, folder)).toBe(3);
  expect(readdirSync(folder).filter((name) => name.includes('dead'))).toEqual([]);
  expect(readdirSync(work)).toEqual(['.a.json.pother-0-x1.tmp']);
  expect(isProcessAlive(mine, living.name)).toBe(true);
  living.release();
  expect(readdirSync(folder)).toEqual([]);
  mine.close();
  other.close();
  setTempOwner({ name: 'ptest', noteFolder: () => {} });
});

test('what cannot be swept keeps nobody from starting, and the rest is swept', () => {
  const folder = tempFolder();
  const work = tempFolder();
  const locks = openLocks(folder, 'me', systemClock);
  ensureFolder(folder);
  // A folder that became a loop of links, and a lock that cannot be opened (as another user's).
  symlinkSync('loop', join(work, 'loop'));
  writeFileSync(join(folder, 'process-pdead1.db'), '');
  writeFileSync(join(folder, 'process-pdead1.folders'), `${join(work, 'loop')}\n${work}\n`);
  writeFileSync(join(work, '.a.json.pdead1-0-x1.tmp'), 'half');
  mkdirSync(join(folder, 'process-pdead2.db'));
  writeFileSync(join(folder, 'process-pdead3.db'), '');
  expect(sweepDeadProcesses(locks, folder)).toBe(2);
  expect(readdirSync(folder)).toEqual(['process-pdead2.db']);
  expect(readdirSync(work)).toEqual(['loop']);
  locks.close();
});

for (const [how, take] of [
  ['moved', renameSync],
  ['copied', (from: string, to: string) => cpSync(from, to, { recursive: true })],
] as const)
  test(`a workspace that is ${how} with the temp files of a dead process is swept where it is now`, () => {
    const [before, now] = [join(tempFolder(), 'ws'), join(tempFolder(), 'ws')];
    const box = join(before, '.Mailbox', 'ann');
    ensureFolder(box);
    const outside = tempFolder();
    const locks = openLocks(join(before, '.agents/data/locks'), 'a dying one', systemClock);
    nameProcess(locks, join(before, '.agents/data/locks'), 'pdying');
    for (const folder of [box, outside]) writeTemp(join(folder, 'agent.json'), 'half', 0o600, true);
    setTempOwner({ name: 'ptest', noteFolder: () => {} });
    locks.close();
    take(before, now);
    const here = join(now, '.agents/data/locks');
    const mine = openLocks(here, 'me', systemClock);
    expect(sweepDeadProcesses(mine, here)).toBe(1);
    expect(readdirSync(join(now, '.Mailbox', 'ann'))).toEqual([]);
    expect(readdirSync(outside)).toEqual([]);
    mine.close();
  });
