import { closeSync, mkdirSync, openSync, readFileSync, readSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runningWith, sleeping, unusualSeconds } from '../../helpers/processes.ts';
import { shellBench as bench } from '../../helpers/shell-bench.ts';
import { tempFolder, tempWorkspace } from '../../helpers/temp.ts';
import { until } from '../../helpers/until.ts';

const running = (text: string): number => runningWith(text).length;
const unusual = unusualSeconds;

function sixBytes(path: string, from: number): string {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(6);
    return bytes.toString('latin1', 0, readSync(fd, bytes, 0, 6, from));
  } finally {
    closeSync(fd);
  }
}

describe('bash', () => {
  test('returns what was printed, in order, and the exit code', async () => {
    const { call, text, root } = bench();
    expect(await call('bash', { command: 'echo out; echo err >&2; echo out2' })).toMatchObject({
      text: 'out\nerr\nout2',
      exitCode: 0,
      isError: false,
    });
    expect(await call('bash', { command: 'echo no; exit 3' })).toMatchObject({ text: 'no\n[exit code 3]', exitCode: 3, isError: true });
    expect(await text('bash', { command: 'mkdir -p x' })).toBe('(no output)');
    expect(await text('bash', { command: 'pwd' })).toBe(root);
    expect(await text('bash', { command: 'kill -9 $$' })).toBe('[exit code 137, killed by signal 9]');
    expect(await text('bash', { command: 'nosuchcommand' })).toContain('nosuchcommand: command not found\n[exit code 127]');
    expect(await text('bash', { command: 'echo "$0|$#"; echo \'a b\' "c  d"; printf "%s" "x"' })).toBe('bash|0\na b c  d\nx');
    expect(await text('bash', { command: 'echo to-out > /dev/stdout; echo to-err > /dev/stderr; echo x | tee /dev/stderr' })).toBe(
      'to-out\nto-err\nx\nx',
    );
    expect((await call('bash', { command: '  ' })).isError).toBe(true);
    expect(await text('bash', { command: 'trap "echo got" INT; kill -INT $$; echo after' })).toBe('got\nafter');
  });

  test('decodes characters over chunk borders (E9)', async () => {
    const { text } = bench();
    const command = `node -e "const b=Buffer.from('你好🌍');let i=0;const t=setInterval(()=>{process.stdout.write(b.subarray(i,i+1));if(++i===b.length)clearInterval(t)},2)"`;
    expect(await text('bash', { command })).toBe('你好🌍');
  });

  test('shows what a person would have seen (G5)', async () => {
    const { text } = bench();
    expect(await text('bash', { command: `printf '10%%\\r50%%\\r100%%\\n'` })).toBe('100%');
    expect(
      await text('bash', {
        command: `printf '\\e[2J\\e[?1049h\\e]0;title\\a\\e]8;;http://x\\e\\\\link\\e]8;;\\e\\\\ \\e[31mred\\e[0m\\a ab\\b\\bxy\\n'`,
      }),
    ).toBe('link red xy');
    expect(await text('bash', { command: `printf 'long progress\\r\\e[Kdone\\r\\n\\ePdcs\\e\\\\next'` })).toBe('done\nnext');
  });

  test('a timeout ends the group, keeps the output, and says so (G2)', async () => {
    const { call } = bench();
    const n = unusual();
    for (const command of [
      `echo before; trap '' TERM; (sleep ${n} & sleep ${n})`,
      `echo before; sleep ${n} | sleep ${n} | cat`,
      `echo before; sleep ${n}`,
      `echo before; setsid sleep ${n} & nohup sleep ${n} >/dev/null 2>&1 & wait`,
      `echo before; bash -c "trap '' TERM INT HUP; while :; do sleep ${n}; done"`,
    ]) {
      const result = await call('bash', { command, timeout: 0.5 });
      expect(result.text, command).toMatch(/^before\n[\s\S]*\[timed out after 0.5 s/);
      expect(result.isError).toBe(true);
      await until(() => running(`sleep ${n}`) === 0, `${command} to be gone`, 3_000);
    }
  });

  test('a timeout of nothing or less is none of its own, as models mean it', async () => {
    for (const timeout of [0, -1]) expect(await bench().text('bash', { command: 'sleep 0.3; echo done', timeout })).toBe('done');
  });

  test('an interrupt ends the group', async () => {
    const { call } = bench();
    const n = unusual();
    const abort = new AbortController();
    const result = call('bash', { command: `echo started; sleep ${n}` }, { signal: abort.signal });
    await until(() => sleeping(n).length > 0);
    abort.abort();
    expect((await result).text).toBe('started\n[interrupted; the command was killed]');
    await until(() => running(`sleep ${n}`) === 0, 'the sleep to be gone', 3_000);
    const late = await call('bash', { command: `sleep ${n}` }, { signal: abort.signal });
    expect(late.text).toContain('interrupted');
  });

  test('returns although a background child holds the pipe, and ends it at the end', async () => {
    const { text, shell } = bench();
    const n = unusual();
    expect(await text('bash', { command: `echo hi; sleep ${n} &` })).toMatch(/^hi\n\[something it started still runs/);
    expect(await text('bash', { command: `echo hi; sleep ${n} >/dev/null 2>&1 &` })).toMatch(/^hi\n\[something it started still runs/);
    expect(running(`sleep ${n}`)).toBeGreaterThanOrEqual(2);
    expect(shell.shells.running()).toHaveLength(2);
    await shell.shells.closeAll();
    await until(() => running(`sleep ${n}`) === 0, 'both to be gone', 3_000);
    expect(shell.shells.running()).toHaveLength(0);
  });

  test('leaves no process behind after ordinary commands', async () => {
    const { text, root, shell } = bench();
    for (let i = 0; i < 5; i++) expect(await text('bash', { command: `cd ${root} && echo ${i}` })).toBe(String(i));
    await until(() => running(root) === 0);
    expect(shell.shells.running()).toHaveLength(0);
  });

  test('gives no terminal and no input: what would wait ends at once (G3)', async () => {
    const workspace = tempWorkspace({ files: { f: 'x\n' } });
    const { call } = bench({
      root: workspace.dir,
      env: { ...workspace.env, EDITOR: 'sleep 99', GIT_EDITOR: 'sleep 99', GIT_PAGER: 'sleep 99' },
    });
    const ends = async (command: string) => {
      const result = await call('bash', { command, timeout: 20 });
      expect(result.text, command).not.toContain('timed out');
      return result;
    };
    workspace.write('g', 'y\n');
    expect((await ends('git add g && git commit')).exitCode).toBe(1);
    expect((await ends('git log')).text).toContain('start');
    expect((await ends('read x')).exitCode).toBe(1);
    expect((await ends('cat')).exitCode).toBe(0);
    expect((await ends('less f; more f; man ls | head -1')).text).toContain('x');
    await ends('sudo -k true; python3; ssh nohost.invalid');
    expect((await ends('cat /dev/tty')).text).toMatch(/No such device|cannot open|not/i);
    expect((await ends('test -t 0 || test -t 1 || echo none')).text).toBe('none');
    await ends('git rebase --continue');
  });

  test('git finds its repository from the folder alone', async () => {
    const workspace = tempWorkspace();
    const other = tempWorkspace({ files: { other: 'x' } });
    const { text } = bench({
      root: workspace.dir,
      env: { ...workspace.env, GIT_DIR: join(other.dir, '.git'), GIT_WORK_TREE: other.dir, GIT_INDEX_FILE: join(other.dir, '.git/index') },
    });
    expect(await text('bash', { command: 'git rev-parse --show-toplevel; git ls-files' })).toBe(`${workspace.dir}\nREADME.md`);
  });

  test('keeps secrets out of the environment and out of what is shown or stored (G6)', async () => {
    const secrets = {
      TAVILY_API_KEY: 'tvly-fake-0001',
      OPENAI_API_KEY: 'sk-fake-000002',
      XZ_API_KEY: 'sk-fake-000003',
      ANTHROPIC_AUTH_TOKEN: 'fake-token-004',
      GITHUB_TOKEN: 'ghp_fake000005',
      MY_PASSWORD: 'fake-pass-0006',
      AWS_SECRET_ACCESS_KEY: 'fake-aws-00007',
    };
    const home = tempFolder();
    writeFileSync(join(home, 'config.toml'), `api_key = "sk-fake-000003"\n`);
    const { text, outputs } = bench({
      env: { PATH: process.env.PATH, HOME: home, KEEP_ME: 'yes', SSH_AUTH_SOCK: '/tmp/agent', ...secrets },
      secrets: () => Object.values(secrets),
    });
    const env = await text('bash', { command: 'env' });
    for (const [name, value] of Object.entries(secrets)) {
      expect(env).not.toContain(`${name}=`);
      expect(env).not.toContain(value);
    }
    expect(env).toContain('KEEP_ME=yes');
    expect(env).toContain('SSH_AUTH_SOCK=');
    expect(await text('bash', { command: 'cat ~/config.toml' })).toBe('api_key = "[secret]"');
    const flood = await text('bash', {
      command:
        'for i in $(seq 1 60000); do echo "line $i"; done; cat ~/config.toml; for i in $(seq 1 6000); do printf "sk-fake-%s" 000003; done',
    });
    expect(flood).not.toContain('sk-fake-000003');
    const stored = /\.agents\/data\/outputs\/(\S+?\.txt)/.exec(flood)?.[1] ?? '';
    const kept = readFileSync(join(outputs, stored), 'utf8');
    expect(kept).toContain('line 59999');
    expect(kept).toContain('[secret]');
    expect(kept).not.toContain('sk-fake-000003');
  });

  test('says so when its folder is gone', async () => {
    const { call } = bench();
    expect((await call('bash', { command: 'true' }, { root: '/nowhere/at/all' })).text).toBe(
      'the folder /nowhere/at/all is gone, so nothing can be run in it',
    );
  });

  test('tells commands where they are', async () => {
    const root = tempFolder();
    const tree = join(root, '.worktrees/ann');
    mkdirSync(tree, { recursive: true });
    const made = bench({ root: tree, workspace: root });
    const result = await made.call('bash', { command: 'echo $XZ_WORKSPACE $XZ_AGENT $XZ_PROCESS; pwd' }, { agent: 'ann' });
    expect(result.text).toBe(`${root} ann ptest\n${tree}`);
  });

  test('survives a flood: bounded memory, the timeout still fires, true byte count, hard stop (G4)', async () => {
    const { call, root } = bench({ mostOutputBytes: 400_000_000 });
    const before = process.memoryUsage().rss;
    const big = await call('bash', { command: 'echo first; head -c 120M /dev/zero | tr "\\0" "x"; echo; echo last' });
    expect(Buffer.byteLength(big.text)).toBeLessThanOrEqual(50_000);
    expect(big.text).toMatch(/^first\nxxx/);
    expect(big.text).toMatch(/xxx\nlast$/);
    expect(big.text).toContain('125,829,132 bytes in all');
    const stored = /\.agents\/data\/outputs\/(\S+?\.txt)/.exec(big.text)?.[1] ?? '';
    const file = join(root, '.agents/data/outputs', stored);
    const { size } = statSync(file);
    expect(size).toBeGreaterThanOrEqual(100_000_000);
    expect(size).toBeLessThan(101_000_000);
    // Not read as a whole: its memory is what is measured here.
    expect(sixBytes(file, 0)).toBe('first\n');
    expect(sixBytes(file, size - 6)).toBe('\nlast\n');
    const stopped = await call('bash', { command: 'yes; echo never' });
    expect(stopped.text).toContain('[stopped: it printed more than');
    const timed = await call('bash', { command: 'yes >&2', timeout: 0.3 });
    expect(timed.text).toContain('[timed out after 0.3 s');
    // Some 500 MB went through; what is kept is little, what the collector has not taken yet is more.
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
    const line = await call('bash', { command: "printf 'x%.0s' {1..500000}" });
    expect(line.text).toContain('500,000 bytes in all');
  });
});

describe('background commands', () => {
  test('return an id, page new output, and end with bash_stop', async () => {
    const { call, text, root } = bench();
    const n = unusual();
    expect(
      await text('bash', { command: `echo one; until [ -e go ]; do sleep 0.02; done; echo two; sleep ${n}`, background: true }),
    ).toContain('as sh1');
    await until(async () => (await text('bash_output', { id: 'sh1' })).startsWith('one\n'));
    expect(await text('bash_output', { id: 'sh1' })).toMatch(/^\[sh1 runs since \d+ s\]$/);
    writeFileSync(join(root, 'go'), '');
    await until(async () => (await text('bash_output', { id: 'sh1' })).startsWith('two\n'));
    expect(await text('bash_stop', { id: 'sh1' })).toBe('[stopped]');
    await until(() => running(`sleep ${n}`) === 0, 'the sleep to be gone', 3_000);
    expect(await text('bash_output', { id: 'sh1' })).toBe('[stopped]');
    await call('bash', { command: 'echo quick; exit 4', background: true });
    await until(async () => (await text('bash_output', { id: 'sh2' })).includes('[exit code 4]'));
    expect((await call('bash_output', { id: 'sh9' })).isError).toBe(true);
  });

  test('a lot of output is paged without loss of place', async () => {
    const { text } = bench({ cap: 3_000 });
    await text('bash', { command: 'seq 1 2000', background: true });
    let all = '';
    await until(async () => {
      const page = await text('bash_output', { id: 'sh1' });
      all += page.replace(/\[[\s\S]*$/, '');
      return page.includes('ended with exit code 0') && !page.includes('there is more');
    });
    expect(all.replace(/\s/g, '')).toBe(Array.from({ length: 2000 }, (_, at) => at + 1).join(''));
  });
});
