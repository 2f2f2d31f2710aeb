// What another session has left when a lead takes the lease: teammates that nobody runs here, claims that nobody can go on
// with, and worktrees of which the roster knows nothing.
import { basename } from 'node:path';
import type { RosterEntry } from '../../mailbox/roster.ts';
import { XzError } from '../../store/errors.ts';
import { sessionLease } from '../../store/leases.ts';
import { isGitMissing } from '../../workers/worktree/git.ts';
import { orphanedWork, orphanInWords } from '../../workers/worktree/orphans.ts';
import { CUT_SHORT } from '../tools/sub-agent.ts';
import { type Crew, note } from './crew.ts';

/** The lead's session that a teammate belongs to when it is another one than the present: nobody runs it here. */
export function sessionAway(crew: Crew, entry: RosterEntry): string | undefined {
  const parent = crew.parts.sessions.get(entry.session)?.parent;
  return parent === crew.session() ? undefined : (parent ?? entry.session);
}

/** Throws `refused` for a teammate of another session, saying how it comes back. */
export function refuseAway(crew: Crew, entry: RosterEntry): void {
  const away = sessionAway(crew, entry);
  if (away === undefined) return;
  throw new XzError('refused', `${entry.name} belongs to another session, ${away}, and nobody runs it here`, {
    hint: `the person can bring it back with \`${bringBack(away)}\`; here its work can be merged, and it can be released`,
  });
}

/** The command that goes on with a session and its team. */
export function bringBack(session: string): string {
  return `xz once --resume --session ${session} --team`;
}

/**
 * Claims of a name that no roster entry holds are taken back; when another session takes over, those of its team too; and
 * those of sub-agents that ended with the process of their lead, unless it is the present session, which knows its own.
 */
export async function takeBackClaims(crew: Crew, isAnother: boolean): Promise<void> {
  const { tasks, locks } = crew.parts;
  const names = new Set(crew.roster.list().map((entry) => entry.name));
  const reason = isAnother ? 'another session leads the team now' : 'nobody of that name is in the team any more';
  const isOver = (session: string) => session !== crew.session() && locks.isFree(sessionLease(session));
  const back = await tasks.takeBack(
    ({ by, token, session }) => {
      if (by === 'Lead') return token !== undefined && session !== undefined && isOver(session);
      // A name that is only assigned may be one that a person has in mind.
      return names.has(by) ? isAnother : token !== undefined;
    },
    ({ by }) => (by === 'Lead' ? CUT_SHORT : reason),
  );
  if (back.length > 0) note(crew, 'team', 'Lead', `claims taken back: ${back.map((task) => task.id).join(', ')}`);
}

/** Names the worktrees with work of which the roster knows nothing: its entry was lost, and nothing else would. */
export async function tellOrphans(crew: Crew): Promise<void> {
  const { layout, env } = crew.parts;
  const known = crew.roster.list().map(({ name, worktree }) => (worktree === undefined ? name : basename(worktree)));
  try {
    for (const orphan of await orphanedWork(layout, known, { env }))
      crew.emit({ type: 'notice', agent: 'Lead', code: 'team', text: orphanInWords(orphan) });
  } catch (error) {
    if (!isGitMissing(error) && !(error instanceof XzError && error.code === 'git_failed')) throw error;
  }
}
