// The rules of working together, from outside: names and limits, work that comes back, and who may lead.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COLLECT, call, MERGE, NEVER, oneTeammate, SPAWN, saidIn, toldLead } from '../fixtures/one-teammate.ts';
import { leadOf } from '../fixtures/team-model.ts';
import { type ModelServer, modelEnv, type Respond, type SentBody, sentText, startModelServer } from '../helpers/model-server.ts';
import { runXz, startXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

const TEAM = ['once', 'have x.txt written', '--team', '--yes', '--json'];

const task = async (ws: Workspace) => JSON.parse((await runXz(ws, ['task', 'list', '--all', '--json'])).out).items[0];
const textOf = (body: SentBody) => body.messages.map(sentText).join('\n');

async function play(ws: Workspace, respond: Respond, env: Readonly<Record<string, string>> = {}): Promise<ModelServer> {
  const server = await startModelServer(respond);
  const run = await runXz(ws, TEAM, { env: { ...modelEnv(server), ...env } });
  expect(run.code, run.err).toBe(0);
  return server;
}

test('names that are no names are refused before anything is made; a second ann and one too many are too', async () => {
  const ws = tempWorkspace();
  const bad = ['../../x', 'a/b', 'Lead', 'lead', 'user', 'all', 'CON', '.', 'a\nb', 'a'.repeat(300), ''];
  const lead = [
    { calls: bad.map((name) => ({ name: 'spawn_teammate', args: { name } })) },
    SPAWN,
    call('spawn_teammate', { name: 'ANN' }),
    call('spawn_teammate', { name: 'bob' }),
    call('broadcast_notice', { message: 'hello', to: ['nobody'] }),
    COLLECT,
  ];
  const server = await play(ws, oneTeammate(lead), { XZ_TEAM_MAX: '1' });
  const answers = server.requests
    .findLast(({ body }) => body.tools !== undefined && leadOf(body))
    ?.body.messages.filter((message) => message.role === 'tool')
    .map(sentText);
  expect(answers).toHaveLength(bad.length + 5);
  for (const answer of answers?.slice(0, bad.length) ?? []) expect(answer).not.toContain('is here');
  expect(answers?.[bad.length]).toContain('ann is here');
  expect(answers?.[bad.length + 1]).toMatch(/ann/);
  expect(answers?.[bad.length + 1]).not.toContain('is here');
  expect(answers?.[bad.length + 2]).toContain('the team is full: ann (at most 1)');
  expect(answers?.[bad.length + 3]).toMatch(/there is no agent "nobody"[\s\S]*known: Lead, ann/);
  expect(readdirSync(ws.path('.Mailbox')).sort()).toEqual(['.gitignore', 'Lead', 'ann']);
  expect(readdirSync(ws.path('..')).sort()).toEqual(['home', 'ws']);
});

for (const [limit, why] of [
  ['max_rounds = 1', 'rounds'],
  ['max_minutes = 0.0001', 'timeout'],
  ['max_cost_usd = 0.5', 'budget'],
] as const)
  test(`a teammate that reaches ${limit} is stopped; what it did is kept, and its task has used an attempt`, async () => {
    const ws = tempWorkspace();
    ws.write('../home/.xz/config.toml', `[team]\n${limit}\n[models."scripted"]\nprice = { input = 1000.0, output = 1000.0 }\n`);
    const again = (body: SentBody) => call('write_file', { path: `x${saidIn(body)}.txt`, content: 'x\n' });
    const server = await play(ws, oneTeammate([SPAWN, COLLECT], again));
    expect(toldLead(server.requests)).toContain(`NOT completed (${why})`);
    expect(await task(ws)).toMatchObject({ state: 'pending', attempts: 1 });
    const teammates = server.requests.filter(({ body }) => body.tools !== undefined && !leadOf(body));
    expect(teammates.length).toBeLessThan(50);
    if (teammates.length > 0) expect(ws.git('show', 'xz/ann/1:x0.txt')).toBe('x\n');
  });

test('the budget of the run covers the teammates: the next call is refused to all, and what was done is kept and told', async () => {
  const ws = tempWorkspace();
  ws.write('../home/.xz/config.toml', '[models."scripted"]\nprice = { input = 1000.0, output = 1000.0 }\n');
  const usage = { prompt_tokens: 1_000, completion_tokens: 0, total_tokens: 1_000 };
  const again = (body: SentBody) => ({ ...call('write_file', { path: `x${saidIn(body)}.txt`, content: 'x\n' }), usage });
  const server = await startModelServer(oneTeammate([SPAWN, COLLECT, { text: 'never asked' }], again));
  // A dollar for each of ann's calls; what the lead's two cost is little beside it.
  const run = await runXz(ws, [...TEAM, '--max-cost', '12'], { env: modelEnv(server) });
  expect(run.code).toBe(1);
  const answer = JSON.parse(run.out);
  expect(answer).toMatchObject({ stopReason: 'budget', team: { landed: false, teammates: [{ name: 'ann', branch: 'xz/ann/1' }] } });
  expect(answer.costUsd).toBeGreaterThanOrEqual(12);
  const teammates = server.requests.filter(({ body }) => body.tools !== undefined && !leadOf(body));
  expect(teammates.length).toBeGreaterThan(0);
  expect(teammates.length).toBeLessThanOrEqual(12);
  expect(ws.git('show', 'xz/ann/1:x0.txt')).toBe('x\n');
  expect(await task(ws)).toMatchObject({
    state: 'pending',
    attempts: 1,
    failures: [{ agent: 'ann', error: expect.stringContaining('budget') }],
  });
  expect(run.err).toContain('ann (xz/ann/1)');
});

test('set-up that was not run, or failed, is told to the lead with the spawn, to the person and to the teammate', async () => {
  const ws = tempWorkspace();
  ws.write('.worktrees/setup.toml', 'copy = ["local.json"]\nrun = ["echo set up > set-up.txt"]\n');
  const server = await startModelServer(oneTeammate([SPAWN, COLLECT]));
  const run = await runXz(ws, ['once', 'have x.txt written', '--team', '--mode', 'auto-edit'], { env: modelEnv(server) });
  expect(run.code, run.err).toBe(0);
  const notRun = 'The set-up commands of setup.toml were not run: this workspace is not trusted (`xz config trust`).';
  const missing = 'The main folder does not have local.json, which setup.toml names.';
  expect(toldLead(server.requests)).toContain(`ann is here, in .worktrees/ann on branch xz/ann/1.\n${missing}\n${notRun}`);
  for (const problem of [missing, notRun]) expect(run.err).toContain(`ann: ${problem}`);
  const prompt = server.requests.find(({ body }) => body.tools !== undefined && !leadOf(body))?.body.messages[0];
  expect(sentText(prompt)).toContain(notRun);
  expect((await runXz(ws, ['team', 'log'])).out).toContain(notRun);
});

test('a mistyped gate is no gate to be passed over: spawning, merging and doctor name it, and nothing is merged', async () => {
  const ws = tempWorkspace();
  const setup = '.worktrees/setup.toml';
  ws.write(setup, '[merge]\ngate = "false"\n');
  const mend = { calls: [{ name: 'bash', args: { command: `rm ${setup}` } }] };
  const mistype = { calls: [{ name: 'bash', args: { command: `echo 'gates = "false"' > ${setup}` } }] };
  const server = await play(ws, oneTeammate([SPAWN, mend, SPAWN, COLLECT, mistype, MERGE]));
  expect(toldLead(server.requests)).toMatch(/setup\.toml: \[merge\] is unknown[\s\S]*ann is here[\s\S]*setup\.toml: gates is unknown/);
  expect(ws.has('x.txt')).toBe(false);
  expect(await runXz(ws, ['team', 'merge', 'ann'])).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^xz: .*setup\.toml: gates is unknown.*\nhint: did you mean gate\?.*\n$/),
  });
  expect((await runXz(ws, ['team', 'merge', 'ann', '--lang', 'zh'])).err).toMatch(/不认识 gates.*\n提示: 是不是想写 gate？/);
  const doctor = await runXz(ws, ['doctor']);
  expect(doctor.code).toBe(1);
  expect(doctor.out).toMatch(/✗ worktrees +.*setup\.toml: gates is unknown.*\n +→ did you mean gate\?/);
  ws.write(setup, 'gate = [\n');
  expect((await runXz(ws, ['doctor'])).out).toMatch(/✗ worktrees +.*setup\.toml: Invalid TOML/);
  expect(ws.has('x.txt')).toBe(false);
  ws.write(setup, 'gate = "true"\n');
  expect(await runXz(ws, ['team', 'merge', 'ann', '--mode', 'yolo'])).toMatchObject({ code: 0 });
});

