// The gate worktree is kept while somebody may still need it, since making it costs seconds in a large repository.
import { pathExists } from '../../store/files.ts';
import { openGit } from '../../workers/worktree/git.ts';
import { removeGate } from '../merge/gate.ts';
import { type Crew, isLive } from './crew.ts';

/** Removes the gate worktree when no live teammate has a branch to merge. */
export async function dropIdleGate(crew: Crew): Promise<void> {
  const { layout, env, locks } = crew.parts;
  if (!pathExists(layout.gate)) return;
  if (crew.roster.list().some((entry) => entry.name !== 'Lead' && isLive(entry) && entry.branch !== undefined)) return;
  await locks.withLease('merge', undefined, () => removeGate(openGit(layout.root, { env }), layout));
}
