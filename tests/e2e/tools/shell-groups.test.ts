// The group a command runs in: kept for the next command, used only where nothing tells it from a new one, and
// mended when something ends a part of it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FRESH_MS } from '../../../workers/agent/shell/group.ts';
import { environmentOf, listProcesses, signalProcess } from '../../../workers/agent/shell/process-list.ts';
import { fakeClock } from '../../helpers/clock.ts';
import { commandOf, groupsIn, runningWith, sleeping, unusualSeconds } from '../../helpers/processes.ts';
import { shellBench as bench } from '../../helpers/shell-bench.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { until } from '../../helpers/until.ts';

/** The bash that waits for the next command, once it is the only one of the workspace. */
async function waitingShell(root: string): Promise<number> {
  const [pid] = await until(() => {
    const shells = shellsOf(root);
    return shells.length === 1 && groupsIn(root).length === 1 ? shells : undefined;
  }, 'one shell to wait');
  return pid ?? 0;
}

const shellsOf = (root: string) =>
  runningWith('XZ_COMMAND').filter((pid) => commandOf(pid).startsWith('bash -c') && environmentOf(pid)?.get('XZ_WORKSPACE') === root);

describe('the group of the next command', () => {
  test('stands ready while nothing runs, and is the one that runs it', async () => {
    const { text, root } = bench();
    await text('bash', { command: 'true' });
    for (let round = 0; round < 3; round++) {
      const ready = await waitingShell(root);
      expect(await text('bash', { command: 'echo $$' })).toBe(String(ready));
    }
  });

  test('cannot be told from a shell of its own', async () => {
    const home = tempFolder();
    writeFileSync(join(home, '.bashrc'), 'echo from bashrc\n');
    const env = { PATH: process.env.PATH, HOME: home };
    const { text, root } = bench({ env });
    const command = [
      'echo "$0|$#|$-|$LINENO|$SECONDS|$FUNCNAME|$!|$OLDPWD|$PWD"; jobs; echo "$LINENO"',
      'compgen -e | sort | tr "\\n" " "; shopt | sort | cksum; set -o | cksum',
      'ls /proc/self/fd | wc -l; readlink /proc/self/fd/0; wait; cat; trap; umask',
    ].join('\n');
    const first = await text('bash', { command });
    expect(first).toMatch(new RegExp(`^bash\\|0\\|hBc\\|1\\|0\\|\\|\\|\\|${root}\n1\n`));
    expect(first).toContain('\n/dev/null\n');
    await waitingShell(root);
    expect(await text('bash', { command })).toBe(first);
    expect(await text('bash', { command: 'echo one\nif' })).toMatch(/^one\nbash: eval: line 3: syntax error[^\n]*\n\[exit code 2\]$/);
    expect(await text('bash', { command: 'set -e; false; echo not reached' })).toBe('[exit code 1]');
    expect(await text('bash', { command: 'exec sh -c "exit 5"' })).toBe('[exit code 5]');
    expect(await text('bash', { command: 'trap "echo bye" EXIT; (exit 7)' })).toBe('bye\n[exit code 7]');
    expect(await text('bash', { command: 'cat <<E\n  two $((1 + 1))\nE' })).toBe('  two 2');
    expect(await text('bash', { command: '# only a remark' })).toBe('(no output)');
    expect(await text('bash', { command: 'nosuch' })).toContain('bash: line 1: nosuch: command not found');
  });

  test('takes a command of any length, byte for byte', async () => {
    const { text } = bench({ env: { PATH: process.env.PATH, LANG: 'C.UTF-8' } });
    const long = '测试🌍 "$x" \\\\ '.repeat(20_000);
    const sum = await text('bash', { command: `cksum <<'END'\n${long}\nEND` });
    writeFileSync(join(tempFolder(), 'long'), `${long}\n`);
    const file = join(tempFolder(), 'long');
    writeFileSync(file, `${long}\n`);
    expect(await text('bash', { command: `cksum < ${file}` })).toBe(sum);
  });

  test('does not find itself when a command looks for its own words', async () => {
    const { text } = bench();
    const n = unusualSeconds();
    await text('bash', { command: `sleep ${n} & sleep 0` });
    expect(await text('bash', { command: `pkill -f 'sleep ${n}'; echo "ended $?"` })).toBe('ended 0');
    await until(() => runningWith(`sleep ${n}`).length === 0);
  });

  test('is not used for another agent, in another folder, or in one that was made anew', async () => {
    const { call, root } = bench();
    const run = async (more: Parameters<typeof call>[2]) => (await call('bash', { command: 'echo "$$ $XZ_AGENT $PWD"; ls' }, more)).text;
    await run({});
    const ready = await waitingShell(root);
    expect(await run({ agent: 'ann' })).toMatch(new RegExp(`^(?!${ready} )\\d+ ann ${root}$`));
    const folder = join(root, 'inner');
    mkdirSync(folder);
    expect(await run({ root: folder })).toMatch(new RegExp(` Lead ${folder}$`));
    await waitingShell(root);
    rmdirSync(folder);
    mkdirSync(folder);
    writeFileSync(join(folder, 'new'), '');
    expect(await run({ root: folder })).toMatch(/ Lead .*\nnew$/);
  });

  test('is not used once it is old: its shell gives up before long', async () => {
    const clock = fakeClock();
    const { text, root } = bench({ clock });
    await text('bash', { command: 'true' });
    const ready = await waitingShell(root);
    clock.jump(clock.now() + FRESH_MS);
    expect(await text('bash', { command: 'echo $$' })).not.toBe(String(ready));
    await until(() => !runningWith('XZ_COMMAND').includes(ready), 'the old one to be gone', 3_000);
  });

  test('is replaced when its first process, its guard or its shell is killed', async () => {
    const { text, root } = bench();
    await text('bash', { command: 'true' });
    // In order of their numbers: the frame, its guard, the shell's parent, the shell.
    for (const part of [0, 1, 3]) {
      await waitingShell(root);
      const groups = groupsIn(root);
      const victim = (listProcesses() ?? [])
        .filter(({ group, zombie }) => groups.includes(group) && !zombie)
        .filter(({ pid }) => commandOf(pid).includes('XZ_COMMAND'))[part];
      signalProcess(victim?.pid ?? 0, 'SIGKILL');
      await until(() => groupsIn(root).length === 0, `all to be gone without part ${part}`, 3_000);
      expect(await text('bash', { command: 'echo fine' })).toBe('fine');
    }
  });

  test('many at once have a guard each, and all end', async () => {
    const { call, shell, root } = bench();
    const n = unusualSeconds();
    await Promise.all(
      Array.from({ length: 6 }, () => call('bash', { command: `for i in 1 2 3 4 5; do sleep ${n} & done; wait`, background: true })),
    );
    await until(() => runningWith(`sleep ${n}`).length === 30);
    expect(groupsIn(root).length).toBeGreaterThanOrEqual(6);
    await shell.shells.closeAll();
    await until(() => runningWith(`sleep ${n}`).length === 0 && groupsIn(root).length === 0, 'all to be gone', 3_000);
  });

  test('a command that forks without end is ended as a whole', async () => {
    const { call, root } = bench();
    const n = unusualSeconds();
    const command = `f() { sleep ${n} & [ $1 -gt 6 ] || { f $(($1 + 1)) & f $(($1 + 1)) & }; wait; }; f 0`;
    const result = await call('bash', { command, timeout: 1 });
    expect(result.text).toContain('[timed out after 1 s');
    await until(() => runningWith(`sleep ${n}`).length === 0, 'all to be gone', 3_000);
    expect(await call('bash', { command: 'echo still here' })).toMatchObject({ text: 'still here' });
    await waitingShell(root);
  });

  test('carries nothing over: folder, variables, traps, limits, functions, options', async () => {
    const { text, root } = bench();
    const look = 'pwd; echo "[$x]"; trap; ulimit -n; umask; type f 2>&1 | head -1; echo $-';
    const first = await text('bash', { command: look });
    await text('bash', {
      command: `cd /; export x=1; trap "echo bye" EXIT; ulimit -n 64; umask 077; f() { :; }; set -u; exec 1>&2; echo set`,
    });
    expect(await text('bash', { command: look })).toBe(first);
    expect(groupsIn(root)).toHaveLength(1);
  });

  test('gives all output of each command to that command', async () => {
    const { text } = bench();
    for (let round = 0; round < 8; round++) {
      expect(await text('bash', { command: `seq ${round} 3000 | tr '\\n' ' ' | cksum; seq 1 1500` })).toMatch(/\n1500$/);
      expect(await text('bash', { command: 'true' })).toBe('(no output)');
      expect(await text('bash', { command: `printf ${round}` })).toBe(String(round));
    }
  });

  test('is left alone by a command that left something running, and that by the next', async () => {
    const { call, text, root, shell } = bench();
    const [n, m] = [unusualSeconds(), unusualSeconds()];
    await text('bash', { command: `sleep ${n} >/dev/null 2>&1 & echo` });
    await text('bash', { command: `setsid sleep ${m} >/dev/null 2>&1 & sleep 0.1; echo` });
    await until(() => sleeping(m).length === 1);
    expect((await call('bash', { command: 'sleep 60', timeout: 0.3 })).text).toContain('timed out');
    expect([sleeping(n).length, sleeping(m).length]).toEqual([1, 1]);
    expect(shell.shells.running()).toHaveLength(1);
    for (const pid of sleeping(m)) signalProcess(pid, 'SIGKILL');
    await shell.shells.closeAll();
    await until(() => groupsIn(root).length === 0, 'all to be gone', 3_000);
  });

  test('is not ended by a late stop of a command that was in it', async () => {
    const { call, text, root } = bench();
    await text('bash', { command: 'echo quick', background: true });
    await until(async () => (await text('bash_output', { id: 'sh1' })).includes('ended with exit code 0'));
    const running = call('bash', { command: 'echo begun > begun; sleep 0.5; echo whole' });
    await until(() => existsSync(join(root, 'begun')));
    await text('bash_stop', { id: 'sh1' });
    expect(await running).toMatchObject({ text: 'whole', exitCode: 0 });
  });

  test('whose parts a command kills ends that command, and not the next', async () => {
    const { text } = bench();
    expect(await text('bash', { command: 'kill -9 $PPID; sleep 0.1; echo on' })).toContain('[it ended without an exit code]');
    expect(await text('bash', { command: 'echo fine' })).toBe('fine');
    expect(await text('bash', { command: 'kill -9 0' })).toMatch(/without an exit code|killed by signal 9/);
    expect(await text('bash', { command: 'echo fine' })).toBe('fine');
  });

  test('is the same where sh is bash', async () => {
    const bin = tempFolder();
    symlinkSync(execFileSync('sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim(), join(bin, 'sh'));
    const { call, text, root } = bench({ env: { PATH: `${bin}:${process.env.PATH}` } });
    const n = unusualSeconds();
    expect(await text('bash', { command: 'readlink -f /proc/$PPID/exe' })).toMatch(/bash$/);
    await waitingShell(root);
    expect(await text('bash', { command: 'trap "echo got" INT; kill -INT $$; echo after; echo x > /dev/stdout' })).toBe('got\nafter\nx');
    expect(await text('bash', { command: 'kill -9 $$' })).toBe('[exit code 137, killed by signal 9]');
    expect(await text('bash', { command: `sleep ${n} >/dev/null 2>&1 & echo hi` })).toMatch(/^hi\n\[something it started still runs/);
    expect((await call('bash', { command: `trap '' TERM; (sleep ${n} & sleep ${n})`, timeout: 0.5 })).text).toContain('timed out');
    await until(() => runningWith(`sleep ${n}`).length === 1, 'only what was left running', 3_000);
  });

  test('is gone after the end', async () => {
    const { text, root, shell } = bench();
    await text('bash', { command: 'true' });
    await waitingShell(root);
    await shell.shells.closeAll();
    await until(() => groupsIn(root).length === 0, 'the group to be gone', 3_000);
  });
});
