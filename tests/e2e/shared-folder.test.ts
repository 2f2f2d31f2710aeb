// Two teammates in one folder, without worktrees: what one has changed since the other read it is not written over, also
// when commands made the change or one ran meanwhile; and everybody can see who changed what.
import { expect, test } from 'vitest';
import { call } from '../fixtures/one-teammate.ts';
import { leadOf } from '../fixtures/team-model.ts';
import type { Reply } from '../helpers/model-reply.ts';
import { modelEnv, type SentBody, sentText, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';

const TEAM = ['once', 'work side by side', '--team', '--yes', '--json'];
const SPAWN: Reply = {
  calls: ['ann', 'bob'].map((name) => ({ name: 'spawn_teammate', args: { name, task: `the part of ${name}`, worktree: false } })),
};

/** Something that is waited for before a reply goes out, or that a request tells of. */
function moment() {
  let happens = () => {};
  const reached = new Promise<void>((resolve) => {
    happens = resolve;
  });
  return { reached, happens };
}

/** A step of a teammate: what the request before it tells of, what it waits for, and the reply. */
interface Step {
  readonly tells?: { happens(): void };
  readonly waits?: { reached: Promise<void> };
  readonly reply: Reply | (() => Reply | Promise<Reply>);
}

const answersIn = (body: SentBody) => body.messages.filter((message) => message.role === 'tool').map(sentText);

async function play(ws: Workspace, steps: Readonly<Record<'ann' | 'bob', readonly Step[]>>) {
  const heard = { Lead: '', ann: [''], bob: [''] };
  const server = await startModelServer(async (body) => {
    if (body.tools === undefined) return { text: 'Title' };
    const said = body.messages.filter((message) => message.role === 'assistant').length;
    if (leadOf(body)) {
      heard.Lead = body.messages.map(sentText).join('\n');
      if (said === 0) return SPAWN;
      const done = heard.Lead.includes('[Result from ann') && heard.Lead.includes('[Result from bob');
      return done ? { text: 'both are done' } : call('collect_results', { wait_seconds: 30 });
    }
    const name = body.messages.some((message) => sentText(message).includes('the part of ann')) ? 'ann' : 'bob';
    heard[name] = answersIn(body);
    const step = steps[name][said];
    step?.tells?.happens();
    await step?.waits?.reached;
    return (typeof step?.reply === 'function' ? step.reply() : step?.reply) ?? { text: 'done' };
  });
  const env = modelEnv(server);
  const run = await runXz(ws, TEAM, { env });
  expect(run.code, run.err).toBe(0);
  return { heard };
}

const both = (...replies: readonly Reply[]): Reply => ({ calls: replies.flatMap((reply) => reply.calls ?? []) });
const read = (...paths: readonly string[]): Reply => ({ calls: paths.map((path) => ({ name: 'read_file', args: { path } })) });
const write = (path: string, content: string) => call('write_file', { path, content });
const edit = (path: string, old_text: string, new_text: string) => call('edit_file', { path, old_text, new_text });
const bash = (command: string) => call('bash', { command });

test('what the other has changed since it was read is not written over, by tool or by command, also after a command of one’s own', async () => {
  const annHasRead = moment();
  const bobHasWritten = moment();
  const ws = tempWorkspace({ files: { 'x.txt': 'x\n', 'y.txt': 'y\n', 'z.txt': 'z\n' } });
  const { heard } = await play(ws, {
    ann: [
      { reply: read('x.txt', 'y.txt', 'z.txt') },
      { tells: annHasRead, waits: bobHasWritten, reply: bash('true') },
      { reply: both(edit('y.txt', 'y', 'Y'), write('x.txt', 'ann\n')) },
      { reply: read('x.txt', 'y.txt') },
      { reply: both(write('x.txt', 'bob and ann\n'), edit('y.txt', 'y', 'Y')) },
      { reply: bash("printf 'zz\\n' > z.txt; printf 'new\\n' > made.txt") },
      { reply: edit('z.txt', 'zz', 'z of ann') },
    ],
    bob: [
      { waits: annHasRead, reply: read('x.txt') },
      { reply: both(write('x.txt', 'bob\n'), bash("printf 'of bob\\n' >> y.txt")) },
      { tells: bobHasWritten, reply: { text: 'done' } },
    ],
  });
  const [, , , , editY, writeX, , , writeAgain, editAgain, , editOwn] = heard.ann;
  expect(editY).toMatch(/y\.txt changed since you read it \(last by bob\); nothing was written/);
  expect(writeX).toMatch(/x\.txt changed since you read it \(last by bob\); nothing was written/);
  expect([writeAgain, editAgain, editOwn]).toEqual([
    expect.stringContaining('wrote x.txt'),
    expect.stringContaining('edited y.txt'),
    expect.stringContaining('edited z.txt'),
  ]);
  expect([ws.read('x.txt'), ws.read('y.txt'), ws.read('z.txt')]).toEqual(['bob and ann\n', 'Y\nof bob\n', 'z of ann\n']);
});

test('a change that may be of either’s command must be read by both before they write', async () => {
  const ws = tempWorkspace({ files: { 'z.txt': 'z\n' } });
  const { heard } = await play(ws, {
    ann: [
      { reply: read('z.txt') },
      { reply: bash('touch ann-runs; until [ -e bob-did ]; do sleep 0.02; done') },
      { reply: edit('z.txt', 'z', 'Z') },
    ],
    bob: [{ reply: bash("until [ -e ann-runs ]; do sleep 0.02; done; printf 'bob\\n' >> z.txt; touch bob-did") }],
  });
  expect(heard.ann.at(-1)).toMatch(/z\.txt changed since you read it/);
  expect(ws.read('z.txt')).toBe('z\nbob\n');
});

test('of two that make the same file the second is told, and who changed what can be seen while they work', async () => {
  const ws = tempWorkspace();
  const annHasWritten = moment();
  const looked = moment();
  const status = { json: '', plain: '' };
  const { heard } = await play(ws, {
    ann: [
      { reply: both(write('n.txt', 'ann\n'), bash("printf 'x\n' > by-command.txt")) },
      { tells: annHasWritten, waits: looked, reply: { text: 'done' } },
    ],
    bob: [
      { waits: annHasWritten, reply: write('n.txt', 'bob\n') },
      {
        tells: looked,
        reply: async () => {
          status.json = (await runXz(ws, ['team', 'status', '--json'])).out;
          status.plain = (await runXz(ws, ['team', 'status'])).out;
          return { text: 'done' };
        },
      },
    ],
  });
  expect(heard.bob.at(-1)).toContain('n.txt is there and you have not read it (last by ann)');
  expect(ws.read('n.txt')).toBe('ann\n');
  const mates: Array<{ name: string; files: string[] }> = JSON.parse(status.json).teammates;
  expect(mates.map(({ name, files }) => [name, files])).toEqual([
    ['ann', ['by-command.txt', 'n.txt']],
    ['bob', []],
  ]);
  expect(status.plain).toContain('ann has changed by-command.txt, n.txt');
});
