// Giving a task to a teammate: the task must be ready, then it is marked and a mail carries it. Repeating a call changes
// nothing: the task's origin, the assignment and the mail's id all follow from the call.
import type { RosterEntry } from '../../mailbox/roster.ts';
import { XzError } from '../../store/errors.ts';
import { titleFromText } from '../../store/tasks/task.ts';
import type { CallOrigin } from '../../workers/agent/tools/tool.ts';
import { type Crew, isLive, mailIdOf, note } from './crew.ts';
import { refuseAway } from './take-over.ts';

/**
 * The id of a task: given as such, or made now from free text. What an earlier call of this session made of the same text
 * and could not give to anybody is taken up again.
 */
export async function resolveTask(crew: Crew, given: string, origin: CallOrigin, signal: AbortSignal): Promise<string> {
  const { tasks } = crew.parts;
  if (tasks.get(given) !== undefined) return given;
  const { session, row, index } = origin;
  const left = tasks
    .list()
    .find(
      (task) => task.state === 'pending' && task.assignee === undefined && task.description === given && task.origin?.session === session,
    );
  if (left !== undefined) return left.id;
  return (await tasks.create({ title: titleFromText(given), description: given }, { session, row, index }, signal)).id;
}

/** The entry of a teammate that can be given work. Throws `not_found` naming those there are, `refused` for one that has ended. */
export function liveTeammate(crew: Crew, name: string): RosterEntry {
  const entry = crew.roster.read(name);
  if (entry === undefined || entry.name === 'Lead') throw unknownTeammate(crew, name);
  if (!isLive(entry))
    throw new XzError('refused', `${entry.name} ${entry.state === 'crashed' ? 'crashed too often and was stopped' : 'has ended'}`, {
      hint: 'give the task to somebody else, or release it and spawn another',
    });
  refuseAway(crew, entry);
  return entry;
}

/** Assigns and mails; resolves to what the lead is told. Throws `refused` naming what the task waits for. */
export async function assignTask(
  crew: Crew,
  input: { readonly teammate: string; readonly task: string },
  origin: CallOrigin,
  signal: AbortSignal,
): Promise<string> {
  const entry = liveTeammate(crew, input.teammate);
  const id = mailIdOf(crew, origin, 'task');
  const current = crew.parts.tasks.get(input.task);
  // Repeated after a crash, the teammate may be at work on it already.
  const again = current?.assignee === entry.name && current.state !== 'pending';
  const task = again && current !== undefined ? current : await crew.parts.tasks.assign(input.task, entry.name, signal);
  const sent = crew.mailbox.send({
    id,
    type: 'task',
    from: 'Lead',
    to: entry.name,
    epoch: entry.epoch,
    taskId: task.id,
    subject: task.title,
    body: task.description,
  });
  if (sent.fresh) {
    note(crew, 'task', entry.name, `assigned ${task.id}`);
    crew.emit({ type: 'task', id: task.id, title: task.title, state: task.state, assignee: entry.name });
    crew.emit({ type: 'mail', from: 'Lead', to: entry.name, mailType: 'task', subject: task.title, at: crew.parts.clock.now() });
  }
  crew.threads.get(entry.name)?.wake(sent.file);
  return `Task ${task.id} is assigned to ${entry.name}.`;
}

/** The error for a name nobody has, with the names there are. */
export function unknownTeammate(crew: Crew, name: string): XzError {
  const names = crew.roster
    .list()
    .filter((entry) => entry.name !== 'Lead')
    .map((entry) => entry.name);
  return new XzError('not_found', `there is no teammate "${name.slice(0, 60)}"`, {
    hint: names.length > 0 ? `there are: ${names.join(', ')}` : 'spawn one first',
    data: { kind: 'teammate', given: name.slice(0, 60), known: names.join(', ') },
  });
}
