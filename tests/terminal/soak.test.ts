import { expect, test } from 'vitest';
import { HAS_TMUX } from '../helpers/tmux.ts';
import { soak } from '../soak/soak.ts';

// `npm run soak` plays the same for an hour and holds memory against its bound; a few rounds show what is left at the end.
test.skipIf(!HAS_TMUX)(
  'rounds of the team, the schedule, searches and resizes leave nothing when the screen is left',
  async () => {
    const soaked = await soak({ minutes: 0.2 });
    expect(soaked.samples.length).toBeGreaterThan(0);
    expect(soaked.left).toEqual([]);
    expect(soaked.last.warnings).toEqual([]);
  },
  180_000,
);
