// What waits for the lead's next turn, in the order it is taken: what a turn that was rolled back gives back, then what
// the person typed, then wake-ups, then mail. Pure state; the lead runs it.
import type { StopReason } from '../workers/agent/events.ts';
import type { PermissionMode } from './conversation.ts';

export type Pending =
  | { readonly kind: 'user'; readonly text: string }
  | {
      readonly kind: 'wakeup';
      readonly text: string;
      readonly taskId: string;
      /** The most that its turn may do. */
      readonly mode: PermissionMode | undefined;
      readonly settle: (stopReason: StopReason, text: string) => void;
    };

export interface TurnQueue {
  add(item: Pending): void;
  /** Back to the head: an interrupted turn's input. */
  giveBack(item: Pending): void;
  next(): Pending | undefined;
  /** Texts typed and not yet taken, oldest first. */
  typed(): readonly string[];
  /** Removes and returns the newest typed text. */
  takeBack(): string | undefined;
  empty(): boolean;
}

export function createTurnQueue(): TurnQueue {
  const typed: Pending[] = [];
  const wakeups: Pending[] = [];
  const laneOf = (item: Pending) => (item.kind === 'user' ? typed : wakeups);
  const texts = () => typed.flatMap((item) => (item.kind === 'user' ? [item.text] : []));
  return {
    add: (item) => void laneOf(item).push(item),
    giveBack: (item) => void laneOf(item).unshift(item),
    next: () => typed.shift() ?? wakeups.shift(),
    typed: texts,
    takeBack() {
      const last = typed.pop();
      return last?.kind === 'user' ? last.text : undefined;
    },
    empty: () => typed.length === 0 && wakeups.length === 0,
  };
}
