import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { buildProgram } from '../helpers/program.ts';
import { tempWorkspace } from '../helpers/temp.ts';
import { HAS_TMUX, startTmux, type Tmux } from '../helpers/tmux.ts';
import { until } from '../helpers/until.ts';

if (!HAS_TMUX) console.warn('tmux is not installed: tests of the screen in a real terminal are skipped');

let program = '';
beforeAll(async () => {
  program = await buildProgram('screen-program');
});

interface Started {
  readonly terminal: Tmux;
  read(file: string): string;
  write(file: string, text: string): void;
  pid(): number;
}

/** The screen in a terminal, with `stty -a` written before and after, and its exit code printed. */
async function start(size: { columns?: number; rows?: number; env?: Record<string, string> } = {}): Promise<Started> {
  const workspace = tempWorkspace({ git: false });
  const { dir } = workspace;
  const run = `node '${program}' '${dir}'`;
  const command = `stty -a > before; (echo $BASHPID > pid; exec ${run}); echo "exit=$?"; stty -a > after; sleep 60`;
  const terminal = startTmux(command, { ...size, cwd: dir, env: { ...workspace.env, TERM: 'screen-256color', ...size.env } });
  onTestFinished(() => terminal.close());
  await terminal.shows('What shall we do?');
  return { terminal, read: workspace.read, write: workspace.write, pid: () => Number(workspace.read('pid')) };
}

async function expectRestored({ terminal, read }: Started): Promise<void> {
  await until(() => {
    try {
      return read('after').length > 0;
    } catch {
      return false;
    }
  });
  expect(read('after')).toBe(read('before'));
  expect(terminal.ask('#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag}')).toBe('0 1 0 0');
}

