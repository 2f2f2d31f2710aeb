// A task graph on a real folder, for tests.
import { type Clock, systemClock } from '../../../store/clock.ts';
import type { Layout } from '../../../store/layout.ts';
import { openLocks } from '../../../store/lock.ts';
import type { Finding } from '../../../store/quarantine.ts';
import { openTasks, type Tasks } from '../../../store/tasks/tasks.ts';
import { testLayout } from '../../helpers/layout.ts';
import { tempWorkspace } from '../../helpers/temp.ts';

export interface TaskBench {
  readonly tasks: Tasks;
  readonly layout: Layout;
  readonly notices: Finding[];
  /** The same graph as another process sees it. */
  again(): Tasks;
}

export function taskBench(clock: Clock = systemClock): TaskBench {
  const layout = testLayout(tempWorkspace({ git: false, files: {} }).dir);
  const notices: Finding[] = [];
  const again = () =>
    openTasks({ layout, locks: openLocks(layout.locks, 'test', systemClock), clock, notice: (finding) => notices.push(finding) });
  return { tasks: again(), layout, notices, again };
}
