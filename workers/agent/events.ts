// What an agent does, as it happens: the one vocabulary between the loop and whoever watches it. Events are data only,
// so that they cross threads; they are never awaited and a listener must not throw.
import { type ErrorFacts, errorFacts, errorMessage } from '../../store/errors.ts';
import type { Usage } from '../../store/sessions/message.ts';

/** Why a turn ended. Only `done` is a completion. */
export type StopReason = 'done' | 'error' | 'interrupted' | 'budget' | 'rounds' | 'timeout';

export type AgentEvent =
  | {
      readonly type: 'turn_start';
      /** What `--session` takes, so that whoever reads along can go on with it after a kill. */
      readonly session: string;
      readonly turn: number;
      readonly prompt: string;
      readonly origin: 'user' | 'wakeup' | 'mail' | 'note' | 'resume';
    }
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'thinking'; readonly delta: string }
  | { readonly type: 'tool_start'; readonly key: string; readonly name: string; readonly args: Readonly<Record<string, unknown>> }
  | {
      readonly type: 'tool_end';
      readonly key: string;
      readonly name: string;
      readonly ok: boolean;
      /** Head of the result, for a screen. */
      readonly preview: string;
      readonly lines: number;
      readonly ms: number;
      readonly exitCode?: number;
      readonly diff?: string;
    }
  | { readonly type: 'turn_end'; readonly turn: number; readonly stopReason: StopReason; readonly text: string }
  | {
      readonly type: 'usage';
      readonly usage: Usage;
      /** Tokens the next request would carry, and the window they must fit. */
      readonly contextTokens: number;
      readonly window: number;
      /** US dollars so far in this session; null when unknown or a subscription. */
      readonly costUsd: number | null;
    }
  /** Something a person should know and need not act on: a retry, a compaction, a cut preload. */
  | {
      readonly type: 'notice';
      readonly code: NoticeCode;
      /** Plain English; what a person reads is put into their language where `retry` says what it is about. */
      readonly text: string;
      readonly retry?: Retry;
    }
  | ({ readonly type: 'error' } & ErrorFacts);

/** A request that failed and is made again. */
export interface Retry {
  readonly why: ErrorFacts;
  /** Until then, rounded up to tenths. */
  readonly seconds: number;
  /** 1 for the first. */
  readonly number: number;
}

/** What is told before the wait for a retry; `waitMs` in ms. */
export function retryNotice(number: number, waitMs: number, error: unknown): AgentEvent {
  const seconds = Math.ceil(waitMs / 100) / 10;
  const text = `${errorMessage(error)}; trying again in ${seconds} s (retry ${number})`;
  return { type: 'notice', code: 'retry', text, retry: { why: errorFacts(error), seconds, number } };
}

export type NoticeCode =
  | 'retry'
  | 'restart'
  | 'compaction'
  | 'images'
  | 'preload_cut'
  | 'resumed'
  | 'stays'
  | 'bad_file'
  | 'team'
  | 'memory'
  | 'identity'
  | 'search'
  | 'budget';

export type EmitAgentEvent = (event: AgentEvent) => void;
