// Where teammates work, from outside: a workspace inside a repository, and worktrees that are not taken away.
import { expect, test } from 'vitest';
import { COLLECT, call, MERGE, oneTeammate, SPAWN, saidIn } from '../fixtures/one-teammate.ts';
import { leadOf } from '../fixtures/team-model.ts';
import { modelEnv, sentText, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

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
