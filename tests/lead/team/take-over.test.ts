// Claims of sub-agents that a kill cut short: a task must not stay at work for ever because nobody resumes that session.
import { expect, onTestFinished, test } from 'vitest';
import { takeBackClaims } from '../../../lead/team/take-over.ts';
import { systemClock } from '../../../store/clock.ts';
import { sessionLease } from '../../../store/leases.ts';
import { testCrew } from '../../helpers/crew.ts';

test('a claim of the lead in a session that nobody writes is taken back with one attempt used; others stay', async () => {
  const { crew, close } = await testCrew(systemClock, {
    start: () => {
      throw new Error('nobody is started here');
    },
    close: () => Promise.resolve(),
  });
  onTestFinished(close);
  const { tasks, locks } = crew.parts;
  // One session is another process's, which works on; one is over; one is ours, and knows by itself what it cut short.
  locks.tryLease(sessionLease('2026-03-01-living'));
  for (const [title, session] of [
    ['over', '2026-03-01-over'],
    ['living', '2026-03-01-living'],
    ['ours', crew.session()],
  ] as const) {
    await tasks.create({ title });
    await tasks.claim(title, 'Lead', { session });
  }
  await tasks.create({ title: 'by hand' });
  await tasks.update('by-hand', { state: 'in_progress' });
  await takeBackClaims(crew, true);
  expect(Object.fromEntries(tasks.list().map(({ id, state, attempts }) => [id, [state, attempts]]))).toEqual({
    over: ['pending', 1],
    living: ['in_progress', 0],
    ours: ['in_progress', 0],
    'by-hand': ['in_progress', 0],
  });
  expect(tasks.get('over')?.failures).toEqual([expect.objectContaining({ agent: 'Lead', error: 'the sub-agent was cut short' })]);
});
