// The team as the lead sees it: what lead.ts asks of it and nothing of how it works.
import type { TurnInput } from '../../workers/agent/agent.ts';
import type { SharedFolder, SharedFolderSetup } from '../../workers/agent/files/shared-folder.ts';
import type { MailSource } from '../../workers/agent/mail-source.ts';
import type { Tool } from '../../workers/agent/tools/tool.ts';
import type { Conversation } from '../conversation.ts';

/** What a lead gets from the team, whether the team is on or off. */
export interface TeamSide extends MailSource {
  readonly control: Conversation['team'];
  /** Tools of the team; none while it is off. */
  tools(): readonly Tool[];
  /** Sections of the system prompt. */
  guidance(): string;
  /** The main folder as an agent of this team shares it with the others; undefined while the team is off. */
  shared(agent: SharedFolderSetup['agent']): SharedFolder | undefined;
  /** Throws `conflict` while teammates of the present session are there: they belong to it. */
  leaveSession(): void;
  /** The lead speaks in another session from now on. */
  enterSession(): Promise<void>;
  /** How the team stands, as background for a request. */
  background(): Promise<string | undefined>;
  /** The next results for an idle lead to read, or undefined. */
  nextMail(): Extract<TurnInput, { kind: 'mail' }> | undefined;
  /** True while `nextMail` would have something. */
  hasMail(): boolean;
  /** Calls when results may have arrived. */
  onMail(listener: () => void): void;
  /** Resolves when nobody works and every box is empty. */
  idle(): Promise<void>;
  cost(): ReadonlyArray<{ readonly agent: string; readonly tokens: number; readonly costUsd: number | null }>;
  close(): Promise<void>;
}

/** The folder's rule for an agent of the lead's thread, while there is a team to share it with. */
export function sharedWith(team: Pick<TeamSide, 'shared'>, agent: Parameters<TeamSide['shared']>[0]): { readonly shared?: SharedFolder } {
  const shared = team.shared(agent);
  return shared === undefined ? {} : { shared };
}
