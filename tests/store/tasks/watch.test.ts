import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { installFaultHook } from '../../../store/faults.ts';
import { watchTasks } from '../../../store/tasks/watch.ts';
import { fakeClock } from '../../helpers/clock.ts';
import { taskBench } from './open.ts';

test('a graph that cannot be read for a while is told once, and shown again when it can', async () => {
  const clock = fakeClock(Date.now());
  const { tasks, layout } = taskBench(clock);
  const [shown, troubles]: [string[][], unknown[]] = [[], []];
  const watch = watchTasks({
    ...{ layout, tasks, clock, seen: tasks.graph() },
    onChange: (graph) => shown.push(graph.views.map(({ id }) => id)),
    onTrouble: (error) => troubles.push(error),
  });
  onTestFinished(async () => {
    installFaultHook(undefined);
    await watch.stop();
  });
  mkdirSync(layout.tasks, { recursive: true });
  writeFileSync(join(layout.tasks, 'a.json'), '{"title":"a"}');
  installFaultHook(({ op }) => {
    if (op === 'read') throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    return undefined;
  });
  await clock.advance(10_000);
  expect([shown, troubles]).toEqual([[], [expect.objectContaining({ code: 'EMFILE' })]]);
  installFaultHook(undefined);
  await clock.advance(10_000);
  expect(shown).toEqual([['a']]);
});
