// What a teammate leaves when it goes, or when its lead is killed: unread mail, claims, files; and who is told of it.
import { expect, test } from 'vitest';
import { COLLECT, call, MERGE, oneTeammate, SPAWN } from '../fixtures/one-teammate.ts';
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
