// A conversation at a real terminal, line by line and on the screen: what is typed, pasted and asked, the person's own editor, leaving.
import { mkdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { MAIN, runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { HAS_TMUX, startTmux, type Tmux } from '../helpers/tmux.ts';
import { until } from '../helpers/until.ts';

function start(ws: Workspace, args: string, env: Record<string, string>): Tmux {
  const terminal = startTmux(`'${process.execPath}' '${MAIN}' ${args}; echo "left $?"; sleep 600`, {
    cwd: ws.dir,
    env: { ...ws.env, ...env },
  });
  onTestFinished(() => terminal.close());
  return terminal;
}

describe.skipIf(!HAS_TMUX)('xz at a terminal', () => {
  test('a line after an interrupted question is a request, not its answer', async () => {
    const ws = tempWorkspace();
    const touch = { calls: [{ name: 'bash', args: { command: 'touch made' } }] };
    const server = await startModelServer(({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('another') ? { text: 'the answer' } : touch,
    );
    const terminal = start(ws, '--repl', modelEnv(server));
    await terminal.shows('/help');
    terminal.type('make it');
    terminal.keys('Enter');
    await terminal.shows('y allow');
    terminal.keys('C-c');
    await terminal.shows(/interrupted; .*\n> *\n/);
    terminal.type('another');
    terminal.keys('Enter');
    await terminal.shows('the answer');
    expect(ws.has('made')).toBe(false);
  });

  test('a pasted text of several lines is one request, and a command in it is text', async () => {
    const ws = tempWorkspace();
    const server = await startModelServer((_request, number) => ({ text: `answer ${number}` }));
    const terminal = start(ws, '--repl', modelEnv(server));
    await terminal.shows('/help');
    for (const [number, text] of ['first line\n/exit\nlast line\n', 'again\n/exit\nunfinished'].entries()) {
      terminal.paste(text, false);
      if (number === 1) {
        await terminal.shows('unfinished');
        terminal.keys('Enter');
      }
      await terminal.shows(`answer ${number}`);
      expect(JSON.stringify(server.requests.at(-1)?.body.messages.at(-1))).toContain(JSON.stringify(text.trim()).slice(1, -1));
    }
    expect(server.requests).toHaveLength(2);
  });

  test('the prompt gives way to what is printed, and comes back with what was typed, also over several rows', async () => {
    const ws = tempWorkspace();
    const server = await startModelServer(() => ({ text: 'the answer' }));
    const terminal = start(ws, '--repl', modelEnv(server));
    await terminal.shows('/help');
    terminal.type('hello');
    terminal.keys('Enter');
    await terminal.shows(/^the answer\n> *$/m);
    const typed = `typed ${'word '.repeat(40)}end`;
    terminal.type(typed);
    await terminal.shows('end');
    await runXz(ws, ['mail', 'send', 'Lead', 'look here', '--type', 'task']);
    await terminal.shows(/task: look here/);
    await terminal.shows(/^the answer\n(?:.*\n)*the answer\n> typed word/m);
    expect(
      terminal
        .screen()
        .replaceAll('\n', '')
        .match(/typed word/g),
    ).toHaveLength(1);
    terminal.keys('Enter');
    await until(() => JSON.stringify(server.requests.at(-1)?.body.messages).includes(typed), 'the typed line');
  });

  test('an earlier input that would steer the terminal is not called back', async () => {
    const ws = tempWorkspace();
    ws.write(
      '../home/.xz/input-history',
      `${['one', 'two\u001b[2J\u001b[H', 'three\nlines'].map((text) => JSON.stringify(text)).join('\n')}\n`,
    );
    const server = await startModelServer(() => ({ text: 'ok' }));
    const terminal = start(ws, '--repl', modelEnv(server));
    await terminal.shows('/help');
    terminal.keys('Up');
    await terminal.shows('> one');
    expect(terminal.screen()).toContain('/help');
  });

  test('Ctrl+C puts a list to pick from away, and only the words for it allow what is asked', async () => {
    const ws = tempWorkspace();
    await runXz(ws, ['task', 'create', 'one']);
    const touch = { calls: [{ name: 'bash', args: { command: 'touch made' } }] };
    const server = await startModelServer(({ messages }) => (messages.at(-1)?.role === 'tool' ? { text: 'refused, then' } : touch));
    const terminal = start(ws, '--repl', modelEnv(server));
    await terminal.shows('/help');
    terminal.type('/task clear');
    terminal.keys('Enter');
    await terminal.shows('number 1-2');
    terminal.keys('C-c');
    terminal.type('make it');
    terminal.keys('Enter');
    await terminal.shows('y allow');
    terminal.type('add it later, you see');
    terminal.keys('Enter');
    await terminal.shows('refused, then');
    expect(ws.has('made')).toBe(false);
    expect(ws.has('.TASK/one.json')).toBe(true);
  });

  for (const args of ['', '--repl'])
    test(`a folder in place of the input history is told once and keeps nobody from talking (xz ${args})`, async () => {
      const ws = tempWorkspace();
      mkdirSync(join(ws.home, '.xz', 'input-history'), { recursive: true });
      const server = await startModelServer((_request, number) => ({ text: `answer ${number}` }));
      const terminal = start(ws, args, modelEnv(server));
      await terminal.shows('/help');
      for (const number of [0, 1]) {
        terminal.type('hello');
        terminal.keys('Enter');
        await terminal.shows(`answer ${number}`);
      }
      expect(terminal.history().match(/^ *! /gm), terminal.history()).toHaveLength(1);
    });

  test('a bad file that the panels find first is named on the screen', async () => {
    const ws = tempWorkspace({ files: { 'README.md': '', '.MEMORY/.conflicts.json': '[' } });
    utimesSync(ws.path('.MEMORY/.conflicts.json'), 1, 1);
    const server = await startModelServer(() => ({ text: 'ok' }));
    const terminal = start(ws, '', modelEnv(server));
    await terminal.shows(/ ! .*\n.*not JSON/);
  });

  test('leaves a terminal that has grown meanwhile as it was', async () => {
    const ws = tempWorkspace();
    const server = await startModelServer(() => ({ text: 'ok' }));
    const terminal = startTmux(`echo before; '${process.execPath}' '${MAIN}'; echo "left $?"; sleep 600`, {
      ...{ cwd: ws.dir, columns: 12, rows: 6, env: { ...ws.env, ...modelEnv(server) } },
    });
    onTestFinished(() => terminal.close());
    await terminal.shows('xz');
    terminal.resize(60, 14);
    await terminal.shows('Ctrl+J');
    terminal.keys('C-c', 'C-c');
    await terminal.shows('left 0');
    expect(terminal.screen().trim()).toBe('before\nleft 0');
  });

  describe("the person's own editor", () => {
    const editing = async () => {
      const ws = tempWorkspace();
      ws.write('editor.sh', `trap : INT\necho up\nwhile [ ! -e go ]; do sleep 0.1; done\necho edited > "$1"\n`);
      const server = await startModelServer(() => ({ text: 'ok' }));
      const xz = `bash -c 'echo $$ > pid; exec "${process.execPath}" "${MAIN}"'`;
      const terminal = startTmux(`trap : INT; ${xz}; echo "left $?"; sleep 600`, {
        cwd: ws.dir,
        env: { ...ws.env, ...modelEnv(server), EDITOR: 'bash editor.sh' },
      });
      onTestFinished(() => terminal.close());
      await terminal.shows('/help');
      terminal.keys('C-g');
      await terminal.shows(/^up$/m);
      return { ws, terminal };
    };

    test('has the terminal to itself: Ctrl+C is meant for it, and a new size is drawn after it', async () => {
      const { ws, terminal } = await editing();
      terminal.keys('C-c');
      terminal.resize(70, 20);
      await terminal.shows('^C');
      ws.write('go', '');
      await terminal.shows('> edited');
      expect(terminal.screen()).toContain('◆ xz');
      expect(terminal.screen().split('\n')[18]).toContain('> edited');
    });

    test('ends an xz that was told to end meanwhile with the terminal as it was', async () => {
      const { ws, terminal } = await editing();
      process.kill(Number(ws.read('pid')), 'SIGTERM');
      ws.write('go', '');
      await terminal.shows('left 143');
      expect(terminal.ask('#{alternate_on}')).toBe('0');
    });
  });
});
