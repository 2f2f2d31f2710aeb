// The team from outside: three teammates in three worktrees at once, one sent back, all merged, nothing left behind.
import { afterEach, describe, expect, test } from 'vitest';
import { leadOf, NAMES, teamModel } from '../fixtures/team-model.ts';
import type { Reply } from '../helpers/model-reply.ts';
import {
  inOrder,
  type ModelServer,
  modelEnv,
  offeredTools,
  pairingFault,
  type Respond,
  type SentBody,
  sentText,
  startModelServer,
} from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempFolder, tempWorkspace } from '../helpers/temp.ts';

const servers: ModelServer[] = [];
const serve = async (respond: Respond): Promise<ModelServer> => {
  const server = await startModelServer(respond);
  servers.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

const TEAM = ['once', 'build three parts with the team', '--team', '--yes', '--json'];

describe('xz once --team', () => {
  test('three teammates write three files at once, one is revised, all land', async () => {
    const ws = tempWorkspace({ files: { 'README.md': '# demo\n' } });
    let together = 0;
    const waiting: Array<() => void> = [];
    const model = teamModel({ reviseFirst: 'bob' });
    // The first request of each teammate is held until all three are there: they do run side by side.
    const server = await serve(async (body) => {
      if (!leadOf(body) && body.tools !== undefined && body.messages.every((m) => m.role !== 'assistant')) {
        together++;
        if (together < 3) await new Promise<void>((resolve) => waiting.push(resolve));
        else for (const go of waiting) go();
      }
      return model(body);
    });
    const run = await runXz(ws, TEAM, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    const answer = JSON.parse(run.out);
    expect(answer).toMatchObject({ stopReason: 'done', text: 'All parts are merged.', team: { landed: true } });
    expect(answer.team.teammates.map((one: { name: string }) => one.name).sort()).toEqual([...NAMES]);
    for (const name of NAMES) expect(ws.read(`parts/${name}.txt`)).toBe(name === 'bob' ? 'made by bob, better\n' : `made by ${name}\n`);
    expect(server.peak()).toBeGreaterThanOrEqual(3);
    expect(ws.git('status', '--porcelain').trim()).toBe('');
    expect(ws.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(ws.git('branch', '--list', 'xz/*').trim()).toBe('');
    expect(server.requests.map((request) => pairingFault(request.body)).filter(Boolean)).toEqual([]);
    const teammates = server.requests.filter(({ body }) => !leadOf(body) && body.tools !== undefined);
    for (const { body } of teammates)
      for (const tool of ['agent', 'dispatch_task', 'spawn_teammate', 'create_task', 'update_task', 'schedule_task'])
        expect(offeredTools(body)).not.toContain(tool);
    expect(offeredTools(teammates[0]?.body ?? { model: '', messages: [] })).toContain('send_notice');
    // Claimed beside observed reached the lead, with the command that was really run.
    const told = server.requests
      .filter(({ body }) => leadOf(body))
      .map(({ body }) => body.messages.map(sentText).join('\n'))
      .join('\n');
    expect(told).toMatch(/Claimed:\nfinished part-ann[\s\S]*?Observed: cat parts\/ann\.txt → exit 0/);
  });

  test('a message sent from another process reaches a working teammate at its next tool boundary, once', async () => {
    const ws = tempWorkspace({ files: { 'README.md': '# demo\n' } });
    const model = teamModel({});
    let sent: ReturnType<typeof runXz> | undefined;
    const server = await serve(async (body) => {
      const ofAnn = !leadOf(body) && body.tools !== undefined && body.messages.some((message) => sentText(message).includes('part-ann'));
      if (ofAnn && sent === undefined) {
        sent = runXz(ws, ['mail', 'send', 'ann', 'the deadline has moved']);
        expect((await sent).code).toBe(0);
      }
      const heard = body.messages.some((message) => sentText(message).includes('the deadline has moved'));
      if (ofAnn && !heard) return { calls: [{ name: 'bash', args: { command: 'sleep 0.1' } }] };
      return model(body);
    });
    const run = await runXz(ws, TEAM, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    const last = server.requests.filter(({ body }) => !leadOf(body) && body.messages.some((m) => sentText(m).includes('part-ann'))).at(-1);
    expect(last?.body.messages.map(sentText).join('\n').split('the deadline has moved')).toHaveLength(2);
    expect(JSON.parse(run.out).team.landed).toBe(true);
  });

  test('whose result is handed out is not told as still at work on it', async () => {
    const server = await serve((body) => {
      if (!leadOf(body)) return { text: 'all of it' };
      const said = body.messages.filter((message) => message.role === 'assistant').length;
      if (said === 0) return { calls: [{ name: 'spawn_teammate', args: { name: 'ann', task: 'read all of it' } }] };
      return said === 1 ? { calls: [{ name: 'collect_results', args: { wait_seconds: 30 } }] } : { text: 'done' };
    });
    const run = await runXz(tempWorkspace(), TEAM, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    const heard = server.requests
      .map(({ body }) => body.messages.map(sentText).join('\n'))
      .find((text) => text.includes('[Result from ann'));
    expect(heard).toContain('all of it');
    expect(heard).not.toContain('Still at work');
  });

  test('where there is no repository the team works in the folder and says so', async () => {
    const folder = tempFolder();
    const ws = { ...tempWorkspace({ git: false }), dir: folder };
    const server = await serve(teamModel({}));
    const run = await runXz(ws, TEAM, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    expect(run.err).toContain('works in the main folder: not a repository');
    const told = server.requests
      .filter(({ body }) => leadOf(body))
      .at(-1)
      ?.body.messages.map(sentText)
      .join('\n');
    expect(told).toContain('MAIN FOLDER');
  });

  test('a branch without a commit: the team works in the folder and makes no commit of its own', async () => {
    const ws = tempWorkspace({ git: false });
    ws.git('init', '-q', '-b', 'trunk');
    const server = await serve(teamModel({}));
    const run = await runXz(ws, TEAM, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    expect(run.err).toContain('no commit yet');
    expect(() => ws.git('rev-parse', '--verify', 'HEAD')).toThrow();
    for (const name of NAMES) expect(ws.has(`parts/${name}.txt`)).toBe(true);
  });

  test('a team works and lands in a folder with blanks, quotes and Chinese in its path, on a detached HEAD', async () => {
    const ws = tempWorkspace({ name: "my repo's (x)/项目" });
    ws.git('checkout', '-q', '--detach');
    const server = await serve(teamModel({ reviseFirst: 'bob' }));
    const run = await runXz(ws, TEAM, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    expect(JSON.parse(run.out)).toMatchObject({ text: 'All parts are merged.', team: { landed: true } });
    for (const name of NAMES) expect(ws.read(`parts/${name}.txt`)).toContain(`made by ${name}`);
    expect(ws.git('status', '--porcelain').trim()).toBe('');
    expect(ws.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(() => ws.git('symbolic-ref', '-q', 'HEAD')).toThrow();
  });

  test('work that nobody merged is told once, and the answer says that it has not landed', async () => {
    const ws = tempWorkspace();
    const server = await serve(spawnOnly());
    const run = await runXz(ws, TEAM, { env: modelEnv(server) });
    expect(run.code, run.err).toBe(0);
    expect(JSON.parse(run.out)).toMatchObject({ team: { landed: false, teammates: [{ name: 'ann', landed: false, branch: 'xz/ann/1' }] } });
    expect(run.err).toContain('ann (xz/ann/1)');
    const reminders = server.requests.filter(({ body }) => leadOf(body) && JSON.stringify(body.messages.at(-1)).includes('has not landed'));
    expect(reminders).toHaveLength(1);
    expect(ws.git('show', 'xz/ann/1:x.txt')).toBe('x\n');
  });

  test('xz team shows, logs and merges what a run left, and releases it', async () => {
    const ws = tempWorkspace();
    const server = await serve(spawnOnly());
    expect(JSON.parse((await runXz(ws, ['team', 'status', '--json'])).out)).toEqual({ enabled: false, max: 3, teammates: [] });
    expect(ws.has('.agents')).toBe(false);
    await runXz(ws, TEAM, { env: modelEnv(server) });
    const status = JSON.parse((await runXz(ws, ['team', 'status', '--json'])).out);
    expect(status).toMatchObject({
      enabled: false,
      teammates: [{ name: 'ann', branch: 'xz/ann/1', unfinished: true, task: 'write-x-txt' }],
    });
    expect(await runXz(ws, ['team', 'merge', 'bob'])).toMatchObject({ code: 1, err: expect.stringContaining('there are: ann') });
    expect(await runXz(ws, ['team', 'merge', 'ann'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Landed as \w+ \(gate: none\)/),
    });
    expect(ws.read('x.txt')).toBe('x\n');
    expect(await runXz(ws, ['team', 'release', 'ann'])).toMatchObject({ code: 0, err: '' });
    expect(ws.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    const log = JSON.parse((await runXz(ws, ['team', 'log', '--json'])).out);
    expect(log.items.map((item: { kind: string }) => item.kind)).toEqual(
      expect.arrayContaining(['team', 'spawn', 'task', 'state', 'result', 'merge', 'release']),
    );
    const tasks = JSON.parse((await runXz(ws, ['task', 'list', '--all', '--json'])).out);
    expect(tasks.items).toMatchObject([{ id: 'write-x-txt', state: 'completed', landed: true }]);
  });

  test('work of an earlier session that has not landed is not called landed', async () => {
    const ws = tempWorkspace();
    await runXz(ws, TEAM, { env: modelEnv(await serve(spawnOnly())) });
    const server = await serve(() => ({ text: 'nothing to do' }));
    const run = await runXz(ws, ['once', 'look', '--team', '--yes', '--json'], { env: modelEnv(server) });
    expect(JSON.parse(run.out)).toMatchObject({ text: 'nothing to do', team: { landed: false } });
    expect(run.err).toContain('ann (xz/ann/1)');
    // What another session left is told, and this lead is not asked to land it.
    expect(server.requests.filter(({ body }) => body.tools !== undefined)).toHaveLength(1);
  });

  test('a task for nobody makes no task; arguments that are no object are answered; mail to the lead is read with the team off', async () => {
    const ws = tempWorkspace();
    const server = await serve(
      inOrder(
        {
          calls: [
            { name: 'assign_task', args: { teammate: 'zed', task: 'orphan work' } },
            { name: 'list_tasks', args: '[]' },
          ],
        },
        { text: 'nobody is there' },
      ),
    );
    expect(await runXz(ws, TEAM, { env: modelEnv(server) })).toMatchObject({ code: 0 });
    const answers = server.requests[1]?.body.messages.filter((message) => message.role === 'tool').map(sentText);
    expect(answers?.[0]).toContain('there is no teammate "zed"');
    expect(answers?.[1]).toContain('must be a JSON object');
    expect(JSON.parse((await runXz(ws, ['task', 'list', '--json'])).out).total).toBe(0);
    expect(await runXz(ws, ['mail', 'send', 'Lead', 'MAIL-X', '--type', 'task'])).toMatchObject({ code: 0 });
    const off = await serve((body) => ({ text: body.messages.map(sentText).join().includes('MAIL-X') ? 'read it' : 'hello' }));
    expect(await runXz(ws, ['once', 'hi'], { env: modelEnv(off) })).toMatchObject({ code: 0, out: 'read it\n' });
  });

  test('xz team init writes the set-up file once', async () => {
    const ws = tempWorkspace();
    expect(await runXz(ws, ['team', 'init'])).toMatchObject({ code: 0 });
    expect(ws.read('.worktrees/setup.toml')).toContain('gate');
    expect(await runXz(ws, ['team', 'init'])).toMatchObject({ code: 1, err: expect.stringContaining('there already') });
    expect(ws.git('status', '--porcelain').trim()).toBe('?? .worktrees/');
  });
});

/** A lead that spawns ann for one file and merges nothing. */
function spawnOnly(): Respond {
  return (body: SentBody): Reply => {
    if (body.tools === undefined) return { text: 'Title' };
    const begun = body.messages.some((m) => m.role === 'assistant');
    if (!leadOf(body)) return begun ? { text: 'done' } : { calls: [{ name: 'write_file', args: { path: 'x.txt', content: 'x\n' } }] };
    return begun
      ? { text: 'spawned' }
      : { calls: [{ name: 'spawn_teammate', args: { name: 'ann', task: 'write x.txt', worktree: true } }] };
  };
}
