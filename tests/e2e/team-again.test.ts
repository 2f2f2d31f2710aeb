// What was begun and not finished: a spawn or a review that failed half-way, mail for a lead that has gone, and teammates
// that wait in a session which is gone on with without its team.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COLLECT, call, MERGE, oneTeammate, SPAWN, saidIn, toldLead } from '../fixtures/one-teammate.ts';
import { modelEnv, type SentBody, sentText, startModelServer } from '../helpers/model-server.ts';
import { runXz, startXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

const TEAM = ['once', 'have x.txt written', '--team', '--yes', '--json'];
const tasks = async (ws: Workspace) => JSON.parse((await runXz(ws, ['task', 'list', '--all', '--json'])).out).items;

for (const [what, fault] of [
  ['its roster entry', 'ENOSPC:1:.Mailbox/ann/.agent.json:write'],
  ['the announced worktree', 'ENOSPC:2:.Mailbox/ann/.agent.json:write'],
  ['where it works', 'EIO:3:.Mailbox/ann/.agent.json:write'],
] as const)
  test(`a spawn that could not write ${what} is called again and goes on: one ann, one task, one worktree`, async () => {
    const ws = tempWorkspace();
    const server = await startModelServer(oneTeammate([SPAWN, SPAWN, COLLECT, MERGE, call('release_teammate', { name: 'ann' })]));
    const run = await runXz(ws, TEAM, { env: { ...modelEnv(server), XZ_FAULT: fault } });
    expect(run.code, run.err).toBe(0);
    const told = toldLead(server.requests);
    expect(told, told).toMatch(/injected at|is full|not writable|cannot be written/);
    expect(told).toContain('ann is here, in .worktrees/ann on branch xz/ann/1');
    expect(told).toContain('Landed as');
    expect(ws.read('x.txt')).toBe('x\n');
    expect(await tasks(ws)).toMatchObject([{ id: 'write-x-txt', state: 'completed', landed: true, attempts: 0 }]);
    expect(ws.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(ws.git('branch', '--list', 'xz/*').trim()).toBe('');
  });

test('a teammate whose first task could not be mailed is there all the same, and gets it by assign_task', async () => {
  const ws = tempWorkspace();
  const again = call('assign_task', { teammate: 'ann', task: 'write-x-txt' });
  const server = await startModelServer(oneTeammate([SPAWN, again, COLLECT, MERGE]));
  const run = await runXz(ws, TEAM, { env: { ...modelEnv(server), XZ_FAULT: 'ENOSPC:1:.Mailbox/ann/tmp:write' } });
  expect(run.code, run.err).toBe(0);
  expect(toldLead(server.requests)).toMatch(
    /ann is here[^\n]*\nTask write-x-txt could not be given to it: [^\n]*disk is full[\s\S]*is assigned to ann[\s\S]*Landed as/,
  );
  expect(await tasks(ws)).toMatchObject([{ id: 'write-x-txt', state: 'completed', landed: true, attempts: 0 }]);
});

test('a review whose mail could not be written is sent once when it is called again, with the claim it has', async () => {
  const ws = tempWorkspace();
  const revise = call('review_teammate', { name: 'ann', verdict: 'revise', feedback: 'in capitals' });
  const server = await startModelServer(
    oneTeammate([SPAWN, COLLECT, revise, revise, COLLECT, MERGE], (body) => {
      if (!body.messages.some((message) => sentText(message).includes('in capitals'))) return undefined;
      return saidIn(body) === 2 ? call('bash', { command: "printf 'X\\n' > x.txt" }) : { text: 'X is written' };
    }),
  );
  // The first mail to ann is her task.
  const run = await runXz(ws, TEAM, { env: { ...modelEnv(server), XZ_FAULT: 'ENOSPC:2:.Mailbox/ann/tmp:write' } });
  expect(run.code, run.err).toBe(0);
  const told = toldLead(server.requests);
  expect(told).toMatch(/full[\s\S]*Sent back to ann[\s\S]*Claimed:\nX is written[\s\S]*Landed as/);
  expect(ws.read('x.txt')).toBe('X\n');
  expect(await tasks(ws)).toMatchObject([{ state: 'completed', landed: true, attempts: 0 }]);
  const ofAnn = server.requests.map(({ body }) => body.messages.map(sentText).join('\n')).findLast((text) => text.includes('in capitals'));
  expect(ofAnn?.split('in capitals')).toHaveLength(2);
});

test('a result for a lead that has gone is set aside with the reason, and is not shown to the next one', async () => {
  const ws = tempWorkspace();
  const hello = await startModelServer(() => ({ text: 'hello' }));
  await runXz(ws, ['once', 'first', '--team', '--yes'], { env: modelEnv(hello) });
  const { epoch } = JSON.parse(ws.read('.Mailbox/Lead/agent.json'));
  const late = { id: 'zz0', type: 'result', from: 'ann', to: 'Lead', at: '2026-03-01T08:00:00.000+00:00', body: 'a late result' };
  ws.write('.Mailbox/Lead/new/1-zz0-result.json', JSON.stringify({ ...late, epoch }));
  ws.write('.Mailbox/Lead/new/3-zz1-notice.json', JSON.stringify({ ...late, id: 'zz1', type: 'notice', body: 'a late notice', epoch }));
  const server = await startModelServer(() => ({ text: 'hello again' }));
  const second = await runXz(ws, ['once', 'second', '--team', '--yes'], { env: modelEnv(server) });
  expect(second).toMatchObject({ code: 0, out: 'hello again\n' });
  expect(second.err).toMatch(/a result from ann to Lead was set aside: for an earlier Lead .*`xz mail requeue zz0` puts it back/);
  expect(JSON.stringify(server.requests.map(({ body }) => body))).not.toContain('a late result');
  const { items } = JSON.parse((await runXz(ws, ['mail', 'list', 'Lead', '--json'])).out);
  expect(items).toMatchObject([
    { id: 'zz0', box: 'dead', dead: { reason: expect.stringContaining('for an earlier Lead') } },
    { id: 'zz1', box: 'dead', dead: { reason: expect.stringContaining('for an earlier Lead') } },
  ]);
  // The person may still have it read.
  expect(await runXz(ws, ['mail', 'requeue', 'zz0'])).toMatchObject({ code: 0 });
  const last = await startModelServer((body) => ({ text: JSON.stringify(body.messages).includes('a late result') ? 'read it' : 'hm' }));
  expect(await runXz(ws, ['once', 'third', '--team', '--yes'], { env: modelEnv(last) })).toMatchObject({ code: 0, out: 'read it\n' });
});

test('--resume without the team says who waits and how they come back; with it they do, and go on', async () => {
  const ws = tempWorkspace();
  let hold = true;
  const lead = [SPAWN, COLLECT, { text: 'without her' }, call('collect_results', { wait_seconds: 60 }), MERGE];
  const server = await startModelServer(
    oneTeammate(lead, (body: SentBody) => (hold && saidIn(body) === 1 ? { delayMs: 20_000, text: 'never heard' } : undefined)),
  );
  const env = modelEnv(server);
  const first = startXz(ws, TEAM, { env, input: '' });
  await until(() => ws.has('.worktrees/ann/x.txt'), 'ann at work');
  first.kill('SIGKILL');
  await first.ended;
  hold = false;
  const alone = await runXz(ws, ['once', '--resume', '--yes'], { env });
  expect(alone.err).toMatch(/ann of this session wait.*\/team on or --team/);
  expect(readdirSync(ws.path('.Mailbox/ann/cur'))).toHaveLength(1);
  expect(await tasks(ws)).toMatchObject([{ state: 'in_progress', attempts: 0, claim: { by: 'ann' } }]);
  const back = await runXz(ws, ['--repl', '--resume', '--mode', 'yolo'], { env, input: '/team on\n/team\nand now land it\n' });
  expect(back.code, back.err).toBe(0);
  expect(back.out).toMatch(/ann of this session wait/);
  expect(ws.read('x.txt')).toBe('x\n');
  expect(await tasks(ws)).toMatchObject([{ state: 'completed', landed: true, attempts: 0 }]);
});
