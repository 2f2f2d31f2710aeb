// What the operations of a team share: stores, the roster, the running threads, and how a line gets into the record.
// One object for the life of the lead's process.
import type { Mailbox } from '../../mailbox/mailbox.ts';
import type { Roster, RosterEntry } from '../../mailbox/roster.ts';
import { derivedId, stableHash } from '../../store/ids.ts';
import type { TeamEventKind, TeamEvents } from '../../store/team/events.ts';
import type { SharedFilesRecord } from '../../store/team/shared-files.ts';
import type { AgentParts } from '../../workers/agent/build.ts';
import type { CallOrigin } from '../../workers/agent/tools/tool.ts';
import type { TeammatePool } from '../../workers/pool.ts';
import type { PermissionMode } from '../conversation.ts';
import type { EmitLeadEvent } from '../events.ts';
import type { Inbox } from '../inbox.ts';
import type { MemberThread } from './member-thread.ts';

export interface CrewSettings {
  readonly max: number;
  /** Whether a teammate gets a worktree when the call does not say. */
  readonly worktrees: boolean;
}

export interface Crew {
  readonly parts: AgentParts;
  readonly mailbox: Mailbox;
  readonly roster: Roster;
  readonly record: TeamEvents;
  /** Who changed which file of the main folder last. */
  readonly files: SharedFilesRecord;
  readonly emit: EmitLeadEvent;
  readonly inbox: Inbox;
  readonly settings: CrewSettings;
  /** Command-line options that decide the teammates' model. */
  readonly flags: Readonly<Record<string, string | boolean>>;
  readonly language: 'en' | 'zh';
  readonly attended: boolean;
  readonly version: string;
  session(): string;
  mode(): PermissionMode;
  /** The team's epoch, which mail to the lead carries. */
  epoch(): string;
  pool(): TeammatePool;
  readonly threads: Map<string, MemberThread>;
  /** True when the whole run's budget is used up. */
  outOfBudget(): boolean;
  /** Something reached the lead's box. */
  mailed(file: string): void;
  /** Somebody's state changed: whoever waits for an idle team looks again. */
  changed(): void;
}

/** Writes a line into the record; the screen learns of it through its own events. */
export function note(crew: Crew, kind: TeamEventKind, agent: string, text: string, data: Readonly<Record<string, unknown>> = {}): void {
  crew.record.record(kind, agent, text, data);
}

/** The id of a mail that is sent once in a teammate's life, such as its `end`. */
export function lifeMailId(entry: RosterEntry, what: string): string {
  return `${Date.parse(entry.createdAt).toString(36).padStart(9, '0')}000${stableHash(what, entry.epoch).slice(0, 10)}`;
}

/** The id of a mail that a tool call sends: the same call gives the same id, sorted by the time the call was made. */
export function mailIdOf(crew: Crew, origin: CallOrigin, ...parts: readonly string[]): string {
  const at = crew.parts.sessions.messageTime(origin.row) ?? 0;
  const base = at.toString(36).padStart(9, '0') + origin.index.toString(36).padStart(3, '0');
  return derivedId(base, origin.session, String(origin.row), String(origin.index), ...parts);
}

/** Entries of teammates that belong to the lead's present session, ended ones too. */
export function ownEntries(crew: Crew): RosterEntry[] {
  return crew.roster.list().filter((entry) => crew.parts.sessions.get(entry.session)?.parent === crew.session());
}

/** True for a teammate that may still get work. */
export function isLive(entry: RosterEntry): boolean {
  return entry.state === 'starting' || entry.state === 'idle' || entry.state === 'working';
}
