// Teammates that die, hang or are let go in the middle: the lead goes on, work is kept or handed back, nothing runs on.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processesOf } from '../crash/left.ts';
import { COLLECT, call, MERGE, NEVER, oneTeammate, SPAWN, saidIn, toldLead } from '../fixtures/one-teammate.ts';
import { leadOf } from '../fixtures/team-model.ts';
import { type Death, dyingProgram } from '../helpers/dying-program.ts';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { sleeping, unusualSeconds } from '../helpers/processes.ts';
import { runXz, startXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

let program: ReturnType<typeof dyingProgram>;
beforeAll(() => {
  program = dyingProgram();
});
afterAll(() => program.remove());

const TEAM = ['once', 'have x.txt written', '--team', '--yes', '--json'];

/** Where a death is asked for; `ask` writes it, with `!` at its end for one that every thread dies. */
function deathbed(ws: Workspace) {
  const folder = join(ws.home, 'death');
  mkdirSync(folder);
  return {
    env: { XZ_TEST_DEATH: folder },
    ask: (death: Death | `${Death}!`) => writeFileSync(join(folder, 'now'), death),
    /** True when the thread has found it. */
    taken: () => !existsSync(join(folder, 'now')),
  };
}

const task = async (ws: Workspace) => JSON.parse((await runXz(ws, ['task', 'list', '--all', '--json'])).out).items[0];

describe('a thread that dies', () => {
  for (const death of ['exit', 'reject', 'memory'] as const)
    test(`by ${death} is started again and goes on with its task; no attempt is used`, async () => {
      const ws = tempWorkspace();
      const bed = deathbed(ws);
      let asked = false;
      const server = await startModelServer(
        oneTeammate([SPAWN, COLLECT, MERGE], async () => {
          if (asked) return undefined;
          asked = true;
          bed.ask(death);
          // This request dies with its thread.
          return NEVER;
        }),
      );
      const run = await runXz(ws, TEAM, { env: { ...modelEnv(server), ...bed.env }, main: program.main });
      expect(run.code, run.err).toBe(0);
      expect(run.err).toContain('ann crashed (1 of 3)');
      expect(JSON.parse(run.out)).toMatchObject({ text: 'that is all', team: { landed: true } });
      expect(ws.read('x.txt')).toBe('x\n');
      expect(await task(ws)).toMatchObject({ state: 'completed', landed: true, attempts: 0 });
      expect(processesOf(ws)).toEqual([]);
    });

  test('three times is given up: its task goes back with one attempt used, the lead is told, and it gets no more work', async () => {
    const ws = tempWorkspace();
    const bed = deathbed(ws);
    const server = await startModelServer(
      oneTeammate(
        [SPAWN, COLLECT, call('assign_task', { teammate: 'ann', task: 'write-x-txt' }), call('release_teammate', { name: 'ann' })],
        () => {
          bed.ask('exit!');
          return NEVER;
        },
      ),
    );
    const run = await runXz(ws, TEAM, { env: { ...modelEnv(server), ...bed.env }, main: program.main });
    expect(run.code, run.err).toBe(0);
    expect(run.err).toContain('ann crashed (3 of 3)');
    const told = toldLead(server.requests);
    expect(told).toContain('NOT completed (crashed)');
    expect(told).toContain('Given back: write-x-txt');
    expect(told).toContain('ann crashed too often and was stopped\n');
    expect(await task(ws)).toMatchObject({ state: 'pending', attempts: 1, failures: [{ agent: 'ann', error: 'ann crashed too often' }] });
    expect((await task(ws)).assignee).toBeUndefined();
    expect(ws.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  });
});

test('what a teammate changes in the main folder is among the files of the answer', async () => {
  const ws = tempWorkspace({ git: false });
  const server = await startModelServer(oneTeammate([SPAWN, COLLECT]));
  const run = await runXz(ws, TEAM, { env: modelEnv(server) });
  expect(run.code, run.err).toBe(0);
  expect(JSON.parse(run.out)).toMatchObject({ changedFiles: ['x.txt'], team: { landed: true } });
});

test('a gate that a kill left behind the last release goes when a team starts next', async () => {
  const ws = tempWorkspace();
  ws.git('worktree', 'add', '-q', '--detach', '.worktrees/.gate', 'HEAD');
  const server = await startModelServer(() => ({ text: 'nothing to do' }));
  const run = await runXz(ws, ['once', 'look around', '--team', '--yes'], { env: modelEnv(server) });
  expect(run.code, run.err).toBe(0);
  expect(ws.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(existsSync(ws.path('.worktrees/.gate'))).toBe(false);
});

describe('leaving while a teammate is busy', () => {
  test('an endless loop in its thread holds nobody up, and the session goes on when it is resumed', async () => {
    const ws = tempWorkspace();
    const bed = deathbed(ws);
    let looped = false;
    const server = await startModelServer(
      oneTeammate([SPAWN, COLLECT, MERGE], () => {
        if (looped) return undefined;
        looped = true;
        bed.ask('loop');
        return NEVER;
      }),
    );
    const env = { ...modelEnv(server), ...bed.env };
    const xz = startXz(ws, TEAM, { env, main: program.main, input: '' });
    // Found by the thread of the next life it would be a loop there.
    await until(() => looped && bed.taken(), 'the loop');
    xz.kill('SIGTERM');
    expect(await xz.ended).toMatchObject({ code: 130, signal: null, late: false });
    expect(processesOf(ws)).toEqual([]);
    const resumed = await runXz(ws, ['once', '--resume', '--team', '--yes', '--json'], { env, main: program.main });
    expect(resumed.code, resumed.err).toBe(0);
    expect(ws.read('x.txt')).toBe('x\n');
    expect(await task(ws)).toMatchObject({ state: 'completed', landed: true, attempts: 0 });
  });

  for (const how of ['SIGTERM', 'SIGINT', 'release_teammate'] as const)
    test(`${how} ends the commands of a teammate, also those that ignore TERM`, async () => {
      const ws = tempWorkspace();
      const seconds = unusualSeconds();
      const stuck = call('bash', { command: `echo begun > begun.txt; trap '' TERM; sleep ${seconds} & sleep ${seconds}`, timeout: 600 });
      const server = await startModelServer(async (body) => {
        const wait = how === 'release_teammate' && leadOf(body) && body.tools !== undefined;
        if (wait && saidIn(body) === 1) await until(() => sleeping(seconds).length === 2);
        return oneTeammate(how === 'release_teammate' ? [SPAWN, call('release_teammate', { name: 'ann' })] : [SPAWN, COLLECT], (own) =>
          own.messages.some((message) => message.role === 'assistant') ? undefined : stuck,
        )(body);
      });
      const xz = startXz(ws, TEAM, { env: modelEnv(server), input: '' });
      if (how !== 'release_teammate') {
        await until(() => sleeping(seconds).length === 2, 'the command');
        xz.kill(how);
      }
      const ended = await xz.ended;
      expect(ended, ended.err).toMatchObject({ code: how === 'release_teammate' ? 0 : 130, late: false });
      await until(() => sleeping(seconds).length === 0, 'the command to end', 5_000);
      await until(() => processesOf(ws).length === 0, 'every process to end', 5_000);
      // What it had written is kept: committed on its branch when it was let go, in its worktree otherwise.
      if (how === 'release_teammate') expect(ws.git('show', 'xz/ann/1:begun.txt')).toBe('begun\n');
      if (how === 'release_teammate') expect(toldLead(server.requests)).toContain('1 undelivered message(s) are in dead/');
      else expect(ws.read('.worktrees/ann/begun.txt')).toBe('begun\n');
    });
});
