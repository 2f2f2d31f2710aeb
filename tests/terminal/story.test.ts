import { readdirSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processesOf } from '../crash/left.ts';
import { leadOf, teamModel } from '../fixtures/team-model.ts';
import type { Reply } from '../helpers/model-reply.ts';
import { modelEnv, type Respond, type SentBody, startModelServer } from '../helpers/model-server.ts';
import { MAIN } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { HAS_TMUX, startTmux, type Tmux } from '../helpers/tmux.ts';
import { until } from '../helpers/until.ts';

if (!HAS_TMUX) console.warn('tmux is not installed: the built program is not driven in a real terminal');

interface Started {
  readonly terminal: Tmux;
  readonly workspace: Workspace;
  again(...args: readonly string[]): Promise<void>;
}

/** The built program in a terminal, over a scripted model. */
async function start(
  respond: Respond,
  options: { args?: string; columns?: number; rows?: number; env?: Record<string, string>; ready?: string } = {},
): Promise<Started> {
  const server = await startModelServer(respond);
  onTestFinished(() => server.stop());
  const workspace = tempWorkspace();
  const env = { ...workspace.env, ...modelEnv(server), TERM: 'screen-256color', HISTFILE: '/dev/null', ...options.env };
  const terminal = startTmux(`node '${MAIN}' ${options.args ?? ''}; echo "exit=$?"; exec bash --norc`, {
    ...options,
    cwd: workspace.dir,
    env,
  });
  onTestFinished(() => terminal.close());
  await terminal.shows(options.ready ?? /STATUS|Ask, or/);
  return {
    terminal,
    workspace,
    async again(...args) {
      terminal.type(`clear; node '${MAIN}' ${args.join(' ')}; echo "exit=$?"`);
      terminal.keys('Enter');
      await terminal.shows(/STATUS|Ask, or/);
    },
  };
}

function send(terminal: Tmux, text: string): void {
  terminal.type(text);
  terminal.keys('Enter');
}

const oneCall: Respond = (body) => {
  if (body.tools === undefined) return { text: 'Title' };
  const answered = body.messages.some((message) => message.role === 'tool');
  return answered
    ? { text: 'The file is **written**.' }
    : { calls: [{ name: 'write_file', args: { path: 'hello.txt', content: 'one\ntwo\n' } }] };
};

/** A lead that leaves the merge to the person, and one teammate. */
const oneTeammate = (body: SentBody): Reply => {
  if (body.tools === undefined) return { text: 'Title' };
  const called = (name: string) => body.messages.some((message) => message.tool_calls?.some((call) => call.function.name === name));
  if (!leadOf(body)) {
    if (called('write_file')) return { text: 'I wrote the part.' };
    return { calls: [{ name: 'write_file', args: { path: 'part.txt', content: 'made by ann\n' } }] };
  }
  if (!called('spawn_teammate')) {
    return { calls: [{ name: 'spawn_teammate', args: { name: 'ann', role: 'builder', task: 'write part.txt', worktree: true } }] };
  }
  if (!called('collect_results')) return { calls: [{ name: 'collect_results', args: { wait_seconds: 30 } }] };
  if (!called('review_teammate')) return { calls: [{ name: 'review_teammate', args: { name: 'ann', verdict: 'approve' } }] };
  return { text: 'Merge it when you like.' };
};

