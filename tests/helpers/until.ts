// Waits on a condition instead of a time. The limit is there to end a hang, not to measure anything.
import { errorMessage } from '../../store/errors.ts';

/** Resolves with the first value of `probe` that is neither undefined nor false; a throw counts as "not yet". */
export async function until<T>(
  probe: () => T | Promise<T>,
  what = 'the condition',
  limitMs = 30_000,
): Promise<Exclude<T, undefined | false | null>> {
  const end = Date.now() + limitMs;
  let last = '';
  for (let pause = 2; ; pause = Math.min(pause * 1.5, 50)) {
    try {
      const value = await probe();
      if (isThere(value)) return value;
    } catch (error) {
      last = ` (last: ${errorMessage(error)})`;
    }
    if (Date.now() > end) throw new Error(`waited ${limitMs} ms for ${what}${last}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function isThere<T>(value: T): value is Exclude<T, undefined | false | null> {
  return value !== undefined && value !== false && value !== null;
}
