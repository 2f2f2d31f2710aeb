// All that a screen, a REPL or `--stream-json` may know: an agent's own events with the agent's name, and what happens
// in the team. Kinds are a closed set; screens switch over them exhaustively.
import type { AgentEvent } from '../workers/agent/events.ts';
import type { Evidence } from '../workers/evidence.ts';

export type TeammateState = 'starting' | 'idle' | 'working' | 'ending' | 'ended' | 'crashed';
export type Activity = 'thinking' | 'tool' | 'waiting' | 'asking';

/** A question to the person, one at a time, from whichever agent asks. */
export interface Question {
  readonly id: string;
  readonly agent: string;
  readonly tool: string;
  /** The command, the path, or the arguments in one line. */
  readonly summary: string;
  readonly diff?: string;
  readonly worktree?: string;
  /** The rule that "always" would add, such as `bash(npm test*)`. */
  readonly rule: string;
  /** Milliseconds since the epoch when it turns into a refusal. */
  readonly expiresAt: number;
}

export type LeadEvent =
  | (AgentEvent & { readonly agent: string })
  | {
      readonly type: 'mail';
      readonly from: string;
      readonly to: string;
      readonly mailType: string;
      readonly subject: string;
      readonly at: number;
      /** What a result says of itself, and beside it what was seen. */
      readonly claim?: string;
      readonly evidence?: Evidence;
    }
  | {
      readonly type: 'task';
      readonly id: string;
      readonly title: string;
      readonly state: string;
      readonly assignee?: string;
      readonly landed?: boolean;
    }
  | {
      readonly type: 'teammate';
      readonly name: string;
      readonly state: TeammateState;
      readonly activity: Activity;
      /** What the activity is about: a tool call in short. */
      readonly detail?: string;
      readonly since: number;
      readonly task?: string;
      readonly branch?: string;
      readonly worktree?: string;
      readonly tokens: number;
      readonly costUsd: number | null;
      readonly files: readonly string[];
    }
  | { readonly type: 'question'; readonly question: Question; readonly status: 'asked' | 'allowed' | 'refused' | 'expired' }
  | {
      readonly type: 'merge';
      readonly name: string;
      readonly outcome: 'queued' | 'merged' | 'conflict' | 'red' | 'refused' | 'nothing';
      readonly gate: string;
      readonly commit?: string;
      readonly detail?: string;
    }
  | { readonly type: 'end'; readonly stopReason: string; readonly text: string };

export type EmitLeadEvent = (event: LeadEvent) => void;
