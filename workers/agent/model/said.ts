// What a server said, fit to be shown and stored. A server may say anything in an error: the key it was sent, codes that
// move a terminal's cursor, a whole page. No error of a model leaves this folder without going through here.
import { maskOf } from '../../../store/mask.ts';
import { visibleText } from '../tools/visible-text.ts';
import type { Auth } from './settings.ts';

/** One line without known secrets and control codes, at most 300 characters. */
export type Told = (text: string) => string;

const LONGEST = 300;

/** `secrets` is read for each text: a token may have been renewed meanwhile. */
export function toldWithout(secrets: () => readonly string[]): Told {
  // Masked before it is cut: half a key is no known secret any more, and after the codes are out: they may part one.
  return (text) => maskOf(secrets())(visibleText(text.replace(/\s+/g, ' ').trim())).slice(0, LONGEST);
}

/** What proves to the server who asks. */
export function secretsIn({ apiKey, bearer, headers = {} }: Auth): string[] {
  const named = Object.entries(headers).flatMap(([name, value]) =>
    /key|token|auth|secret|cookie/i.test(name) ? [value, value.replace(/^\S+ /, '')] : [],
  );
  return [apiKey, bearer, ...named].filter((value) => value !== undefined);
}