test('a red gate changes nothing and goes back to the teammate as a review; its next result lands', async () => {
  const test = "import assert from 'node:assert';import test from 'node:test';import { readFileSync } from 'node:fs';\n";
  const ws = tempWorkspace({
    files: { 'x.test.mjs': `${test}test('x', () => assert.equal(readFileSync('x.txt', 'utf8'), 'good\\n'));\n` },
  });
  ws.write('.worktrees/setup.toml', 'gate = "node --test"\n');
  const ann = (body: SentBody) => {
    const better = textOf(body).includes('fails the project');
    if (!better) return undefined;
    return saidIn(body) === 2 ? call('bash', { command: "printf 'good\\n' > x.txt" }) : { text: 'x is good' };
  };
  const server = await play(ws, oneTeammate([SPAWN, COLLECT, MERGE, COLLECT, MERGE], ann));
  expect(toldLead(server.requests)).toMatch(
    /The gate is red[\s\S]*Sent back to ann \(task write-x-txt is in progress again\)[\s\S]*Landed as/,
  );
  expect(ws.read('x.txt')).toBe('good\n');
  expect(await task(ws)).toMatchObject({ state: 'completed', landed: true, attempts: 0 });
});

test('a conflict changes nothing and goes back to the teammate, who merges and lands', async () => {
  const ws = tempWorkspace();
  const ann = (body: SentBody) => {
    if (!textOf(body).includes('conflicts with what has landed')) return undefined;
    const command = "git merge -q main; printf 'both\\n' > x.txt; git add -A; git commit -qm 'merge main'";
    return saidIn(body) === 2 ? call('bash', { command }) : { text: 'merged' };
  };
  let moved = false;
  const model = oneTeammate([SPAWN, COLLECT, MERGE, COLLECT, MERGE], ann);
  const server = await play(ws, (body) => {
    if (body.tools !== undefined && leadOf(body) && saidIn(body) === 2 && !moved) {
      moved = true;
      ws.write('x.txt', 'the person was here\n');
      ws.git('add', 'x.txt');
      ws.git('commit', '-qm', 'mine');
    }
    return model(body);
  });
  expect(toldLead(server.requests)).toMatch(/Conflict in x\.txt; nothing was changed\.\nSent back to ann[\s\S]*Landed as/);
  expect(ws.read('x.txt')).toBe('both\n');
  expect(await task(ws)).toMatchObject({ state: 'completed', landed: true, attempts: 0 });
});

