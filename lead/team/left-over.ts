// What an earlier process left of a team, put right before anybody works: worktrees of a workspace that was moved or
// copied, and releases that were cut. What is wrong with the work of one teammate is no reason to have no team.
import { XzError } from '../../store/errors.ts';
import { tieMoved } from '../../workers/worktree/mend.ts';
import { type Crew, note } from './crew.ts';
import { settleEnded } from './release.ts';

/** Ties the worktrees to the repository they lie in now. Needs the team lease. */
export function tieWorktrees(crew: Crew): void {
  const { layout, env } = crew.parts;
  for (const name of tieMoved(layout, { env })) note(crew, 'team', 'Lead', `the workspace was moved or copied: worktree ${name} mended`);
}

/** Finishes the releases that a kill cut in two. */
export async function settleEnding(crew: Crew): Promise<void> {
  for (const { name, state } of crew.roster.list()) {
    if (state !== 'ending' || name === 'Lead') continue;
    try {
      await settleEnded(crew, name);
    } catch (error) {
      if (!(error instanceof XzError) || error.code !== 'git_failed') throw error;
      crew.emit({ type: 'notice', agent: name, code: 'team', text: `${name} could not be released: ${error.message}` });
    }
  }
}
