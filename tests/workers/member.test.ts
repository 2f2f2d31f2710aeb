// A teammate's life without its thread: real stores, a real agent, a model behind a real HTTP port.
import { expect, onTestFinished, test } from 'vitest';
import { openMailbox } from '../../mailbox/mailbox.ts';
import { systemClock } from '../../store/clock.ts';
import { openLocks } from '../../store/lock.ts';
import { openTasks } from '../../store/tasks/tasks.ts';
import { evidenceOf } from '../../workers/evidence.ts';
import { createMember } from '../../workers/member.ts';
import { testAgent } from '../helpers/agent.ts';
import { testLayout } from '../helpers/layout.ts';
import { startModelServer } from '../helpers/model-server.ts';
import { tempWorkspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

test('an interrupt that comes while a mail is taken up stops the turn that it begins', async () => {
  const server = await startModelServer(() => ({ text: 'done' }));
  const ws = tempWorkspace();
  const layout = testLayout(ws.dir, ws.env.XZ_HOME);
  const locks = openLocks(layout.locks, 'a test', systemClock);
  const mailbox = openMailbox({ layout, clock: systemClock });
  mailbox.ensureBox('ann');
  const { agent: lead, again, sessions } = testAgent(server);
  const states: string[] = [];
  const member = createMember({
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
    // Such as git, which brings the worktree up to date.
    ready: async () => member.interrupt(),
    refresh: () => Promise.resolve(),
    render: (mail) => mail.body,
    onState: (state) => void states.push(state),
    onSent: () => {},
  });
  mailbox.send({ type: 'task', from: 'Lead', to: 'ann', body: 'make it', epoch: 'e' });
  const life = member.live(again({ mail: member.mail }));
  onTestFinished(async () => {
    member.stop();
    await life;
    locks.close();
  });
  await until(() => states.at(-1) === 'idle', 'ann to wait');
  expect(sessions.lastTurn(lead.session)).toMatchObject({ state: 'rolled_back' });
  expect(mailbox.list('ann')).toMatchObject([{ body: 'make it', box: 'new' }]);
});
