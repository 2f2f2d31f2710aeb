// What a teammate leaves when it goes, or when its lead is killed: unread mail, claims, files; and who is told of it.
import { expect, test } from 'vitest';
import { COLLECT, call, MERGE, oneTeammate, SPAWN, saidIn, toldLead } from '../fixtures/one-teammate.ts';
import { leadOf } from '../fixtures/team-model.ts';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
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
