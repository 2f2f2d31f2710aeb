// Looking at processes, and signalling one: never a group, never the first process, never oneself (G2).
import { expect, test } from 'vitest';
import { listProcesses, newestPid, signalProcess } from '../../../../workers/agent/shell/process-list.ts';

test('a signal goes to one other process or to none', () => {
  for (const pid of [0, -1, 1, process.pid, -process.pid, 1.5, Number.NaN, 2 ** 30]) expect(signalProcess(pid, 'SIGKILL')).toBe(false);
});

test('the processes above a number are the same whether each is looked at or the list is read', () => {
  const newest = newestPid();
  if (newest === undefined) return expect(listProcesses()).toBeUndefined();
  const own = listProcesses()?.find(({ pid }) => pid === process.pid);
  expect(own).toMatchObject({ parent: process.ppid, zombie: false });
  for (const above of [newest, newest - 3, newest - 1_000]) {
    const found = listProcesses(Math.max(1, above));
    expect(found).toContainEqual(own);
    for (const { pid } of found ?? []) expect(pid === process.pid || pid > above).toBe(true);
  }
});
