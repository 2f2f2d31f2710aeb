// The team of this process: for a lead, and for `xz team`, which acts on branches and worktrees without a model.
import type { PermissionMode } from '../lead/conversation.ts';
import type { EmitLeadEvent } from '../lead/events.ts';
import type { Inbox } from '../lead/inbox.ts';
import { createTeam, type Team } from '../lead/team/team.ts';
import { openMailbox } from '../mailbox/mailbox.ts';
import { openRoster } from '../mailbox/roster.ts';
import { openTeamEvents } from '../store/team/events.ts';
import { openSharedFilesRecord } from '../store/team/shared-files.ts';
import type { AgentParts } from '../workers/agent/build.ts';
import type { App } from './compose.ts';
import { report } from './open-parts.ts';
import { VERSION } from './version.ts';

export interface TeamOptions {
  readonly emit: EmitLeadEvent;
  readonly inbox: Inbox;
  readonly attended: boolean;
  readonly session: () => string;
  readonly mode: () => PermissionMode;
  readonly outOfBudget: () => boolean;
}

export async function openTeam(app: App, parts: AgentParts, options: TeamOptions): Promise<Team> {
  const { layout, config } = parts;
  const tell = { layout, clock: app.clock, report: (finding: Parameters<typeof report>[1]) => report(options.emit, finding) };
  const database = await app.database();
  return createTeam({
    ...options,
    parts,
    mailbox: openMailbox(tell),
    roster: openRoster(tell),
    record: openTeamEvents(database, app.clock),
    files: openSharedFilesRecord(database, app.clock),
    settings: { max: config.team.max, worktrees: config.team.worktrees },
    flags: flagsOf(app),
    language: app.language,
    version: VERSION,
    openPool: async () => {
      const { openPool, threadEntry } = await import('../workers/pool.ts');
      return openPool(config.team.max, threadEntry(import.meta.url), app.env);
    },
  });
}

/** Command-line options that decide a model, for the teammates' threads. */
function flagsOf(app: App): Record<string, string | boolean> {
  const out: Record<string, string | boolean> = {};
  for (const [name, value] of Object.entries(app.globals)) if (typeof value === 'string' || typeof value === 'boolean') out[name] = value;
  return out;
}
