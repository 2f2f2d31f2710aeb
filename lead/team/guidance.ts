// What the lead's system prompt says about working with a team, and without one; and how the team stands, for a request.
import type { TeammateStanding } from '../conversation.ts';
import { reasonOf } from './landing.ts';
import { bringBack } from './take-over.ts';

export const TEAM_GUIDANCE = `# Your team
The person has switched the team on. You lead up to three teammates; each works in its own thread with a private context and sees nothing of this conversation.
- Make tasks first: each small enough for one turn, with everything a stranger needs in its description.
- spawn_teammate with a task starts one; worktree: true gives it its own checkout and branch, which is right whenever several change files at once. assign_task gives an idle teammate its next task.
- collect_results waits for results. Each shows what the teammate claims and what was observed: believe the observed side.
- review_teammate: approve, or revise with feedback it can act on. A result in a worktree has landed only after merge_teammate; a task that waits for it can start only then.
- Release teammates you no longer need. Never say that something is done before it has landed.`;

export const NO_TEAM_GUIDANCE = `# Your team
It is off. Where several parts of a large request are independent you may suggest that the person switches it on, with /team on or --team. Only the person can.`;

/** How the team stands, as background for a request; undefined when nobody is there. */
export function teamBackground(teammates: readonly TeammateStanding[]): string | undefined {
  if (teammates.length === 0) return undefined;
  const lines = teammates.map(({ name, state, task, branch, unfinished, kept, files, session }) => {
    const facts = [
      session === undefined
        ? state
        : `waits in another session, nobody runs it here (the person can bring it back: \`${bringBack(session)}\`; you can merge or release it)`,
      ...(task === undefined ? [] : [`task ${task}`]),
      ...(branch === undefined ? [] : [`branch ${branch}${unfinished ? ', not landed' : ''}`]),
      ...(kept === undefined ? [] : [`worktree ${kept.worktree} kept: ${reasonOf(kept)}`]),
      ...(files.length === 0 ? [] : [`has changed ${fewOf(files)}`]),
    ];
    return `- ${name}: ${facts.join(', ')}`;
  });
  return `The team:\n${lines.join('\n')}`;
}

/** Names of files, the first few of them. */
const MOST_NAMED = 8;

function fewOf(files: readonly string[]): string {
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : '';
  return files.slice(0, MOST_NAMED).join(', ') + more;
}