test('a review that comes while the teammate works reaches it at its next tool boundary, once', async () => {
  const ws = tempWorkspace();
  let sent: ReturnType<typeof runXz> | undefined;
  const server = await play(
    ws,
    oneTeammate([SPAWN, COLLECT], async (body) => {
      sent ??= runXz(ws, ['mail', 'send', 'ann', 'in capitals, please', '--type', 'review']);
      expect((await sent).code).toBe(0);
      if (!textOf(body).includes('in capitals')) return call('bash', { command: 'sleep 0.1' });
      return saidIn(body) < 20 && !textOf(body).includes('x.txt written') ? { text: 'x.txt written, in capitals' } : undefined;
    }),
  );
  const teammates = server.requests.filter(({ body }) => body.tools !== undefined && !leadOf(body));
  expect(textOf(teammates.at(-1)?.body ?? { model: '', messages: [] }).split('in capitals, please')).toHaveLength(2);
  expect(readdirSync(ws.path('.Mailbox/ann/new'))).toEqual([]);
});

test('another session that takes the team takes its claims, with one attempt used; the late worker changes nothing', async () => {
  const ws = tempWorkspace();
  let hold = true;
  const server = await startModelServer((body) => {
    const other = body.messages.some((message) => sentText(message).includes('only say hello'));
    if (other) return body.tools === undefined ? { text: 'Title' } : { text: 'hello' };
    return oneTeammate([SPAWN, COLLECT], () => (hold ? NEVER : undefined))(body);
  });
  const env = modelEnv(server);
  const first = startXz(ws, TEAM, { env, input: '' });
  await until(() => server.requests.some(({ body }) => body.tools !== undefined && !leadOf(body)), 'ann at work');
  first.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 130, late: false });
  expect(await task(ws)).toMatchObject({ state: 'in_progress', attempts: 0, claim: { by: 'ann' } });
  const session = JSON.parse((await runXz(ws, ['history', 'list', '--json'])).out).items[0].id;

  expect(await runXz(ws, ['once', 'only say hello', '--team', '--yes'], { env })).toMatchObject({ code: 0, out: 'hello\n' });
  const taken = await task(ws);
  expect(taken).toMatchObject({ state: 'pending', attempts: 1, failures: [{ agent: 'ann', error: 'another session leads the team now' }] });

  hold = false;
  const back = await runXz(ws, ['once', '--session', session, '--resume', '--team', '--yes', '--json'], { env });
  expect(back.code, back.err).toBe(0);
  expect(toldLead(server.requests)).toContain('the task was not changed');
  expect(await task(ws)).toMatchObject({ state: 'pending', attempts: 1 });
});

