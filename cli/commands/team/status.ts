// `xz team status`: the roster as it stands on disk, and who leads the team now. Reads only; makes nothing.
import { type Ground, isUnfinished, keptWorktree, reasonOf } from '../../../lead/team/landing.ts';
import { entryFindings } from '../../../mailbox/check.ts';
import { type RosterEntry, readableEntries } from '../../../mailbox/roster.ts';
import { LEAD } from '../../../mailbox/senders.ts';
import { pathExists } from '../../../store/files.ts';
import type { Sessions } from '../../../store/sessions/sessions.ts';
import { openSharedFilesRecord, type SharedFilesRecord } from '../../../store/team/shared-files.ts';
import { columnLines } from '../../print/columns.ts';
import { printFinding } from '../../print/finding.ts';
import type { RunCommand } from '../../table/command.ts';

export const runTeamStatus: RunCommand = async (app) => {
  const { print, text, clock } = app;
  const config = await app.config();
  const layout = app.layout();
  const entries = readableEntries(layout);
  for (const finding of entryFindings(layout)) printFinding(print, text, finding);
  const holder = pathExists(layout.locks) ? leaderOf(app.locks()) : undefined;
  const lead = entries.find((entry) => entry.name === LEAD);
  const sessions = pathExists(layout.database) ? await app.sessions() : undefined;
  const files = pathExists(layout.database) ? openSharedFilesRecord(await app.database(), clock) : undefined;
  const status = {
    enabled: config.team.enabled || (holder !== undefined && lead?.state === 'working'),
    max: config.team.max,
    ...(holder !== undefined && { holder }),
    teammates: await Promise.all(
      entries
        .filter((entry) => entry.name !== LEAD)
        .map((entry) => teammateOf(entry, sessions, { layout, env: app.env }, files, holder === undefined ? undefined : lead?.session)),
    ),
  };
  if (print.json) {
    print.value(status);
    return 0;
  }
  print.line(status.enabled ? text.team.isOn(status.max) : text.team.isOff);
  if (holder !== undefined) print.line(text.team.ledBy(holder));
  if (status.teammates.length === 0) print.line(text.team.nobody);
  else {
    const rows = status.teammates.map((one) =>
      [
        one.name,
        text.screen.team.states[one.state] ?? one.state,
        one.task ?? '',
        one.branch ?? '',
        String(one.tokens),
        one.unfinished ? text.team.unlanded : '',
      ].map((cell) => ({
        text: cell,
      })),
    );
    for (const line of columnLines(print, text.team.columns, rows)) print.styled(line);
    for (const { name, session } of status.teammates) if (session !== undefined) print.line(text.team.away(name, session));
    for (const { name, kept } of status.teammates)
      if (kept !== undefined) print.line(text.team.keeps(name, kept.worktree, text.errors.told(reasonOf(kept))));
    for (const { name, files } of status.teammates) if (files.length > 0) print.line(text.team.holds(name, files.join(', ')));
  }
  return 0;
};

function leaderOf(locks: { tryLease(name: string): { readonly holder?: string | undefined; release?: () => void } }): string | undefined {
  const lease = locks.tryLease('team');
  lease.release?.();
  return lease.holder;
}

/** `led` is the session that is at work now, if any: without it, no state that needs a thread is true. */
async function teammateOf(
  entry: RosterEntry,
  sessions: Sessions | undefined,
  ground: Ground,
  files: SharedFilesRecord | undefined,
  led: string | undefined,
) {
  const { root } = ground.layout;
  const kept = keptWorktree(ground.layout, entry);
  const parent = sessions?.get(entry.session)?.parent;
  const isAway = entry.state !== 'ended' && entry.state !== 'crashed' && (led === undefined || parent !== led);
  const spent = sessions?.spent(entry.session) ?? { tokens: 0, costUsd: 0 };
  return {
    name: entry.name,
    role: entry.role ?? '',
    state: isAway ? ('idle' as const) : entry.state,
    activity: entry.state === 'working' && !isAway ? 'thinking' : 'waiting',
    ...(isAway && parent !== undefined && { session: parent }),
    since: entry.updatedAt,
    task: entry.task ?? null,
    worktree: entry.worktree?.startsWith(`${root}/`) ? entry.worktree.slice(root.length + 1) : (entry.worktree ?? null),
    branch: entry.branch ?? null,
    tokens: spent.tokens,
    costUsd: spent.costUsd,
    unfinished: await isUnfinished(ground, entry),
    ...(kept !== undefined && { kept }),
    files: files?.heldBy(entry.session) ?? [],
  };
}
