// How each teammate stands: what the roster says, what its thread does now, what its session has spent.
import type { RosterEntry } from '../../mailbox/roster.ts';
import type { TeammateStanding, TeammateStatus } from '../conversation.ts';
import type { Crew } from './crew.ts';
import { isUnfinished, keptWorktree } from './landing.ts';
import { sessionAway } from './take-over.ts';
import { shownPath } from './threads.ts';

/** True for a state that needs a thread to be true. */
function isStarted({ state }: RosterEntry): boolean {
  return state !== 'ended' && state !== 'crashed';
}

/** Every teammate of the workspace, those of earlier sessions too. */
export function teammateStatuses(crew: Crew): TeammateStatus[] {
  return crew.roster
    .list()
    .filter((entry) => entry.name !== 'Lead')
    .map((entry) => {
      const thread = crew.threads.get(entry.name)?.status();
      const away = thread === undefined && isStarted(entry) ? sessionAway(crew, entry) : undefined;
      const { tokens, costUsd } = crew.parts.sessions.spent(entry.session);
      return {
        name: entry.name,
        role: entry.role ?? '',
        state: away !== undefined ? 'idle' : thread !== undefined && entry.state !== 'starting' ? thread.state : entry.state,
        ...(away !== undefined && { session: away }),
        activity: thread?.activity ?? 'waiting',
        since: thread?.since ?? Date.parse(entry.updatedAt),
        task: entry.task,
        worktree: shownPath(crew, entry.worktree),
        branch: entry.branch,
        tokens,
        costUsd,
        files: entry.worktree === undefined ? crew.files.heldBy(entry.session) : (thread?.files ?? []),
      };
    });
}

/** The same with what git says of their work at this moment. */
export async function teammateStandings(crew: Crew): Promise<TeammateStanding[]> {
  return Promise.all(
    teammateStatuses(crew).map(async (status) => {
      const entry = crew.roster.read(status.name);
      if (entry === undefined) return { ...status, unfinished: false, kept: undefined };
      return { ...status, unfinished: await isUnfinished(crew.parts, entry), kept: keptWorktree(crew.parts.layout, entry) };
    }),
  );
}
