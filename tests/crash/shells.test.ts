// Nothing that a model started outlives xz: killed, it takes its shells along; what left its group is ended at the next
// start, and only then.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../store/clock.ts';
import { openLocks } from '../../store/lock.ts';
import { endStrayShells } from '../../workers/agent/shell/strays.ts';
import { groupsIn, runningWith, sleeping, unusualSeconds } from '../helpers/processes.ts';
import { buildProgram } from '../helpers/program.ts';
import { tempFolder, tempWorkspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

let program = '';
beforeAll(async () => {
  program = await buildProgram('shell-user');
});

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function start(mode: string, root: string, command: string): ChildProcess {
  const child = spawn(process.execPath, [program, mode, root], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, COMMAND: command },
  });
  started.push(child);
  return child;
}

test('kill -9 of xz ends the group of its command, whatever the command ignores', async () => {
  const root = tempFolder();
  const n = unusualSeconds();
  const child = start('hold', root, `trap '' TERM INT HUP; (sleep ${n} & sleep ${n}) | cat; sleep ${n}`);
  await until(() => sleeping(n).length >= 2);
  child.kill('SIGKILL');
  await until(() => runningWith(`sleep ${n}`).length === 0, 'the group to be gone', 3_000);
});

test('what a finished command left in the background ends with xz too', async () => {
  const n = unusualSeconds();
  const child = start('hold', tempFolder(), `nohup sleep ${n} >/dev/null 2>&1 & echo ok`);
  await until(() => sleeping(n).length > 0);
  child.kill('SIGTERM');
  await until(() => runningWith(`sleep ${n}`).length === 0, 'the sleep to be gone', 3_000);
});

test('the end of a worker thread ends the commands of that thread', async () => {
  const n = unusualSeconds();
  const child = start('thread', tempFolder(), `sleep ${n}`);
  await until(() => sleeping(n).length > 0);
  child.stdin?.write('end\n');
  await until(() => runningWith(`sleep ${n}`).length === 0, 'the sleep to be gone', 3_000);
  expect(child.exitCode).toBeNull();
});

test('kill -9 of xz ends every group of commands that run at once', async () => {
  const root = tempFolder();
  const n = unusualSeconds();
  const child = start('many', root, `trap '' TERM INT HUP; sleep ${n} & sleep ${n}; wait`);
  await until(() => sleeping(n).length === 6 && groupsIn(root).length === 3);
  child.kill('SIGKILL');
  await until(() => groupsIn(root).length === 0, 'the groups to be gone', 3_000);
  expect(sleeping(n)).toEqual([]);
});

test.each(['SIGKILL', 'SIGTERM', 'terminate'] as const)('threads have their groups each, and none stays after %s', async (how) => {
  const root = tempFolder();
  const child = start('threads', root, 'true');
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  await until(() => printed === 'ran\nran\nran\n' && groupsIn(root).length === 3);
  if (how === 'terminate') child.stdin?.write('end\n');
  else child.kill(how);
  await until(() => groupsIn(root).length === 0, 'the groups to be gone', 3_000);
});

test('a group that waits for another command does not keep a process alive that has nothing more to do', async () => {
  const root = tempFolder();
  const child = start('end', root, 'true');
  child.stdin?.end();
  await until(() => child.exitCode === 0);
  await until(() => groupsIn(root).length === 0, 'the group to be gone', 3_000);
});

test('what left its session is ended at the next start, when the xz that started it is dead', async () => {
  const root = tempFolder();
  const locksFolder = join(root, '.agents/data/locks');
  mkdirSync(locksFolder, { recursive: true });
  const locks = openLocks(locksFolder, 'test', systemClock);
  const n = unusualSeconds();
  const child = start('hold', root, `setsid sleep ${n} >/dev/null 2>&1 & sleep 0.2; echo left`);
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  await until(() => printed.includes('left'));
  expect(await endStrayShells(root, locks, systemClock)).toBe(0);
  expect(sleeping(n)).toHaveLength(1);
  child.kill('SIGKILL');
  await until(() => child.signalCode !== null);
  expect(await endStrayShells(join(root, 'elsewhere'), locks, systemClock)).toBe(0);
  expect(sleeping(n)).toHaveLength(1);
  expect(await endStrayShells(root, locks, systemClock)).toBe(1);
  await until(() => runningWith(`sleep ${n}`).length === 0);
  locks.close();
});

test('in a real terminal a command gets none, and ends quickly (G3)', () => {
  const workspace = tempWorkspace({ files: { f: 'x\n' } });
  workspace.write('g', 'y\n');
  const command = [
    'git add g; git commit; echo commit $?',
    'git reset -q; rm g; git rebase -i HEAD; echo rebase $?',
    'read x; echo read $?',
    'cat; echo cat $?',
    'less f; echo less $?',
    'sudo -k true; python3; ssh nohost.invalid; echo rest',
    '(echo hi > /dev/tty) 2>&1; echo tty $?',
  ].join('\n');
  const out = execFileSync('script', ['-qec', `"${process.execPath}" "${program}" run "${workspace.dir}"`, '/dev/null'], {
    env: { ...workspace.env, COMMAND: command },
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(out).toContain('commit 1');
  expect(out).toContain('rebase 0');
  expect(out).toContain('read 1');
  expect(out).toContain('cat 0');
  expect(out).toContain('less 0');
  expect(out).toContain('rest');
  expect(out).toContain('tty 1');
});
