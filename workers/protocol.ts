// The contract between the lead's thread and a teammate's: what a teammate is started with, what each side may call on
// the other. Both sides speak comlink over one MessagePort; everything here is plain data.
import { type Static, Type } from 'typebox';
import { parserOf } from '../store/schema.ts';
import type { AgentEvent } from './agent/events.ts';

export const StartSchema = Type.Object({
  name: Type.String(),
  role: Type.String(),
  /** The stored session it speaks in, the same over every respawn. */
  session: Type.String(),
  /** The lead's session, for `history list --all` and the permission mode's ceiling. */
  parent: Type.String(),
  epoch: Type.String(),
  /** Epoch that its mail to the lead carries. */
  leadEpoch: Type.String(),
  /** Workspace root, where the shared stores are. */
  workspace: Type.String(),
  /** Folder it works in: its worktree, or the workspace itself. */
  root: Type.String(),
  branch: Type.Optional(Type.String()),
  /** Said to the model once: base commit, files of the person it does not have, empty submodules, or why there is no worktree. */
  place: Type.String(),
  mode: Type.Union([Type.Literal('plan'), Type.Literal('ask'), Type.Literal('auto-edit'), Type.Literal('yolo')]),
  /** Command-line options that decide the model. */
  flags: Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean()])),
  /** Permission rules allowed in this session beyond those of the settings. */
  allow: Type.Array(Type.String()),
  trusted: Type.Boolean(),
  /** Name under which this process holds its life lease; its temp files and shells carry it. */
  processName: Type.String(),
  version: Type.String(),
  /** Folder with `xz` for its tool shells. */
  binFolder: Type.Optional(Type.String()),
  language: Type.Union([Type.Literal('en'), Type.Literal('zh')]),
});

export type TeammateStart = Static<typeof StartSchema>;

export const startParser = parserOf(StartSchema, 'the start of a teammate');

export type MemberState = 'idle' | 'working' | 'ending' | 'ended';

export interface MemberStatus {
  readonly state: MemberState;
  readonly activity: 'thinking' | 'tool' | 'waiting' | 'asking';
  /** The tool call in short, or what is waited for. */
  readonly detail?: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly task?: string;
  readonly tokens: number;
  readonly costUsd: number | null;
  /** Files changed in this turn. */
  readonly files: readonly string[];
}

/** What an agent wants to know before it runs a call. */
export interface PermissionRequest {
  readonly tool: string;
  readonly summary: string;
  readonly rule: string;
  readonly diff?: string;
}

export type PermissionAnswer = { readonly verdict: 'allow' | 'always' } | { readonly verdict: 'refuse'; readonly reason: string };

/** What the teammate's thread offers. Called without waiting for the answer, which a dying thread would never send. */
export interface TeammateApi {
  /** There may be new mail; `file` is its name in `new/`, if known. */
  wake(file?: string): void;
  /** Rolls the running turn back; the teammate then waits for mail before it goes on. */
  interrupt(): void;
  /** Stops the turn, leaving it open, and ends the thread's task. */
  stop(): void;
}

/** What the lead's thread offers. */
export interface LeadApi {
  ready(): void;
  event(event: AgentEvent): void;
  status(status: MemberStatus): void;
  ask(request: PermissionRequest): Promise<PermissionAnswer>;
  /** The turn that asked was stopped: its question, of which there is one at a time, is withdrawn and answered so. */
  withdraw(): void;
  /** Something was sent under this file name, to the lead or to another teammate: whoever it is for is woken at once. */
  mailed(file: string, to: string): void;
  /** True when the whole run's budget is used up. */
  outOfBudget(): boolean;
}
