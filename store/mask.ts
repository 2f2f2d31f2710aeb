// Secrets are taken out of everything that is stored or sent: the values are known, so they are found wherever they
// were printed, whatever printed them.

export const MASK = '[secret]';
/** A shorter value would be found in ordinary words. */
const SHORTEST = 8;

export type Mask = (text: string) => string;

/** A function that replaces every known secret. Longer ones first: one may be the beginning of another. */
export function maskOf(secrets: readonly string[]): Mask {
  const known = [...new Set(secrets.map((secret) => secret.trim()).filter((secret) => secret.length >= SHORTEST))].sort(
    (a, b) => b.length - a.length,
  );
  if (known.length === 0) return (text) => text;
  return (text) => known.reduce((left, secret) => (left.includes(secret) ? left.replaceAll(secret, () => MASK) : left), text);
}

/**
 * Masks a text that arrives in pieces: what might be the beginning of a secret is held back until the next piece.
 * `end()` gives the rest.
 */
export function maskStream(secrets: readonly string[]): { write(piece: string): string; end(): string } {
  const mask = maskOf(secrets);
  const longest = Math.max(0, ...secrets.map((secret) => secret.length));
  let held = '';
  return {
    write(piece) {
      if (longest < SHORTEST) return piece;
      const text = mask(held + piece);
      const keep = heldBack(text, secrets, longest);
      held = text.slice(text.length - keep);
      return text.slice(0, text.length - keep);
    },
    end() {
      const rest = held;
      held = '';
      return rest;
    },
  };
}

/** Length of the longest end of `text` that is a beginning of some secret. */
function heldBack(text: string, secrets: readonly string[], longest: number): number {
  for (let length = Math.min(longest - 1, text.length); length > 0; length--) {
    const tail = text.slice(text.length - length);
    if (secrets.some((secret) => secret.length > length && secret.startsWith(tail))) return length;
  }
  return 0;
}
