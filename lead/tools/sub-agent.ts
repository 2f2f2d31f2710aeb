// What a one-shot sub-agent is to the tools that start one: a task in, the end of its only turn out.
import type { StopReason } from '../../workers/agent/events.ts';
import type { CallOrigin } from '../../workers/agent/tools/tool.ts';

export interface SubAgentInput {
  /** The whole request, as the sub-agent reads it. */
  readonly task: string;
  /** A few words, for the screen and the history. */
  readonly title: string;
  readonly signal: AbortSignal;
  /** The call that started it: its session's id is derived from it. */
  readonly origin: CallOrigin;
}

export interface SubAgentEnd {
  /** Only `done` is a completion. */
  readonly stopReason: StopReason;
  /** Its last reply, whole. */
  readonly text: string;
}

/** The failure of a task whose sub-agent ended with its process. */
export const CUT_SHORT = 'the sub-agent was cut short';

/** Runs an agent of its own context to its end. It has no sub-agents, no task-writing and no team tools. */
export type RunSubAgent = (input: SubAgentInput) => Promise<SubAgentEnd>;

/** Why a sub-agent did not complete, in words; undefined when it did. */
export function whyUnfinished(end: SubAgentEnd): string | undefined {
  switch (end.stopReason) {
    case 'done':
      return undefined;
    case 'error':
      return 'it ended with an error';
    case 'interrupted':
      return 'it was interrupted';
    case 'budget':
      return 'it reached the cost limit';
    case 'rounds':
      return 'it reached the round limit';
    case 'timeout':
      return 'it reached the time limit';
  }
}
