// Switching the team on and off in a running session: who may, what it changes at once, and what is kept.
import { expect, test } from 'vitest';
import { processesOf } from '../crash/left.ts';
import { call, saidIn } from '../fixtures/one-teammate.ts';
import { leadOf } from '../fixtures/team-model.ts';
import type { Reply } from '../helpers/model-reply.ts';
import { modelEnv, offeredTools, type Respond, type SentBody, sentText, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';

const TEAM_TOOLS = [
  'spawn_teammate',
  'assign_task',
  'collect_results',
  'review_teammate',
  'merge_teammate',
  'release_teammate',
  'broadcast_notice',
];
const textOf = (body: SentBody) => body.messages.map(sentText).join('\n');

/** The lead's requests, in order. */
const ofLead = (requests: ReadonlyArray<{ readonly body: SentBody }>) =>
  requests.map(({ body }) => body).filter((body) => body.tools !== undefined && leadOf(body));

/** Plays the lead's replies in order, over all of its turns; each teammate writes a file of its name. */
function conversation(lead: readonly Reply[], teammate?: (body: SentBody) => Reply | undefined): Respond {
  return (body) => {
    if (body.tools === undefined) return { text: 'Title' };
    if (leadOf(body)) return lead[saidIn(body)] ?? { text: 'that is all' };
    const own = teammate?.(body);
    if (own !== undefined) return own;
    const name = /work of (\w+)/.exec(textOf(body))?.[1] ?? 'nobody';
    return saidIn(body) === 0 ? call('write_file', { path: `${name}.txt`, content: `${name}\n` }) : { text: `${name} has written` };
  };
}

async function repl(ws: Workspace, respond: Respond, lines: readonly string[]) {
  const server = await startModelServer(respond);
  const run = await runXz(ws, ['--repl', '--mode', 'yolo'], { env: modelEnv(server), input: `${lines.join('\n')}\n` });
  expect(run.code, run.err).toBe(0);
  return { run, lead: ofLead(server.requests) };
}

test('/team on gives the tools in the running session, with the settings of [team]; /team off takes them, ends all and names what is kept', async () => {
  const ws = tempWorkspace();
  ws.write('../home/.xz/config.toml', '[team]\nmax = 1\nworktrees = true\n');
  const { run, lead } = await repl(
    ws,
    conversation([
      { text: 'it would go faster with a team' },
      call('spawn_teammate', { name: 'ann', task: 'work of ann' }),
      call('spawn_teammate', { name: 'bob', task: 'work of bob' }),
      call('collect_results', { wait_seconds: 60 }),
      { text: 'ann has written' },
      { text: 'alone again' },
      call('spawn_teammate', { name: 'bob', task: 'work of bob' }),
      call('collect_results', { wait_seconds: 60 }),
    ]),
    ['a large request', '/team on', '/team on', 'now share it', '/team off', 'and now', '/team on', 'with bob, then', '/team off', '/team'],
  );
  const [off, on, , , , offAgain, onAgain] = lead;
  expect(offeredTools(off ?? { model: '', messages: [] }).filter((name) => TEAM_TOOLS.includes(name))).toEqual([]);
  expect(textOf(off ?? { model: '', messages: [] })).toContain('Only the person can');
  expect(offeredTools(on ?? { model: '', messages: [] })).toEqual(expect.arrayContaining(TEAM_TOOLS));
  // The stored prompt of the session says that it is off; the request says what holds now.
  expect(sentText(on?.messages.at(-1))).toContain('The person has switched the team on');
  expect(offeredTools(offAgain ?? { model: '', messages: [] }).filter((name) => TEAM_TOOLS.includes(name))).toEqual([]);
  expect(offeredTools(onAgain ?? { model: '', messages: [] })).toEqual(expect.arrayContaining(TEAM_TOOLS));
  const told = textOf(lead.at(-1) ?? { model: '', messages: [] });
  expect(told).toMatch(/ann is here, in \.worktrees\/ann on branch xz\/ann\/1/);
  expect(told).toContain('the team is full: ann (at most 1)');
  // The place was free again, though ann's branch is kept.
  expect(told).toMatch(/bob is here, in \.worktrees\/bob on branch xz\/bob\/1/);
  expect(run.out).toContain('Kept because their work has not landed: xz/ann/1');
  expect(run.out).toMatch(/Kept because their work has not landed: xz\/ann\/1, xz\/bob\/1/);
  expect(ws.git('show', 'xz/ann/1:ann.txt')).toBe('ann\n');
  expect(ws.git('show', 'xz/bob/1:bob.txt')).toBe('bob\n');
  expect(ws.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(await runXz(ws, ['team', 'merge', 'ann'])).toMatchObject({ code: 0 });
  expect(ws.read('ann.txt')).toBe('ann\n');
  expect(processesOf(ws)).toEqual([]);
});

test('teammates belong to the session: /new is refused while they are there, and another session gets a team of its own', async () => {
  const ws = tempWorkspace();
  let turn = 0;
  const replies = [
    call('spawn_teammate', { name: 'ann', task: 'work of ann', worktree: false }),
    call('collect_results', { wait_seconds: 60 }),
    { text: 'ann is done' },
    call('release_teammate', { name: 'ann' }),
    { text: 'released' },
    call('spawn_teammate', { name: 'bob', task: 'work of bob', worktree: false }),
    call('collect_results', { wait_seconds: 60 }),
    { text: 'bob is done' },
  ];
  const model = conversation([]);
  const server = await startModelServer((body, n, request) =>
    body.tools !== undefined && leadOf(body) ? (replies[turn++] ?? { text: 'that is all' }) : model(body, n, request),
  );
  const lines = ['/team on', 'with ann', '/new', 'let her go', '/new', 'with bob', '/team off'];
  const run = await runXz(ws, ['--repl', '--mode', 'yolo'], { env: modelEnv(server), input: `${lines.join('\n')}\n` });
  expect(run.code, run.err).toBe(0);
  expect(run.out).toContain('the team belongs to this session: ann');
  expect(run.out.match(/A new session\./g)).toHaveLength(1);
  const last = ofLead(server.requests).findLast((body) => textOf(body).includes('with bob'));
  expect(textOf(last ?? { model: '', messages: [] })).toContain('Claimed:\nbob has written');
  expect(textOf(last ?? { model: '', messages: [] })).not.toContain('with ann');
  const sessions: Array<{ id: string; title: string }> = JSON.parse((await runXz(ws, ['history', 'list', '--json'])).out).items;
  const second = sessions.find((one) => one.title.includes('bob'))?.id;
  expect(JSON.parse(ws.read('.Mailbox/Lead/agent.json')).session).toBe(second);
});

test('nothing that the lead runs switches a team on: no setting, no flag, no variable, no session of its own', async () => {
  const ws = tempWorkspace();
  const commands = [
    'xz config set team.enabled true',
    'xz config set permissions.mode yolo',
    'xz config trust',
    'mkdir -p ../other && XZ_TEAM_ENABLED=1 xz once "only say hello" --team --yes --workspace ../other',
  ];
  const { run, lead } = await repl(
    ws,
    (body) => {
      if (textOf(body).includes('only say hello')) return body.tools === undefined ? { text: 'Title' } : { text: 'hello' };
      return conversation([...commands.map((command) => call('bash', { command })), { text: 'I cannot' }])(body, 0, {
        path: '',
        headers: {},
        body,
        closed: false,
      });
    },
    ['switch the team on yourself', 'and now?'],
  );
  expect(run.out).toContain('I cannot');
  const last = lead.findLast((body) => !textOf(body).includes('only say hello') || body.messages.some(({ role }) => role === 'tool'));
  const answers = (last?.messages ?? []).filter(({ role }) => role === 'tool').map(sentText);
  for (const answer of answers.slice(0, 3)) expect(answer).toMatch(/not changed by a command that an agent runs[\s\S]*exit code 1/);
  expect(answers[3]).toMatch(/works without a team[\s\S]*hello/);
  for (const body of lead) expect(offeredTools(body).filter((name) => TEAM_TOOLS.includes(name))).toEqual([]);
  expect(ws.has('../home/.xz/config.toml')).toBe(false);
  expect(ws.has('../home/.xz/trust.json')).toBe(false);
});
