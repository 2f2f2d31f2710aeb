// Time as a dependency: everything that needs "now" or a timer takes a Clock, so tests can hold it still.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `fn` once after `ms` milliseconds (at most 2^31-1; see `sleep` for longer); returns the way to cancel it. */
  after(ms: number, fn: () => void): () => void;
}

/** Node fires a longer timer at once (a 32-bit overflow), so longer waits are split. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or at once when the signal fires; never rejects. Returns true when the whole time passed. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(false);
    let cancel = () => {};
    const onAbort = () => {
      cancel();
      resolve(false);
    };
    const arm = (left: number) => {
      const step = Math.min(left, LONGEST_TIMER_MS);
      cancel = clock.after(step, () => {
        if (left > step) return arm(left - step);
        signal?.removeEventListener('abort', onAbort);
        resolve(true);
      });
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    arm(Math.max(0, ms));
  });
}

const pad = (n: number, width = 2): string => String(Math.abs(n)).padStart(width, '0');

/** ISO 8601 with the person's own offset, such as `2026-03-03T09:00:00.000+08:00`: exact, and readable where it was written. */
export function isoWithOffset(ms: number): string {
  const d = new Date(ms);
  const offset = -d.getTimezoneOffset();
  const sign = offset < 0 ? '-' : '+';
  const zone = `${sign}${pad(Math.trunc(offset / 60))}:${pad(offset % 60)}`;
  return `${localDate(ms)}T${localTime(ms)}.${pad(d.getMilliseconds(), 3)}${zone}`;
}

/** The local calendar day, `YYYY-MM-DD`. Never taken from UTC: near midnight that is another day. */
export function localDate(ms: number): string {
  const d = new Date(ms);
  return `${pad(d.getFullYear(), 4)}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`;
}

/** The local time of day, `HH:MM:SS`. */
export function localTime(ms: number): string {
  const d = new Date(ms);
  return `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`;
}

/** The local calendar day `YYYY-MM-DD` as half-open milliseconds (23 to 25 hours long), or undefined when there is no such day. */
export function localDay(date: string): { readonly start: number; readonly end: number } | undefined {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(date) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const start = new Date(year, month - 1, day).getTime();
  // 30 February becomes 2 March: only a day that comes back as itself exists.
  return localDate(start) === date ? { start, end: new Date(year, month - 1, day + 1).getTime() } : undefined;
}
