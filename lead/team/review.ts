// The lead's verdict on a result. Approving sends nothing and starts no turn; revising takes the task up again with a
// new token and sends a review.
import type { RosterEntry } from '../../mailbox/roster.ts';
import { XzError } from '../../store/errors.ts';
import { stableHash } from '../../store/ids.ts';
import type { CallOrigin } from '../../workers/agent/tools/tool.ts';
import { unknownTeammate } from './assign.ts';
import { type Crew, isLive, mailIdOf, note } from './crew.ts';
import { refuseAway } from './take-over.ts';
import { resultsOf, verdictKey } from './verdict.ts';

export async function reviewTeammate(
  crew: Crew,
  input: { readonly name: string; readonly verdict: 'approve' | 'revise'; readonly feedback: string | undefined },
  origin: CallOrigin,
  signal: AbortSignal,
): Promise<string> {
  const entry = crew.roster.read(input.name);
  if (entry === undefined || entry.name === 'Lead') throw unknownTeammate(crew, input.name);
  const call = mailIdOf(crew, origin, 'review');
  if (input.verdict === 'approve') return approve(crew, entry, call, signal);
  if (!isLive(entry))
    throw new XzError('refused', `${entry.name} has ${entry.state === 'crashed' ? 'crashed too often' : 'ended'} and cannot revise`, {
      hint: 'assign the rest to another teammate',
    });
  refuseAway(crew, entry);
  if (!input.feedback?.trim())
    throw new XzError('bad_input', 'a revision needs feedback', { hint: 'say what is wrong and what would make it right' });
  const about = wasSent(crew, entry, call) ? undefined : (await resultsOf(crew, entry, signal)).at(-1)?.id;
  return sendReview(crew, entry.name, input.feedback, call, signal, about);
}

/** Notes the verdict on all that was handed in; the same call again, or another one about the same results, notes nothing. */
async function approve(crew: Crew, entry: RosterEntry, call: string, signal: AbortSignal): Promise<string> {
  const told = crew.record.list().filter(({ kind, agent }) => agent === entry.name && ['review', 'result'].includes(kind));
  const repeated = told.some(({ data }) => data.call === call);
  const open = repeated ? [] : await resultsOf(crew, entry, signal);
  if (open.length > 0 || told.at(-1)?.kind === 'result') {
    const what = open.map((task) => task.id).join(', ') || 'its work';
    note(crew, 'review', entry.name, `approved ${what}`, { task: open.at(-1)?.id, verdicts: open.map(verdictKey), call });
  }
  const next = entry.branch !== undefined && entry.landed !== true ? ' Its work lands with merge_teammate.' : '';
  return `${entry.name}'s work is approved.${next}`;
}

/** True when this very review was sent before: the call is executed again after a crash. */
function wasSent(crew: Crew, entry: RosterEntry, id: string): boolean {
  const seen = crew.parts.sessions.turnThatSaw({ agent: entry.name, epoch: entry.epoch, mailId: id });
  return seen !== undefined || crew.mailbox.list(entry.name).some((mail) => mail.id === id) || isClaimOf(crew, entry, id);
}

const tokenOf = (entry: RosterEntry, id: string): string => stableHash('review', entry.epoch, id).slice(0, 16);

function isClaimOf(crew: Crew, entry: RosterEntry, id: string): boolean {
  const task = entry.task === undefined ? undefined : crew.parts.tasks.get(entry.task);
  return task?.claim?.token === tokenOf(entry, id);
}

/**
 * Sends files back to a teammate; the id makes repeating it harmless. `about` is the task; absent: its last one. Resolves
 * to what the lead is told.
 */
export async function sendReview(
  crew: Crew,
  name: string,
  feedback: string,
  id: string,
  signal?: AbortSignal,
  about?: string,
): Promise<string> {
  const entry = crew.roster.read(name);
  if (entry === undefined) throw unknownTeammate(crew, name);
  const taskId = about ?? entry.task;
  const task = taskId === undefined ? undefined : crew.parts.tasks.get(taskId);
  // Taken up again by a review whose mail could not be written: this one goes on with that claim.
  const idle = entry.state === 'idle' && crew.mailbox.pending(name).work === 0;
  const left = idle && task?.state === 'in_progress' && task.claim?.by === name ? task.claim.token : undefined;
  const token = left ?? tokenOf(entry, id);
  const revise = task !== undefined && task.archived === undefined && (task.state === 'completed' || task.claim?.token === token);
  if (revise) await crew.parts.tasks.revise(task.id, name, { token, session: entry.session }, signal);
  const sent = crew.mailbox.send({
    id,
    type: 'review',
    from: 'Lead',
    to: name,
    epoch: entry.epoch,
    subject: task?.title ?? 'review',
    body: feedback,
    ...(revise && { taskId: task.id, claim: token }),
  });
  if (sent.fresh) {
    note(crew, 'review', name, `sent back: ${feedback.split('\n')[0]?.slice(0, 200) ?? ''}`, { task: taskId });
    crew.emit({ type: 'mail', from: 'Lead', to: name, mailType: 'review', subject: task?.title ?? 'review', at: crew.parts.clock.now() });
  }
  crew.threads.get(name)?.wake(sent.file);
  return `Sent back to ${name}${revise ? ` (task ${task.id} is in progress again)` : ''}.`;
}
