// A teammate's own folder, over a real repository.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../store/clock.ts';
import { openPlace } from '../../workers/place.ts';
import type { TeammateStart } from '../../workers/protocol.ts';
import { createWorktree } from '../../workers/worktree/create.ts';
import { planWorktree } from '../../workers/worktree/plan.ts';
import { NO_SETUP } from '../../workers/worktree/setup.ts';
import { testLayout } from '../helpers/layout.ts';
import { tempWorkspace } from '../helpers/temp.ts';

it('work whose history was written anew from its root is told all the same', async () => {
  const ws = tempWorkspace();
  const layout = testLayout(ws.dir, join(ws.home, '.xz'));
  const git = { env: ws.env };
  const planned = await planWorktree({ layout, name: 'ann', setup: NO_SETUP, git });
  if (planned.kind !== 'plan') throw new Error(planned.detail);
  const { plan } = planned;
  await createWorktree({
    layout,
    plan,
    setup: NO_SETUP,
    git,
    clock: systemClock,
    trusted: true,
    process: { name: 'ptest', hold: () => {} },
  });
  writeFileSync(join(plan.path, 'new.txt'), 'x\n');
  const run = (...args: string[]) => execFileSync('git', args, { cwd: plan.path, env: ws.env, stdio: 'pipe' });
  run('add', '-A');
  run('commit', '-q', '--amend', '-m', 'all anew');
  const start = { name: 'ann', root: plan.root, branch: plan.branch } as TeammateStart;
  const place = openPlace({ start, clock: systemClock, env: ws.env, layout, onMended: () => {} });
  expect(await place.commit('work')).toBe(true);
  expect(await place.evidence([])).toMatchObject({ files: ['new.txt'], diffstat: '1 file changed, 1 insertion(+)' });
});
