// Locks of processes that are frozen, killed, or only named in a file (A6): the kernel says who holds one, nothing else does.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../store/clock.ts';
import { LOCK_WAIT_MS, openLocks } from '../../store/lock.ts';
import { fakeClock } from '../helpers/clock.ts';
import { buildProgram } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

let program = '';
beforeAll(async () => {
  program = await buildProgram('lock-holder');
});

function hold(folder: string, name: string, how: 'lease' | 'lock') {
  const child = spawn(process.execPath, [program, folder, name, how], { stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, out: () => out, held: until(() => out.includes('held'), 'the holder') };
}

const holderIn = (folder: string) => {
  const locks = openLocks(folder, 'a test', systemClock);
  onTestFinished(() => locks.close());
  const taken = locks.tryLease('team');
  if (taken.holder === undefined) taken.release();
  return taken.holder;
};

test('a frozen holder keeps its lease, and is named; killed, it holds nothing', async () => {
  const folder = join(tempFolder(), 'locks');
  const { child, held } = hold(folder, 'team', 'lease');
  await held;
  child.kill('SIGSTOP');
  expect(holderIn(folder)).toBe(`a holder (pid ${child.pid})`);
  child.kill('SIGCONT');
  expect(holderIn(folder)).toBe(`a holder (pid ${child.pid})`);
  child.kill('SIGSTOP');
  child.kill('SIGKILL');
  await until(() => holderIn(folder) === undefined, 'the lease to be free');
});

test('who waits for a lock of a frozen holder changes nothing, gives up after 30 s naming it, and gets it once that goes on', async () => {
  const folder = join(tempFolder(), 'locks');
  const { child, out, held } = hold(folder, 'tasks', 'lock');
  await held;
  child.kill('SIGSTOP');
  const clock = fakeClock();
  const locks = openLocks(folder, 'a test', clock);
  onTestFinished(() => locks.close());
  let changed = 0;
  const waiting = locks.withLock('tasks', undefined, () => changed++);
  const refused = expect(waiting).rejects.toMatchObject({
    code: 'lock_busy',
    message: expect.stringContaining(`a holder (pid ${child.pid})`),
  });
  await clock.advance(LOCK_WAIT_MS + 100);
  await refused;
  expect(changed).toBe(0);
  child.kill('SIGCONT');
  await until(() => out().includes('freed'), 'the holder to go on');
  await locks.withLock('tasks', undefined, () => changed++);
  expect(changed).toBe(1);
});

test('a file that names a live process, this one or another, holds nothing', () => {
  const folder = join(tempFolder(), 'locks');
  mkdirSync(folder);
  for (const pid of [process.pid, process.ppid, 1]) {
    writeFileSync(join(folder, 'team.holder'), `xz once (pid ${pid})`);
    writeFileSync(join(folder, 'team.lock'), String(pid));
    expect(holderIn(folder)).toBeUndefined();
  }
});
