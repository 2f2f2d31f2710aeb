import { expect, onTestFinished, test } from 'vitest';
import { createTeamTools } from '../../../lead/tools/team-tools.ts';
import { systemClock } from '../../../store/clock.ts';
import { testCrew } from '../../helpers/crew.ts';

test('a notice to several reaches nobody when one of them is not there: said again, it would reach the others twice', async () => {
  const { crew, close } = await testCrew(systemClock, {
    start: () => {
      throw new Error('nobody is started here');
    },
    close: () => Promise.resolve(),
  });
  onTestFinished(close);
  crew.mailbox.ensureBox('ann');
  const broadcast = createTeamTools(crew, () => Promise.resolve({ text: '' })).find(({ name }) => name === 'broadcast_notice');
  let row = 0;
  const tell = async (to: string[]) =>
    broadcast?.run(
      { message: 'hello', to },
      { origin: { session: crew.session(), row: ++row, index: 0 }, agent: 'Lead', root: '/', signal: new AbortController().signal },
    );
  await expect(tell(['ann', 'zed'])).rejects.toThrow('zed');
  expect(crew.mailbox.list('ann')).toEqual([]);
  await tell(['ann']);
  expect(crew.mailbox.list('ann').map(({ body }) => body)).toEqual(['hello']);
});
