// What a verdict is about: results of a teammate that the lead has not judged yet. There must be one, or a review would
// start a turn about nothing, and overtake the task that waits.
import type { RosterEntry } from '../../mailbox/roster.ts';
import { sleep } from '../../store/clock.ts';
import { throwIfAborted, XzError } from '../../store/errors.ts';
import type { Task } from '../../store/tasks/schema.ts';
import type { Crew } from './crew.ts';

/** How long a teammate may take from handing in its result to standing idle, ms. */
const HAND_IN_MS = 2_000;

/**
 * Completed tasks without a verdict, oldest first; none for work without a task, and when each has one. Waits for a result
 * that is just being handed in. Throws `refused`, saying what the teammate is at, when nothing was handed in.
 */
export async function resultsOf(crew: Crew, entry: RosterEntry, signal: AbortSignal): Promise<readonly Task[]> {
  const { clock, sessions } = crew.parts;
  const open = openResults(crew, entry);
  if (open.length > 0) return open;
  for (const until = clock.now() + HAND_IN_MS; ; ) {
    const at = atWork(crew, entry.name);
    if (at === undefined) break;
    if (!at.ending || clock.now() >= until)
      throw new XzError('refused', `${entry.name} ${at.what}: there is no result to review yet`, {
        hint: 'wait for it with collect_results',
      });
    if (!(await sleep(clock, 20, signal))) throwIfAborted(signal);
  }
  const turns = sessions.turns(entry.session);
  if (!turns.some((turn) => turn.state === 'done'))
    throw new XzError('refused', `${entry.name} has no task and has handed in nothing: there is no result to review`, {
      hint: 'assign_task gives it one',
    });
  return open;
}

/** What a verdict is remembered by: a task that is revised gets another claim, and with it another verdict. */
export function verdictKey(task: Pick<Task, 'id' | 'claim'>): string {
  return `${task.id} ${task.claim?.token ?? ''}`;
}

function openResults(crew: Crew, entry: RosterEntry): Task[] {
  const done = crew.parts.tasks
    .list({ all: true })
    .filter((task) => task.state === 'completed' && task.claim?.by === entry.name && task.claim.session === entry.session);
  if (done.length === 0) return [];
  const judged = new Set(
    crew.record.list().flatMap(({ kind, agent, data }) => (kind === 'review' && agent === entry.name ? data.verdicts : [])),
  );
  return done.filter((task) => !judged.has(verdictKey(task))).toSorted((a, b) => ((a.completedAt ?? '') < (b.completedAt ?? '') ? -1 : 1));
}

/** What it has in hand or waiting; `ending` when that is work whose result may be out already. */
function atWork(crew: Crew, name: string): { readonly what: string; readonly ending: boolean } | undefined {
  const { tasks } = crew.parts;
  const entry = crew.roster.read(name);
  if (entry === undefined) return undefined;
  const task = entry.task === undefined ? undefined : tasks.get(entry.task);
  if (crew.threads.has(name) && entry.state === 'working' && task?.state === 'in_progress')
    return { what: `is still working on ${task.id}`, ending: false };
  if (crew.mailbox.pending(name).work > 0) {
    const next = tasks.list().find((one) => one.state === 'pending' && one.assignee === name);
    return { what: next === undefined ? 'has work waiting' : `has not begun ${next.id} yet`, ending: false };
  }
  return crew.threads.get(name)?.busy() === true ? { what: 'is still at work', ending: true } : undefined;
}
