// Another day for a program that is run: its clock goes on from a later date.

/** The environment of a program whose clock is `days` ahead. */
export function daysLater(days: number): Readonly<Record<string, string>> {
  if (days === 0) return {};
  const shift = `const now = Date.now; Date.now = () => now() + ${days * 86_400_000};`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}` };
}
