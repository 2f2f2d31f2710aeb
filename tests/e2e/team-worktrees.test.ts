// Where teammates work, from outside: a workspace inside a repository, and worktrees that are not taken away.
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COLLECT, call, MERGE, oneTeammate, SPAWN, saidIn, toldLead } from '../fixtures/one-teammate.ts';
import { leadOf } from '../fixtures/team-model.ts';
import { modelEnv, sentText, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';

const RELEASE = call('release_teammate', { name: 'ann' });
const TEAM = ['once', 'have x.txt written', '--team', '--yes', '--json'];

test('in a workspace inside the repository a teammate stands in that folder, cannot write beside it, and its work lands there', async () => {
  const ws = tempWorkspace({ files: { 'x.txt': 'top\n', 'pkg/a/x.txt': 'a\n', 'pkg/b/y.txt': 'b\n' } });
  ws.write('pkg/a/mine.txt', 'uncommitted\n');
  const ann = [
    {
      calls: [
        { name: 'read_file', args: { path: 'x.txt' } },
        { name: 'read_file', args: { path: '../b/y.txt' } },
        { name: 'write_file', args: { path: '../../x.txt', content: 'spoiled\n' } },
        { name: 'bash', args: { command: 'pwd; git rev-parse --show-prefix' } },
      ],
    },
    call('write_file', { path: 'x.txt', content: 'hers\n' }),
  ];
  const server = await startModelServer(oneTeammate([SPAWN, COLLECT, MERGE], (body) => ann[saidIn(body)] ?? { text: 'x is written' }));
  const run = await runXz(ws, [...TEAM, '--workspace', ws.path('pkg/a')], { env: modelEnv(server) });
  expect(run.code, run.err).toBe(0);
  expect(JSON.parse(run.out)).toMatchObject({ changedFiles: ['x.txt'], team: { landed: true } });
  const asked = server.requests.filter(({ body }) => body.tools !== undefined && !leadOf(body)).at(-1)?.body.messages ?? [];
  const [mine, beside, above, shell] = asked.filter((message) => message.role === 'tool').map(sentText);
  expect(mine).toContain('a');
  for (const refused of [beside, above]) expect(refused).toContain('is outside');
  expect(shell).toContain(`${ws.path('pkg/a/.worktrees/ann/pkg/a')}\npkg/a/`);
  expect(sentText(asked[0])).toContain("uncommitted files of the person's checkout: mine.txt");
  expect([ws.read('x.txt'), ws.read('pkg/a/x.txt')]).toEqual(['top\n', 'hers\n']);
});

test('in a workspace inside the repository, too, a lead that changed files is not given a worktree without them', async () => {
  const ws = tempWorkspace({ files: { 'pkg/a/x.txt': 'a\n' } });
  const server = await startModelServer(oneTeammate([call('write_file', { path: 'new.txt', content: 'n\n' }), SPAWN]));
  await runXz(ws, [...TEAM, '--workspace', ws.path('pkg/a')], { env: modelEnv(server) });
  const told = server.requests
    .filter(({ body }) => body.tools !== undefined)
    .at(-1)
    ?.body.messages.map(sentText)
    .join('\n');
  expect(told).toContain('a worktree would not have them: new.txt');
});

const statusOf = async (ws: Workspace) => JSON.parse((await runXz(ws, ['team', 'status', '--json'])).out).teammates;
const doctorOf = async (ws: Workspace) =>
  JSON.parse((await runXz(ws, ['doctor', '--json'])).out).checks.filter((check: { name: string }) => check.name === 'worktrees');

test('a worktree that stays at a release is named with its files everywhere, its commits have landed, and a later ann does not hide it', async () => {
  const ws = tempWorkspace({ files: { 'd1/a.txt': 'a\n', 'd2/b.txt': 'b\n' } });
  ws.git('sparse-checkout', 'set', 'd1');
  const work = call('bash', { command: 'echo more >> d1/a.txt; mkdir -p d2; echo new > d2/new.txt' });
  const ann = (body: Parameters<typeof saidIn>[0]) => (saidIn(body) === 0 ? work : undefined);
  const server = await startModelServer(oneTeammate([SPAWN, COLLECT, MERGE, RELEASE], ann));
  const run = await runXz(ws, TEAM, { env: modelEnv(server) });
  const kept = { worktree: '.worktrees/ann', why: 'it has uncommitted files', files: ['d2/new.txt'] };
  const answer = JSON.parse(run.out);
  expect(answer.team).toEqual({
    landed: true,
    teammates: [{ name: 'ann', task: 'write-x-txt', state: 'ended', branch: 'xz/ann/1', landed: true, kept }],
  });
  // Nothing is asked of the lead: there is nothing to merge.
  expect(answer.text).toBe('that is all');
  expect(toldLead(server.requests)).not.toContain('[Note from the harness]');
  const words = 'ts worktree .worktrees/ann is kept: it has uncommitted files (d2/new.txt); look into that folder, then release ann again';
  expect(toldLead(server.requests)).toContain(`ann is released. I${words}`);
  expect(run.err).toContain(`ann: i${words}`);
  expect(run.err).not.toContain('has not landed');
  expect(await statusOf(ws)).toMatchObject([{ name: 'ann', state: 'ended', unfinished: false, kept }]);
  const status = await runXz(ws, ['team', 'status']);
  expect(status.out).toContain('its worktree .worktrees/ann is kept: it has uncommitted files (d2/new.txt)');
  expect(status.out).not.toContain('not landed');
  expect(await doctorOf(ws)).toMatchObject([{ status: 'warning', fix: expect.stringContaining('xz team release ann') }]);

  const again = await startModelServer(oneTeammate([SPAWN, COLLECT]));
  await runXz(ws, TEAM, { env: modelEnv(again) });
  expect(toldLead(again.requests)).toContain('The worktree .worktrees/ann of an earlier ann stays: it has uncommitted files (d2/new.txt).');
  expect(ws.read('.worktrees/ann/d2/new.txt')).toBe('new\n');
  expect(JSON.stringify(await doctorOf(ws))).toContain('.worktrees/ann belongs to no teammate: branch xz/ann/1');
});

test('a worktree kept for its submodule goes with the second release, once what was in the way is gone', async () => {
  const ws = tempWorkspace();
  const lib = tempWorkspace({ files: { 'lib.txt': 'l\n' } });
  ws.git('-c', 'protocol.file.allow=always', 'submodule', '-q', 'add', lib.dir, 'lib');
  ws.git('commit', '-qm', 'a submodule');
  const work = call('bash', { command: 'git -c protocol.file.allow=always submodule -q update --init; echo d > lib/dirty.txt' });
  const ann = (body: Parameters<typeof saidIn>[0]) => (saidIn(body) === 0 ? work : undefined);
  const server = await startModelServer(oneTeammate([SPAWN, COLLECT, MERGE, RELEASE], ann));
  const run = await runXz(ws, TEAM, { env: modelEnv(server) });
  const kept = { worktree: '.worktrees/ann', files: ['lib/dirty.txt'] };
  expect(JSON.parse(run.out).team).toMatchObject({ landed: true, teammates: [{ landed: true, kept }] });
  const still = await runXz(ws, ['team', 'release', 'ann']);
  expect(still).toMatchObject({ code: 0, out: expect.stringContaining('submodule lib has uncommitted files (lib/dirty.txt)') });
  rmSync(ws.path('.worktrees/ann/lib/dirty.txt'));
  expect(await runXz(ws, ['team', 'release', 'ann'])).toMatchObject({ code: 0, out: 'ann is released.\n' });
  expect(await statusOf(ws)).toEqual([]);
  expect(ws.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
});
