// What is never written to memory: keys, tokens, passwords. Memory is preloaded and recalled, so a secret in it would be
// sent with requests for ever. Pure.

const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\b(?:sk|pk|rk)[-_](?:live[-_]|test[-_]|ant[-_]|proj[-_])?[A-Za-z0-9_-]{16,}/,
  /\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\btvly-[A-Za-z0-9-]{12,}/,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{6,}/,
  /\/\/[^\s/:@]+:[^\s/@]{3,}@/,
  /\bbearer\s+[A-Za-z0-9._~+/-]{16,}/i,
  // "the password is stored in 1Password" names no secret: a value must follow, with a digit or a mark in it.
  /(?:\b(?:password|passwd|pwd|passphrase|secret|token|api[-_ ]?key|access[-_ ]?key)\b|密码|口令|密钥)["']?\s*(?:[:=：]|\bis\b|是|为)\s*["'`]?(?=\S*[\d!@#$%^&*_-])[^\s"'`]{6,}/i,
];

/** True when a text looks as if it held a secret, or holds one of the known ones (at least six characters long). */
export function looksSecret(text: string, known: readonly string[] = []): boolean {
  return SHAPES.some((shape) => shape.test(text)) || known.some((value) => value.length >= 6 && text.includes(value));
}
