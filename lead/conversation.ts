// What a person's side (screen, REPL, `xz once`, a scheduled run) may ask of the lead. Everything that happens comes
// back as LeadEvents; nothing here waits for a whole turn except `idle` and `close`.

import type { MessageRow } from '../store/sessions/sessions.ts';
import type { StopReason } from '../workers/agent/events.ts';
import type { EmitLeadEvent, Question, TeammateState } from './events.ts';
import type { KeptWorktree } from './team/landing.ts';

export type PermissionMode = 'plan' | 'ask' | 'auto-edit' | 'yolo';

export interface ModelFacts {
  readonly provider: string;
  readonly model: string;
  /** Host of the base URL. */
  readonly host: string;
  readonly window: number;
  /** `subscription`, `unknown`, or a price in words. */
  readonly price: string;
}

/** One turn's outcome, for callers that wait for it. */
export interface TurnOutcome {
  readonly stopReason: StopReason;
  readonly text: string;
}

export interface TeammateStatus {
  readonly name: string;
  readonly role: string;
  readonly state: TeammateState;
  readonly activity: string;
  readonly since: number;
  readonly task: string | undefined;
  readonly worktree: string | undefined;
  readonly branch: string | undefined;
  readonly tokens: number;
  readonly costUsd: number | null;
  /** The lead's session that it waits in; absent for one of the present session. */
  readonly session?: string;
  /** Files of the main folder that it changed last, or those it changed in its worktree in this turn; relative. */
  readonly files: readonly string[];
}

/** A teammate with what git and its folder say of its work now. */
export interface TeammateStanding extends TeammateStatus {
  /** True while work of this teammate has not landed. */
  readonly unfinished: boolean;
  /** The worktree that it left when it went, and why; undefined when none is left. */
  readonly kept: KeptWorktree | undefined;
}

export interface TeamControl {
  enabled(): boolean;
  status(): readonly TeammateStatus[];
  standings(): Promise<readonly TeammateStanding[]>;
  /** Throws `refused` when another process leads this workspace's team. */
  on(): Promise<void>;
  /** Ends all teammates and waits; resolves to the branches kept because their work has not landed. */
  off(): Promise<readonly string[]>;
  message(name: string, text: string): Promise<void>;
  interrupt(name: string): Promise<void>;
  release(name: string): Promise<string>;
  merge(name: string): Promise<string>;
  /** The teammate's own conversation so far. */
  transcript(name: string): readonly MessageRow[];
}

export interface Conversation {
  /** Id of the session in use; changes with `startNew` and `resume`. */
  session(): string;
  model(): ModelFacts;
  mode(): PermissionMode;
  setMode(mode: PermissionMode): void;
  /** Switches model (and provider) for the next request of this session. */
  setModel(model: string, provider?: string): Promise<void>;
  /** Calls `listener` for every event from now on; returns the way to stop. Listeners must not throw. */
  listen(listener: EmitLeadEvent): () => void;

  /** Starts a turn, or queues the text behind the one that runs. */
  submit(text: string): void;
  /**
   * Queues a wake-up: `[Scheduled Task: <description>]` with its task id. `mode` is the most that its turn may do: a
   * conversation in a wider mode is narrowed to it for that turn, since a task made in mode ask must not gain by being run later.
   */
  wake(input: { readonly taskId: string; readonly description: string; readonly mode?: PermissionMode }): Promise<TurnOutcome>;
  queued(): readonly string[];
  /** Takes the newest queued text back into the editor. */
  takeBack(): string | undefined;
  running(): boolean;
  /** Rolls the running turn back; the files it changed stay and are named. Resolves when the turn has unwound. */
  interrupt(): Promise<void>;
  questions(): readonly Question[];
  answer(id: string, verdict: 'allow' | 'refuse' | 'always'): void;

  /** Rows of the session, for drawing it again. */
  rows(): readonly MessageRow[];
  /** Summarises the conversation now; resolves to what happened, in words. */
  compact(): Promise<string>;
  startNew(): Promise<void>;
  resume(session: string): Promise<void>;
  /** Recall and extraction for this session; begins as the settings say. */
  memoryOn(): boolean;
  setMemory(on: boolean): void;
  /** Usage and cost by agent. */
  cost(): ReadonlyArray<{ readonly agent: string; readonly tokens: number; readonly costUsd: number | null }>;
  todos(): ReadonlyArray<{ readonly id: number; readonly text: string; readonly state: string }>;
  readonly team: TeamControl;
  /** Resolves when no turn runs, nothing is queued and the team is idle. */
  idle(): Promise<void>;
  /** Stops turns, teammates and shells within the deadline; keeps all work. */
  close(): Promise<void>;
}
