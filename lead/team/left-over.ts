// What an earlier process left of a team, put right before anybody works: worktrees of a workspace that was moved or
// copied, and merges and releases that were cut. What is wrong with the work of one teammate is no reason to have no team.
import { XzError } from '../../store/errors.ts';
import { tieMoved } from '../../workers/worktree/mend.ts';
import { type Settled, settleMergeIntent } from '../merge/settle.ts';
import { type Crew, note } from './crew.ts';
import { dropIdleGate } from './idle-gate.ts';
import { markLanded } from './merge.ts';
import { settleEnded } from './release.ts';

/** Ties the worktrees to the repository they lie in now. Needs the team lease. */
export function tieWorktrees(crew: Crew): void {
  const { layout, env } = crew.parts;
  for (const name of tieMoved(layout, { env })) note(crew, 'team', 'Lead', `the workspace was moved or copied: worktree ${name} mended`);
}

/** Finishes a merge or a release that a kill cut in two; the gate of a release whose entry is gone already, too. */
export async function settleLeftOver(crew: Crew): Promise<void> {
  await settleMerge(crew);
  await settleEnding(crew);
  await dropIdleGate(crew);
}

async function settleMerge(crew: Crew): Promise<void> {
  const { layout, env, locks, clock } = crew.parts;
  let settled: Settled;
  try {
    settled = await settleMergeIntent({ layout, git: { env }, locks, clock });
  } catch (error) {
    if (!(error instanceof XzError) || error.code !== 'bad_file') throw error;
    crew.emit({ type: 'notice', agent: 'Lead', code: 'bad_file', text: `${error.message}; ${error.hint}` });
    return;
  }
  if (settled.kind !== 'none') note(crew, 'merge', settled.name, `a merge that was cut: ${settled.kind}`, { ...settled });
  if (settled.kind === 'merged') await markLanded(crew, settled.name);
  if (settled.kind === 'blocked' || settled.kind === 'dropped') {
    const files = settled.files.length > 0 ? `: ${settled.files.join(', ')}` : '';
    const text = `the merge of ${settled.name} was cut and is not done: ${settled.why}${files}`;
    crew.emit({ type: 'notice', agent: settled.name, code: 'team', text });
  }
}

async function settleEnding(crew: Crew): Promise<void> {
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