describe.skipIf(!HAS_TMUX)('the built program in a real terminal', () => {
  test('asks before it writes, shows the diff, does what was allowed, and is resumed with what was said', async () => {
    const { terminal, workspace, again } = await start(oneCall);
    send(terminal, '写一个文件');
    await terminal.shows('? Lead asks');
    expect(terminal.screen()).toContain('+one');
    expect(workspace.has('hello.txt')).toBe(false);
    terminal.type('y');
    await terminal.shows('The file is written.');
    expect(workspace.read('hello.txt')).toBe('one\ntwo\n');
    expect(terminal.screen()).toMatch(/⚙ write_file\(hello\.txt\) {2}✓/);
    terminal.keys('C-o');
    await terminal.shows('+two');
    send(terminal, '/diff');
    await terminal.shows('hello.txt');
    send(terminal, '/quit');
    await terminal.shows('exit=0');
    await again('--resume');
    await terminal.shows('The file is written.');
    terminal.keys('Up', 'Up', 'Up');
    await terminal.shows('> 写一个文件');
  });

  test('a refusal reaches the model and nothing is written', async () => {
    const { terminal, workspace } = await start(oneCall);
    send(terminal, 'write');
    await terminal.shows('? Lead asks');
    terminal.type('n');
    await terminal.shows('refused');
    await terminal.shows('The file is written.');
    expect(workspace.has('hello.txt')).toBe(false);
  });

  test('what is typed while it works is queued, taken back by Escape, and Ctrl+C interrupts', async () => {
    const slow: Respond = (body) => (body.tools === undefined ? { text: 'Title' } : { text: 'slow '.repeat(400), chunkMs: 40 });
    const { terminal } = await start(slow);
    send(terminal, 'first');
    await terminal.shows('RUNNING');
    send(terminal, 'second thought');
    await terminal.shows('queued  second thought');
    terminal.keys('Escape');
    await terminal.shows('> second thought');
    expect(terminal.screen()).not.toContain('queued  second');
    terminal.keys('C-c');
    await terminal.shows('interrupted; files changed so far stay');
    await until(() => !terminal.screen().includes('RUNNING'));
    expect(terminal.screen()).toContain('> second thought');
  });

  test('the whole team story is told by keyboard alone', async () => {
    const { terminal, workspace } = await start(teamModel({ delayMs: 150 }), { columns: 130, rows: 44 });
    send(terminal, '/team on');
    await terminal.shows('The team is on');
    send(terminal, 'share the work');
    await terminal.shows(/TEAM {2}[1-3] of 3/);
    await terminal.shows(/\? (ann|bob|cid) asks/);
    const question = () => /\? \w+ asks {3}[^│]*│[\s\S]*?\n {3}\S[^│]*/.exec(terminal.screen())?.[0];
    const answer = async () => {
      const asked = question();
      if (asked !== undefined) {
        terminal.type('a');
        await until(() => question() !== asked, 'the question to go');
      }
      return terminal.screen().includes('All parts are merged.');
    };
    terminal.keys('Tab');
    await terminal.shows(/▸(ann|bob|cid)/);
    terminal.keys('Enter');
    await terminal.shows("'s conversation");
    terminal.keys('Escape');
    // A letter right behind it would be that letter with Alt.
    await until(() => !terminal.screen().includes("'s conversation"));
    await until(answer, 'the end of the story', 50_000).catch(() => {
      throw new Error(terminal.screen());
    });
    expect(workspace.read('parts/ann.txt')).toContain('made by ann');
    await terminal.shows('⇄ merge');
    await terminal.shows(/TASKS {2}3 of 3/);
    send(terminal, '/cost');
    await terminal.shows(/Lead +[\d.]+k? +unknown/);
    send(terminal, '/task');
    await terminal.shows(/part-ann +completed/);
    send(terminal, '/exit');
    await terminal.shows('exit=0');
  });

  test('/team off in the middle of work ends it soon, keeps what there is, and gives the task back without an attempt', async () => {
    const ann = (): Reply => ({ calls: [{ name: 'bash', args: { command: "printf 'half\\n' > half.txt; sleep 60" } }] });
    const { terminal, workspace } = await start((body) => (leadOf(body) || body.tools === undefined ? oneTeammate(body) : ann()), {
      args: '--mode yolo',
      columns: 130,
      rows: 44,
    });
    send(terminal, '/team on');
    await terminal.shows('The team is on');
    send(terminal, 'let ann write it');
    await until(() => workspace.has('.worktrees/ann/half.txt'), 'the command of ann');
    // The lead waits for her in a call of its own turn.
    await terminal.shows('RUNNING');
    send(terminal, '/team off');
    await terminal.shows('Kept because their work has not landed: xz/ann/1');
    await terminal.shows('off · /team on');
    expect(workspace.git('show', 'xz/ann/1:half.txt')).toBe('half\n');
    const [file] = readdirSync(workspace.path('.TASK')).filter((name) => name.endsWith('.json'));
    expect(JSON.parse(workspace.read(`.TASK/${file}`))).toMatchObject({
      state: 'pending',
      attempts: 0,
      note: 'earlier work is on branch xz/ann/1',
    });
    send(terminal, '/exit');
    await terminal.shows('exit=0');
    expect(processesOf(workspace).filter((line) => line.includes('sleep'))).toEqual([]);
  });

  test('a teammate is watched, answered, spoken to, merged and released by keys of the panel', async () => {
    const { terminal, workspace } = await start(oneTeammate, { columns: 130, rows: 44 });
    send(terminal, '/team on');
    await terminal.shows('The team is on');
    send(terminal, 'let ann write it');
    await terminal.shows('? ann asks   write_file');
    expect(terminal.screen()).toContain('+made by ann');
    expect(terminal.screen()).toContain('worktree .worktrees/ann');
    terminal.keys('Tab');
    await terminal.shows(/▸ann +\? asking/);
    terminal.keys('Enter');
    await terminal.shows("ann's conversation");
    await terminal.shows(/⚙ write_file\(part\.txt\)/);
    terminal.type('y');
    await terminal.shows('I wrote the part.');
    terminal.keys('Escape');
    await until(() => !terminal.screen().includes("ann's conversation"));
    await terminal.shows('Merge it when you like.');
    terminal.keys('Tab');
    await terminal.shows(/▸ann +idle/);
    terminal.type('m');
    await terminal.shows('> to ann');
    send(terminal, 'thank you');
    await terminal.shows('Sent to ann.');
    expect(workspace.has('part.txt')).toBe(false);
    terminal.keys('Tab');
    await terminal.shows('▸ann');
    terminal.type('g');
    await terminal.shows(/⇄ merge ann → main .*landed/);
    expect(workspace.read('part.txt')).toBe('made by ann\n');
    terminal.type('r');
    await terminal.shows(/[Rr]elease ann/);
    terminal.keys('Enter');
    await terminal.shows(/TEAM {2}0 of 3/);
    await until(() => !workspace.has('.worktrees/ann'), 'the worktree to go');
    send(terminal, '/exit');
    await terminal.shows('exit=0');
  });

  test('a terminal that cannot place a cursor gets lines, with the same commands and questions', async () => {
    const { terminal, workspace } = await start(oneCall, { env: { TERM: 'dumb' }, ready: '/help for commands' });
    send(terminal, '/mode');
    await terminal.shows('Mode: ask');
    send(terminal, 'write');
    await terminal.shows('y allow');
    send(terminal, 'y');
    await terminal.shows(/The file is \*\*written\*\*\.\n>/);
    expect(workspace.has('hello.txt')).toBe(true);
    terminal.keys('C-c');
    await terminal.shows('again to leave');
    terminal.keys('C-c');
    await terminal.shows('exit=0');
  });

  test('the demo plays in the screen, and nothing of it stays', async () => {
    const { terminal, workspace } = await start(oneCall, { args: '--demo' });
    await terminal.shows(/TEAM {2}[1-3] of 3/);
    await terminal.shows(/TASKS {2}4 of 4/);
    await until(() => !terminal.screen().includes('RUNNING'));
    terminal.keys('C-c');
    await terminal.shows('again to leave');
    terminal.keys('C-c');
    await terminal.shows('exit=0');
    expect(workspace.git('status', '--porcelain')).toBe('');
    expect(workspace.has('.agents')).toBe(false);
  });
});
