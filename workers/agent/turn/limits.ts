// When an agent must stop before its next model call. Pure; the loop asks before each round.

export interface Limits {
  /** Model rounds in one turn. */
  readonly maxRounds: number;
  /** US dollars for this agent's session. */
  readonly maxCostUsd?: number | undefined;
  /** True when somebody else's limit (the whole run's) has been reached; asked before each call. A teammate asks another thread. */
  readonly outOfBudget?: (() => boolean | Promise<boolean>) | undefined;
  /** Milliseconds since the epoch. */
  readonly deadline?: number | undefined;
}

export const DEFAULT_MAX_ROUNDS = 50;

export interface Spent {
  readonly rounds: number;
  readonly costUsd: number | null;
  readonly now: number;
  /** What `outOfBudget` answered. */
  readonly outOfBudget: boolean;
}

/** The limit that forbids another call, or undefined. */
export function limitReached(limits: Limits, spent: Spent): 'rounds' | 'budget' | 'timeout' | undefined {
  if (limits.deadline !== undefined && spent.now >= limits.deadline) return 'timeout';
  if (spent.rounds >= limits.maxRounds) return 'rounds';
  if (limits.maxCostUsd !== undefined && spent.costUsd !== null && spent.costUsd >= limits.maxCostUsd) return 'budget';
  if (spent.outOfBudget) return 'budget';
  return undefined;
}