test('a second process cannot write the same session, and one with another session works without the team and says who leads', async () => {
  const ws = tempWorkspace();
  let go = (): void => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const server = await startModelServer(async (body) => {
    if (body.messages.some((message) => sentText(message).includes('only say hello')))
      return body.tools === undefined ? { text: 'Title' } : { text: 'hello' };
    return oneTeammate([SPAWN, COLLECT, MERGE], async () => {
      await held;
      return undefined;
    })(body);
  });
  const env = modelEnv(server);
  const first = startXz(ws, TEAM, { env, input: '' });
  await until(() => readdirSync(ws.path('.Mailbox/ann/cur')).length === 1, 'ann at work');
  for (const act of ['merge', 'release'])
    expect(await runXz(ws, ['team', act, 'ann'])).toMatchObject({ code: 1, err: expect.stringMatching(/is led by xz once \(pid \d+\)/) });
  const [resumed, other] = [
    await runXz(ws, ['once', '--resume', '--team', '--yes'], { env }),
    await runXz(ws, ['once', 'only say hello', '--team', '--yes'], { env }),
  ];
  expect(resumed).toMatchObject({ code: 1, err: expect.stringMatching(/session \S+ is in use by xz once \(pid \d+\)/) });
  expect(other).toMatchObject({ code: 0, out: 'hello\n', err: expect.stringMatching(/is led by xz once \(pid \d+\)/) });
  expect(readdirSync(ws.path('.Mailbox/ann/cur'))).toHaveLength(1);
  go();
  const ended = await first.ended;
  expect(ended, ended.err).toMatchObject({ code: 0 });
  expect(await task(ws)).toMatchObject({ state: 'completed', landed: true, attempts: 0 });
});

test('a result that was claimed by a lead which was killed before it showed it is read at the next start', async () => {
  const ws = tempWorkspace();
  const server = await play(ws, oneTeammate([SPAWN, COLLECT, MERGE]));
  const id = '0mx3kzo67000a16ea8e5b6';
  const mail = { id, type: 'result', from: 'ann', to: 'Lead', at: '2026-03-03T09:00:00+00:00', body: 'a late word' };
  ws.write(`.Mailbox/Lead/cur/1-${id}-result.json`, JSON.stringify(mail));
  const run = await runXz(ws, ['once', '--resume', '--team', '--yes'], { env: modelEnv(server) });
  expect(run.code, run.err).toBe(0);
  expect(toldLead(server.requests).split('a late word')).toHaveLength(2);
  expect(readdirSync(ws.path('.Mailbox/Lead/cur'))).toEqual([]);
});
