// SIGKILL at any moment of a team run, and failing operations in it, then `--resume`: the same merged tree, each mail in
// one turn, nothing left over. Many more of them: `npm run crash-test`.
import { expect, test } from 'vitest';
import { runCampaign } from './campaign.ts';

test('a team run killed at random moments ends as if nobody had touched it', async () => {
  const { faults, kills } = await runCampaign({ kills: 6, seed: Date.now(), faults: false });
  expect(faults).toEqual([]);
  expect(kills).toBe(6);
}, 300_000);

test('a team run whose files or database fail once ends well after it is told to go on', async () => {
  const { faults } = await runCampaign({ kills: 3, seed: Date.now(), faults: true });
  expect(faults).toEqual([]);
}, 300_000);
