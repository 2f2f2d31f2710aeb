// A teammate's life without its thread: real stores, a real agent, a model behind a real HTTP port.
import { expect, onTestFinished, test } from 'vitest';
import { openMailbox } from '../../mailbox/mailbox.ts';
import { systemClock } from '../../store/clock.ts';
import { openLocks } from '../../store/lock.ts';
import type { Sessions } from '../../store/sessions/sessions.ts';
import { openTasks } from '../../store/tasks/tasks.ts';
import type { AgentSetup } from '../../workers/agent/agent.ts';
import { evidenceOf } from '../../workers/evidence.ts';
import { createMember, type Member } from '../../workers/member.ts';
import { testAgent } from '../helpers/agent.ts';
import { testLayout } from '../helpers/layout.ts';
import { type ModelServer, startModelServer } from '../helpers/model-server.ts';
import { tempWorkspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

/** Ann, who has a box and waits in it; `ready` runs before each of her turns. */
async function annWith(server: ModelServer, { ready = () => {}, over = () => ({}) }: AnnOptions) {
  const ws = tempWorkspace();
  const layout = testLayout(ws.dir, ws.env.XZ_HOME);
  const locks = openLocks(layout.locks, 'a test', systemClock);
  const mailbox = openMailbox({ layout, clock: systemClock });
  mailbox.ensureBox('ann');
  const { agent: lead, again, sessions } = testAgent(server);
  const states: string[] = [];
  const member: Member = createMember({
    name: 'ann',
    epoch: 'e',
    box: mailbox.openBox('ann'),
    sessions,
    work: {
      name: 'ann',
      leadEpoch: 'l',
      tasks: openTasks({ layout, locks, clock: systemClock }),
      mailbox,
      commit: () => Promise.resolve(false),
      mended: () => [],
      evidence: () => Promise.resolve(evidenceOf([], undefined)),
    },
    withToken: (mail) => mail,
    claim: () => Promise.resolve(undefined),
    limits: () => ({}),
    ready: async () => ready(member),
    onTask: () => {},
    refresh: () => Promise.resolve(),
    render: (mail) => mail.body,
    onState: (state) => void states.push(state),
    onSent: () => {},
    later: () => () => {},
  });
  const send = (type: 'task' | 'notice', body: string) =>
    member.wake(mailbox.send({ type, from: 'Lead', to: 'ann', body, epoch: 'e' }).file);
  send('task', 'make it');
  const life = member.live(again({ mail: member.mail, ...over(sessions) }));
  onTestFinished(async () => {
    member.stop();
    await life;
    locks.close();
  });
  const idle = () => until(() => states.at(-1) === 'idle', 'ann to wait');
  return { mailbox, send, idle, lastTurn: () => sessions.lastTurn(lead.session) };
}

interface AnnOptions {
  readonly ready?: (member: Member) => void;
  readonly over?: (sessions: Sessions) => Partial<AgentSetup>;
}

test('an interrupt that comes while a mail is taken up stops the turn that it begins', async () => {
  const server = await startModelServer(() => ({ text: 'done' }));
  const { mailbox, idle, lastTurn } = await annWith(server, { ready: (member) => member.interrupt() });
  await idle();
  expect(lastTurn()).toMatchObject({ state: 'rolled_back' });
  expect(mailbox.list('ann')).toMatchObject([{ body: 'make it', box: 'new' }]);
});

test('a notice that could not be stored, so that no model has read it, is not acknowledged with its turn', async () => {
  let replied = 0;
  const server = await startModelServer(async () => {
    if (++replied === 1) ann.send('notice', 'the port is 8080');
    return { text: 'done' };
  });
  // As a disk that is full just then answers.
  const append =
    (sessions: Sessions): Sessions['append'] =>
    (turn, content, seen, sync) => {
      if (content.role === 'user' && content.text.includes('8080')) throw new Error('database or disk is full');
      return sessions.append(turn, content, seen, sync);
    };
  const ann = await annWith(server, { over: (sessions) => ({ sessions: { ...sessions, append: append(sessions) } }) });
  await ann.idle();
  expect(ann.lastTurn()).toMatchObject({ state: 'done', stopReason: 'error' });
  expect(ann.mailbox.list('ann')).toMatchObject([{ body: 'the port is 8080', box: 'new' }]);
});
