// What a teammate leaves when it goes, or when its lead is killed: unread mail, claims, files; and who is told of it.
import { rmSync, utimesSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COLLECT, call, MERGE, NEVER, oneTeammate, SPAWN, saidIn, toldLead } from '../fixtures/one-teammate.ts';
import { leadOf } from '../fixtures/team-model.ts';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { runXz, startXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';

const TEAM = ['once', 'have x.txt written', '--team', '--yes', '--json'];
const RELEASE = call('release_teammate', { name: 'ann' });
const mailOf = async (ws: Workspace, name: string) => JSON.parse((await runXz(ws, ['mail', 'list', name, '--json'])).out).items;

for (const [what, last] of [
  ['is released', [RELEASE]],
  ['goes with the last of the run', []],
] as const)
  test(`a notice that an idle teammate has not read when it ${what} is set aside with the reason, and the person is told once`, async () => {
    const ws = tempWorkspace();
    const notice = call('broadcast_notice', { message: 'the API has changed' });
    const server = await startModelServer(oneTeammate([SPAWN, COLLECT, MERGE, notice, ...last]));
    const run = await runXz(ws, TEAM, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    expect(await mailOf(ws, 'ann')).toMatchObject([
      { type: 'notice', from: 'Lead', body: 'the API has changed', box: 'dead', dead: { reason: 'ann was released' } },
    ]);
    expect(run.err.split('ann ended before it read a notice from Lead: kept in .Mailbox/ann/dead')).toHaveLength(2);
  });

test('only what was handed in is reviewed: a teammate without a task, or with one in hand, is not; a verdict given again changes nothing', async () => {
  const ws = tempWorkspace();
  const verdict = (name: string, verdict: 'approve' | 'revise') =>
    call('review_teammate', { name, verdict, ...(verdict === 'revise' && { feedback: `better, ${name}` }) });
  const bob = call('spawn_teammate', { name: 'bob', worktree: true });
  let early = () => {};
  const reviewed = new Promise<void>((resolve) => {
    early = resolve;
  });
  const lead = [SPAWN, bob, verdict('bob', 'approve'), verdict('bob', 'revise'), verdict('ann', 'revise'), verdict('ann', 'approve')];
  const server = await startModelServer(async (body) => {
    if (leadOf(body) && saidIn(body) === lead.length) early();
    return oneTeammate([...lead, COLLECT, verdict('ann', 'approve'), verdict('ann', 'approve'), MERGE], async (own) => {
      if (saidIn(own) === 0) await reviewed;
      return undefined;
    })(body);
  });
  const run = await runXz(ws, TEAM, { env: modelEnv(server) });
  expect(run.code, run.err).toBe(0);
  const told = toldLead(server.requests);
  expect(told.match(/bob has no task and has handed in nothing/g), told).toHaveLength(2);
  expect(told.match(/ann (is still working on|has not begun) write-x-txt( yet)?: there is no result to review yet/g), told).toHaveLength(2);
  expect(told.match(/ann's work is approved\. Its work lands with merge_teammate\./g), told).toHaveLength(2);
  expect(JSON.stringify(server.requests.filter(({ body }) => !leadOf(body)))).not.toContain('better, ');
  const log = JSON.parse((await runXz(ws, ['team', 'log', '--json', '--limit', '0'])).out).items;
  expect(log.filter((one: { kind: string }) => one.kind === 'review')).toMatchObject([{ agent: 'ann', text: 'approved write-x-txt' }]);
});

/** A workspace in which the lead was killed while ann had written x.txt and was at work; resolves to that session. */
async function killedAtWork(): Promise<{ readonly ws: Workspace; readonly session: string }> {
  const ws = tempWorkspace();
  let atWork = () => {};
  const wrote = new Promise<void>((resolve) => {
    atWork = resolve;
  });
  const server = await startModelServer(
    oneTeammate([SPAWN, COLLECT], (own) => {
      if (saidIn(own) === 0) return undefined;
      atWork();
      return NEVER;
    }),
  );
  const xz = startXz(ws, TEAM, { env: modelEnv(server), input: '' });
  await wrote;
  xz.kill('SIGKILL');
  await xz.ended;
  return { ws, session: JSON.parse(ws.read('.Mailbox/Lead/agent.json')).session };
}

const taskOf = async (ws: Workspace) => JSON.parse((await runXz(ws, ['task', 'list', '--all', '--json'])).out).items[0];
const status = async (ws: Workspace) => JSON.parse((await runXz(ws, ['team', 'status', '--json'])).out).teammates;

test('a teammate of a session that was killed is shown as waiting there, gets no work, and what it wrote can be landed', async () => {
  const { ws, session } = await killedAtWork();
  expect(await status(ws)).toMatchObject([{ name: 'ann', state: 'idle', activity: 'waiting', session }]);
  const back = `xz once --resume --session ${session} --team`;
  expect((await runXz(ws, ['team', 'status'])).out).toContain(`Nobody runs ann now: \`${back}\` brings it back.`);
  const assign = call('assign_task', { teammate: 'ann', task: 'write-x-txt' });
  const notice = call('broadcast_notice', { message: 'hello', to: ['ann'] });
  const server = await startModelServer(oneTeammate([assign, notice, MERGE, RELEASE]));
  const run = await runXz(ws, ['once', 'something else', '--team', '--yes', '--json'], { env: modelEnv(server) });
  expect(run.code, run.err).toBe(0);
  const told = toldLead(server.requests);
  expect(told).toContain(`ann: waits in another session, nobody runs it here (the person can bring it back: \`${back}\``);
  expect(told.match(new RegExp(`ann belongs to another session, ${session}, and nobody runs it here`, 'g')), told).toHaveLength(2);
  expect(told).toMatch(/Landed as [\s\S]*ann is released/);
  expect(ws.read('x.txt')).toBe('x\n');
  const reason = 'another session leads the team now';
  expect(await taskOf(ws)).toMatchObject({ state: 'pending', attempts: 1, failures: [{ agent: 'ann', error: reason }] });
});

test('a teammate of a killed session comes back with the command that team status names', async () => {
  const { ws, session } = await killedAtWork();
  const server = await startModelServer(oneTeammate([SPAWN, COLLECT, MERGE]));
  const run = await runXz(ws, ['once', '--resume', '--session', session, '--team', '--yes', '--json'], { env: modelEnv(server) });
  expect(run.code, run.err).toBe(0);
  expect(JSON.parse(run.out)).toMatchObject({ session, team: { landed: true } });
  expect(await taskOf(ws)).toMatchObject({ state: 'completed', landed: true, attempts: 0 });
});

for (const how of ['resumed', 'followed by another one'] as const)
  test(`a claim whose holder the roster has lost is taken back when the session is ${how}, and the worktree with its work is named`, async () => {
    const { ws } = await killedAtWork();
    rmSync(ws.path('.Mailbox'), { recursive: true });
    const doctor = await runXz(ws, ['doctor']);
    expect(doctor.out + doctor.err).toMatch(
      /\.worktrees\/ann belongs to no teammate: branch xz\/ann\/1, 0 commit\(s\) not landed, 1 uncommitted file/,
    );
    const server = await startModelServer(oneTeammate([SPAWN, COLLECT]));
    const rest = how === 'resumed' ? ['--resume'] : ['something else'];
    const run = await runXz(ws, ['once', ...rest, '--team', '--yes', '--json', '--timeout', '20'], { env: modelEnv(server) });
    expect(run.err).toContain('.worktrees/ann belongs to no teammate any more and holds 1 uncommitted file(s) on branch xz/ann/1');
    expect((await taskOf(ws)).failures, run.err).toMatchObject([{ agent: 'ann' }]);
    expect((await taskOf(ws)).state).not.toBe('in_progress');
    expect(ws.read('.worktrees/ann/x.txt')).toBe('x\n');
  });

test('files in the box of a teammate that are no mail are named to the person, once each, and its work goes on', async () => {
  const ws = tempWorkspace();
  const server = await startModelServer(
    oneTeammate([SPAWN, COLLECT, MERGE, RELEASE], (own) => {
      if (saidIn(own) > 0) return undefined;
      for (const [file, text] of [
        ['3-0zzzz1-notice.json', '{"a":'],
        ['by-hand.json', '[1]'],
      ] as const) {
        ws.write(`.Mailbox/ann/new/${file}`, text);
        // Old enough to be taken for what it is.
        utimesSync(ws.path(`.Mailbox/ann/new/${file}`), 1, 1);
      }
      return undefined;
    }),
  );
  const run = await runXz(ws, TEAM, { env: modelEnv(server) });
  expect(run.code, run.err).toBe(0);
  for (const file of ['3-0zzzz1-notice.json', 'by-hand.json']) {
    const lines = run.err.split('\n').filter((line) => line.includes(`.Mailbox/ann/new/${file}: `));
    expect(lines, run.err).toHaveLength(1);
    expect(lines[0]).toContain(`moved aside to ${file}.bad-`);
  }
  expect(ws.read('x.txt')).toBe('x\n');
});

test('a roster entry that cannot be read is named by the commands about the team', async () => {
  const ws = tempWorkspace({ files: { 'README.md': '', '.Mailbox/ann/agent.json': '{"name":' } });
  utimesSync(ws.path('.Mailbox/ann/agent.json'), 1, 1);
  const named = `xz: ${ws.path('.Mailbox/ann/agent.json')}: `;
  expect(await runXz(ws, ['team', 'status'])).toMatchObject({ code: 0, err: expect.stringContaining(named) });
  expect(ws.has('.Mailbox/ann/agent.json')).toBe(true);
  expect(await runXz(ws, ['team', 'merge', 'ann'])).toMatchObject({ code: 1, err: expect.stringContaining(named) });
});
