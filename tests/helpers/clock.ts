// A clock that stands still until the test moves it. Timers fire in order of time, then of setting; after each one the
// promises it woke run, so that a timer set by the awaited code still fires within the same `advance`.
import type { Clock } from '../../store/clock.ts';

export interface FakeClock extends Clock {
  /** Moves the time on by `ms`, firing what falls due on the way. */
  advance(ms: number): Promise<void>;
  /** Sets the time without firing anything: what a sleeping laptop or a corrected clock does. */
  jump(to: number): void;
  /** Timers that wait. */
  pending(): number;
  /** Milliseconds until the next timer, or undefined. */
  next(): number | undefined;
}

interface Timer {
  readonly at: number;
  readonly fn: () => void;
}

/** Lets promises and immediate callbacks that are ready run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export function fakeClock(startMs = Date.UTC(2026, 2, 3, 9, 0, 0)): FakeClock {
  let now = startMs;
  let timers: Timer[] = [];
  const due = (until: number): Timer | undefined =>
    timers
      .filter((timer) => timer.at <= until)
      .reduce<Timer | undefined>((first, timer) => (first && first.at <= timer.at ? first : timer), undefined);
  return {
    now: () => now,
    after(ms, fn) {
      const timer = { at: now + Math.max(0, ms), fn };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const until = now + ms;
      await settle();
      for (let timer = due(until); timer; timer = due(until)) {
        const fired = timer;
        timers = timers.filter((other) => other !== fired);
        now = Math.max(now, fired.at);
        fired.fn();
        await settle();
      }
      now = until;
    },
    jump(to) {
      now = to;
    },
    pending: () => timers.length,
    next: () => timers.reduce<number | undefined>((soonest, { at }) => Math.min(soonest ?? Infinity, at - now), undefined),
  };
}
