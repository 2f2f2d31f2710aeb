// How many tokens a text is worth to a model, roughly: a Han, kana or Hangul character counts one, other text a quarter
// of its characters. An estimate for budgets and chunk sizes, never for billing.

const WIDE = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}]/gu;

export function estimateTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / 4);
}
