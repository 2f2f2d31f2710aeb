// The name that somebody meant who wrote another one: for "did you mean" where nothing may be guessed in silence.

/** Farther apart than this, two names are different words rather than one with a slip in it. */
const MOST_SLIPS = 2;

/** The known name that `given` is most likely a slip of, or undefined when none is near. Case, "-" and "_" do not count. */
export function nearestOf(given: string, known: readonly string[]): string | undefined {
  const plain = (name: string) => name.toLowerCase().replace(/[-_]/g, '');
  let nearest: string | undefined;
  let least = MOST_SLIPS + 1;
  for (const name of known) {
    const slips = slipsBetween(plain(given), plain(name));
    // In a short word two slips make any other word of it.
    if (slips < least && slips * 2 < plain(name).length) [nearest, least] = [name, slips];
  }
  return nearest;
}

/** Letters to add, drop or change to get from one to the other (Levenshtein). */
function slipsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MOST_SLIPS) return MOST_SLIPS + 1;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 0;
}