describe.skipIf(!HAS_TMUX)('the screen in a real terminal', () => {
  test('shows its panels, takes Chinese, keeps the real cursor at the caret and answers', async () => {
    const { terminal } = await start();
    for (const card of ['STATUS', 'TASKS', 'TEAM', 'MEMORY', 'CRON', 'scripted']) expect(terminal.screen()).toContain(card);
    terminal.type('你好 team');
    await terminal.shows('> 你好 team');
    await until(() => terminal.cursor().x === 3 + 9);
    expect(terminal.cursor()).toEqual({ x: 12, y: 34, shown: true });
    terminal.keys('Left', 'Left', 'Left', 'Left', 'Left', 'Left');
    await until(() => terminal.cursor().x === 5);
    terminal.keys('Enter');
    await terminal.shows('echo of 你好 team');
  });

  test('leaves with exit 0 on the second Ctrl+C and gives the terminal back as it was', async () => {
    const started = await start();
    started.terminal.type('half a thought');
    await started.terminal.shows('half a thought');
    started.terminal.keys('C-c');
    await started.terminal.shows('Ask, or / for commands');
    started.terminal.keys('C-c');
    await started.terminal.shows('again to leave');
    started.terminal.keys('C-c');
    await started.terminal.shows('exit=0');
    await expectRestored(started);
    expect(started.terminal.screen()).toContain('work saved');
  });

  test('stands before the conversation is open, and what was sent meanwhile reaches it', async () => {
    const { terminal, write } = await start({ env: { OPEN: 'late' } });
    terminal.type('as early as this');
    terminal.keys('Enter');
    await terminal.shows('Ask, or / for commands');
    terminal.type('/mod');
    await terminal.shows('/mode');
    write('go', '');
    await terminal.shows('echo of as early as this');
    expect(terminal.screen()).toContain('> /mod');
  });

  test('can be left before the conversation is open', async () => {
    const started = await start({ env: { OPEN: 'late' } });
    process.kill(started.pid(), 'SIGTERM');
    await until(() => started.terminal.ask('#{alternate_on}') === '0');
    started.write('go', '');
    await started.terminal.shows('exit=143');
    await expectRestored(started);
    expect(started.terminal.screen()).toContain('work saved');
  });

  test('a conversation that cannot be opened gives the terminal back and says why', async () => {
    const workspace = tempWorkspace({ git: false });
    const env = { ...workspace.env, TERM: 'screen-256color', OPEN: 'fail' };
    const terminal = startTmux(`node '${program}' '${workspace.dir}'; echo "exit=$?"; sleep 60`, { cwd: workspace.dir, env });
    onTestFinished(() => terminal.close());
    await terminal.shows('exit=1');
    expect(terminal.screen()).toContain('it cannot be opened');
    // Nothing that the terminal was asked arrives at the shell instead.
    expect(terminal.screen()).not.toMatch(/\[2;\d+R/);
    expect(terminal.ask('#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag}')).toBe('0 1 0 0');
  });

  test('an exact slash command is sent by Enter, whatever the completion shows', async () => {
    const { terminal } = await start();
    terminal.type('/team on');
    terminal.keys('Enter');
    await terminal.shows('The team is on');
    terminal.type('/help');
    terminal.keys('Enter');
    await terminal.shows('/crontab');
    terminal.type('/nonsense');
    terminal.keys('Enter');
    await terminal.shows('There is no command /nonsense');
    terminal.type('/exit');
    terminal.keys('Enter');
    await terminal.shows('exit=0');
  });

  for (const [what, code] of [
    ['crash', 1],
    ['reject', 1],
  ] as const)
    test(`is restored after an error nobody caught (${what}), with the message behind it`, async () => {
      const started = await start();
      started.terminal.type(what);
      started.terminal.keys('Enter');
      await started.terminal.shows(`exit=${code}`);
      await expectRestored(started);
      expect(started.terminal.screen()).toMatch(/xz stopped because of an error[\s\S]*(JSON|nobody caught this)[\s\S]*xz --resume/);
    });

  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)
    test(`${signal} ends it in order`, async () => {
      const started = await start();
      process.kill(started.pid(), signal);
      await started.terminal.shows(`exit=${code}`);
      await expectRestored(started);
      expect(started.terminal.screen()).toContain('work saved');
    });

  test('the closed window ends the process', async () => {
    const started = await start();
    const pid = started.pid();
    started.terminal.type('stream 500');
    started.terminal.keys('Enter');
    await started.terminal.shows('numbered line 003');
    started.terminal.close();
    await until(() => !isAlive(pid));
  });

  test('nothing from libraries is printed over it', async () => {
    const { terminal } = await start();
    terminal.type('print');
    terminal.keys('Enter');
    await terminal.shows('echo of print');
    expect(terminal.screen()).not.toContain('PRINTED');
  });

  test('a question is answered by one key', async () => {
    const { terminal } = await start();
    terminal.type('ask');
    terminal.keys('Enter');
    await terminal.shows('? cid asks');
    expect(terminal.screen()).toContain('a always: bash(npm*)');
    terminal.type('y');
    await until(() => !terminal.screen().includes('cid asks   bash\n'));
    expect(terminal.screen()).not.toContain('> y');
  });

  test('resizing while it streams loses no line and shows none twice', async () => {
    const { terminal } = await start({ columns: 128, rows: 40 });
    terminal.type('stream 80');
    terminal.keys('Enter');
    await terminal.shows('numbered line 010');
    for (const columns of [118, 90, 128]) {
      terminal.resize(columns, 40);
      await terminal.shows(/numbered line \d{3}/);
    }
    for (const rows of [24, 50, 40]) {
      terminal.resize(128, rows);
      await terminal.shows(/numbered line \d{3}/);
    }
    await terminal.shows('numbered line 080');
    await until(() => !terminal.screen().includes('RUNNING'));
    const seen = new Set<string>();
    for (let page = 0; page < 12; page++) {
      const lines = terminal.screen().match(/numbered line \d{3}/g) ?? [];
      expect(new Set(lines).size).toBe(lines.length);
      for (const line of lines) seen.add(line);
      if (seen.size === 80) break;
      const before = terminal.screen();
      terminal.keys('PPage');
      await until(() => terminal.screen() !== before);
    }
    expect(seen.size).toBe(80);
    terminal.resize(70, 24);
    terminal.keys('C-End');
    await terminal.shows('numbered line 080');
  });

  test('a paste of 200 KB with commands in it is one block and runs nothing', async () => {
    const { terminal } = await start();
    terminal.paste(`/exit\n${'some pasted text\tand more\n'.repeat(7_700)}/quit\nthe end of it`);
    await terminal.shows('the end of it');
    expect(terminal.screen()).not.toContain('exit=');
    terminal.keys('C-_');
    await terminal.shows('Ask, or / for commands');
  });

  test('an arrow split in two reads neither interrupts nor leaves letters', async () => {
    const { terminal } = await start();
    terminal.type('stream 300');
    terminal.keys('Enter');
    await terminal.shows('numbered line 005');
    terminal.keys('-H', '1b');
    await new Promise((resolve) => setTimeout(resolve, 80));
    terminal.type('[A');
    await terminal.shows('> stream 300');
    expect(terminal.screen()).toContain('RUNNING');
    expect(terminal.screen()).not.toContain('[A');
    terminal.keys('C-c');
    await terminal.shows('interrupted');
  });

  test('Ctrl+Z stops it with the terminal given back, and fg brings it up again', async () => {
    const workspace = tempWorkspace({ git: false });
    const terminal = startTmux('exec bash --norc -i', {
      cwd: workspace.dir,
      env: { ...workspace.env, TERM: 'screen-256color', HISTFILE: '/dev/null' },
    });
    onTestFinished(() => terminal.close());
    await terminal.shows(/[#$]$/m);
    terminal.type(`node '${program}' '${workspace.dir}'`);
    terminal.keys('Enter');
    await terminal.shows('What shall we do?');
    terminal.type('half');
    await terminal.shows('> half');
    terminal.keys('C-z');
    await terminal.shows('Stopped');
    expect(terminal.ask('#{alternate_on} #{cursor_flag} #{mouse_any_flag}')).toBe('0 1 0');
    terminal.type('echo the shell is alive');
    terminal.keys('Enter');
    await terminal.shows(/^the shell is alive/m);
    terminal.type('fg');
    terminal.keys('Enter');
    await terminal.shows('> half');
    terminal.type(' more');
    await terminal.shows('> half more');
    expect(terminal.ask('#{alternate_on}')).toBe('1');
  });

  test('without colour nothing is coloured', async () => {
    const { terminal } = await start({ env: { NO_COLOR: '1' } });
    expect(terminal.ask('#{alternate_on}')).toBe('1');
    terminal.type('hi');
    terminal.keys('Enter');
    await terminal.shows('echo of hi');
  });
});

function isAlive(pid: number): boolean {
  try {
    // A process that has ended and was not waited for is no longer alive in any sense that matters here.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] !== 'Z';
  } catch {
    return false;
  }
}
