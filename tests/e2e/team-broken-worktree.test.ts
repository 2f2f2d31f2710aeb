// Worktrees that are not where, or what, they were: workspaces moved or copied after a kill, folders taken away by hand,
// repositories that have forgotten one. It is the fault of nobody else in the team, and no work is lost or lands elsewhere.
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { COLLECT, call, MERGE, NEVER, oneTeammate, SPAWN, saidIn, toldLead } from '../fixtures/one-teammate.ts';
import { type ModelServer, modelEnv, startModelServer } from '../helpers/model-server.ts';
import { runXz, startXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

const TEAM = ['once', 'have x.txt written', '--team', '--yes', '--json'];
const RESUME = ['once', '--resume', '--team', '--yes', '--json'];
const RELEASE = call('release_teammate', { name: 'ann' });
const bash = (command: string) => call('bash', { command });

/** A run that is killed when ann has written x.txt and nobody has committed it; the resumed ann looks where she is. */
async function killed(ws: Workspace): Promise<ModelServer> {
  let dead = false;
  const server = await startModelServer(
    oneTeammate([SPAWN, COLLECT, MERGE, RELEASE], (body) => {
      if (saidIn(body) === 0) return undefined;
      if (!dead) {
        dead = true;
        return NEVER;
      }
      return saidIn(body) === 1 ? bash('git rev-parse --show-toplevel && echo y > y.txt') : undefined;
    }),
  );
  const xz = startXz(ws, TEAM, { env: modelEnv(server), input: '' });
  await until(() => dead, 'the work to be under way');
  xz.kill('SIGKILL');
  await xz.ended;
  return server;
}

const rosterText = (dir: string) => readFileSync(join(dir, '.Mailbox/ann/agent.json'), 'utf8');
const headOf = (ws: Workspace, dir: string, file: string) => ws.git('-C', dir, 'show', `HEAD:${file}`);

describe('a workspace with a teammate at work', () => {
  test('that was moved after a kill is gone on with there, and what she had not committed lands', async () => {
    const ws = tempWorkspace();
    const server = await killed(ws);
    expect(JSON.parse(rosterText(ws.dir)).worktree).toBe('.worktrees/ann');
    const dir = `${ws.dir}-moved`;
    renameSync(ws.dir, dir);
    const run = await runXz({ dir, env: ws.env }, RESUME, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    expect(JSON.parse(run.out)).toMatchObject({ team: { landed: true } });
    expect(readFileSync(join(dir, 'x.txt'), 'utf8') + readFileSync(join(dir, 'y.txt'), 'utf8')).toBe('x\ny\n');
    expect(existsSync(ws.dir)).toBe(false);
    expect(JSON.stringify(server.requests.map(({ body }) => body.messages))).toContain(`${dir}/.worktrees/ann`);
  });

  test('that was copied works in the copy only, also with a roster that names the original’s folder', async () => {
    const ws = tempWorkspace();
    const server = await killed(ws);
    const dir = `${ws.dir}-copy`;
    cpSync(ws.dir, dir, { recursive: true });
    const before = ws.git('worktree', 'list', '--porcelain');
    const entry = JSON.parse(rosterText(dir));
    writeFileSync(join(dir, '.Mailbox/ann/agent.json'), JSON.stringify({ ...entry, worktree: ws.path('.worktrees/ann') }));
    const run = await runXz({ dir, env: ws.env }, RESUME, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    expect(JSON.parse(run.out)).toMatchObject({ team: { landed: true } });
    expect(headOf(ws, dir, 'x.txt') + headOf(ws, dir, 'y.txt')).toBe('x\ny\n');
    expect(ws.git('worktree', 'list', '--porcelain')).toBe(before);
    expect(readdirSync(ws.path('.worktrees/ann')).sort()).toEqual(['.git', 'README.md', 'x.txt']);
    expect(ws.git('-C', ws.path('.worktrees/ann'), 'status', '--short')).toBe('?? x.txt\n');
  });
});

describe('a worktree', () => {
  test('whose .git file its teammate removed gives her no way to the person’s checkout, and her work lands all the same', async () => {
    const ws = tempWorkspace();
    const head = ws.git('rev-parse', 'HEAD');
    let during = '';
    const server = await startModelServer(
      oneTeammate([SPAWN, COLLECT, MERGE, RELEASE], (body) => {
        if (saidIn(body) === 1)
          return bash(
            `node -e 'require("fs").rmSync(".git")'; git add -A; git commit -qm astray --allow-empty; git rev-parse --show-toplevel`,
          );
        if (saidIn(body) === 2) during = ws.git('rev-parse', 'HEAD');
        return undefined;
      }),
    );
    const run = await runXz(ws, TEAM, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    expect(during).toBe(head);
    expect(ws.git('log', '--format=%s', '--all')).not.toContain('astray');
    expect(JSON.parse(run.out)).toMatchObject({ team: { landed: true } });
    expect(ws.read('x.txt')).toBe('x\n');
    expect(run.err).toContain('the .git file of');
    expect(toldLead(server.requests)).toContain('[xz: the .git file of');
  });

  test('that the person took away is made again from its branch; nobody crashes, and no mail is left over', async () => {
    const ws = tempWorkspace();
    const remove = () => rmSync(ws.path('.worktrees/ann'), { recursive: true });
    const scripted = oneTeammate([
      SPAWN,
      COLLECT,
      call('review_teammate', { name: 'ann', verdict: 'revise', feedback: 'y too' }),
      COLLECT,
      MERGE,
      RELEASE,
    ]);
    let stage = '';
    const server = await startModelServer(async (body) => {
      const reply = await scripted(body);
      const name = reply.calls?.[0]?.name ?? '';
      // Before the review goes out, and once more before she is released.
      if (['review_teammate', 'release_teammate'].includes(name) && stage !== name) {
        stage = name;
        remove();
      }
      return reply;
    });
    const run = await runXz(ws, TEAM, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    expect(run.err).toContain('was made again from branch xz/ann/1');
    expect(run.err).not.toContain('crashed');
    expect(toldLead(server.requests)).toContain('[xz: the folder');
    expect(toldLead(server.requests)).not.toContain('NOT completed');
    expect(JSON.parse(run.out)).toMatchObject({ team: { landed: true } });
    expect(ws.read('x.txt')).toBe('x\n');
    for (const box of ['cur', 'new', 'dead']) expect(readdirSync(ws.path(`.Mailbox/ann/${box}`)), box).toEqual([]);
  });

  test('that git has forgotten when she is released is kept and named; she has not crashed, and her `end` is no dead letter', async () => {
    const ws = tempWorkspace();
    const scripted = oneTeammate([SPAWN, COLLECT, MERGE, RELEASE]);
    const server = await startModelServer(async (body) => {
      const reply = await scripted(body);
      if (reply.calls?.[0]?.name === 'release_teammate') rmSync(ws.path('.git/worktrees/ann'), { recursive: true });
      return reply;
    });
    const run = await runXz(ws, TEAM, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    expect(ws.read('x.txt')).toBe('x\n');
    expect(toldLead(server.requests)).toContain('Its worktree .worktrees/ann is kept: ');
    expect(toldLead(server.requests)).not.toContain('NOT completed');
    expect(run.err).not.toContain('(2 of 3)');
    expect(JSON.parse(rosterText(ws.dir))).toMatchObject({ state: 'ended', landed: true, worktree: '.worktrees/ann' });
    for (const box of ['cur', 'new', 'dead']) expect(readdirSync(ws.path(`.Mailbox/ann/${box}`)), box).toEqual([]);
  });

  test('that git has forgotten ends its teammate only: a result says so, her mail is set aside, merge and release name the folder and keep it', async () => {
    const ws = tempWorkspace();
    const server = await startModelServer(
      oneTeammate([SPAWN, COLLECT], (body) => {
        if (saidIn(body) === 1) rmSync(ws.path('.git/worktrees/ann'), { recursive: true });
        return undefined;
      }),
    );
    const run = await runXz(ws, TEAM, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    expect(JSON.parse(run.out)).toMatchObject({ team: { landed: false } });
    const folder = ws.path('.worktrees/ann');
    expect(toldLead(server.requests)).toContain(`the worktree ${folder} is broken`);
    expect(readdirSync(ws.path('.Mailbox/ann/cur'))).toEqual([]);
    const [dead = ''] = readdirSync(ws.path('.Mailbox/ann/dead'));
    expect(JSON.parse(ws.read(`.Mailbox/ann/dead/${dead}`))).toMatchObject({ type: 'task', dead: { reason: 'ann crashed too often' } });
    const again = await runXz(ws, RESUME, { env: modelEnv(server) });
    expect(again.code, again.err).toBe(0);
    for (const verb of ['merge', 'release']) {
      const told = await runXz(ws, ['team', verb, 'ann']);
      expect(told.code, told.err).toBe(0);
      expect(told.out).toContain(folder);
    }
    expect(JSON.parse(rosterText(ws.dir)).state).toBe('ended');
    expect(ws.read('.worktrees/ann/x.txt')).toBe('x\n');
    rmSync(folder, { recursive: true });
    expect((await runXz(ws, ['team', 'release', 'ann'])).code).toBe(0);
    expect(existsSync(ws.path('.Mailbox/ann/agent.json'))).toBe(false);
  });
});
