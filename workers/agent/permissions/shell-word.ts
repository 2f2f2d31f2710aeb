// What a shell makes of one word besides taking its quotes away: the paths that a pattern stands for, or something that
// cannot be told beforehand.
import type { Word } from 'unbash';

/**
 * A word that the shell would replace: its pattern, or undefined when it cannot be told what it becomes (a list in braces,
 * quotes within a pattern). `none` for a word that stays as it is. Variables and substitutions are not looked at.
 */
export function patternOf(word: Word): { readonly pattern: string | undefined } | 'none' {
  if (!/[*?[{]|[+@!]\(/.test(word.text)) return 'none';
  const parts = word.parts ?? [{ type: 'Literal', text: word.text }];
  const bare = parts.filter(({ type }) => !QUOTED.has(type) && !EXPANDED.has(type)).map(({ text }) => text);
  const unescaped = bare.join('\u0001').replace(/\\[\s\S]/g, '');
  if (/\{[\s\S]*(,|\.\.)/.test(unescaped) || /[?*+@!]\(/.test(unescaped)) return { pattern: undefined };
  if (!/[*?[]/.test(unescaped)) return 'none';
  const simple = parts.every(
    ({ type, text }) => !EXPANDED.has(type) && !text.includes('\\') && !(QUOTED.has(type) && /[*?[\]!^-]/.test(text)),
  );
  return { pattern: simple ? word.value : undefined };
}

const QUOTED = new Set(['SingleQuoted', 'DoubleQuoted', 'AnsiCQuoted', 'LocaleString']);
const EXPANDED = new Set(['SimpleExpansion', 'ParameterExpansion', 'CommandExpansion', 'ArithmeticExpansion', 'ProcessSubstitution']);
