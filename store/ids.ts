// Names and ids. Every name that becomes a path or a key is checked here first, before any mkdir.
import { localDate } from './clock.ts';
import { XzError } from './errors.ts';

/** Loaded at first use: node:crypto alone costs a cold command a sixth of a bare start. */
const crypto = () => process.getBuiltinModule('node:crypto');

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
let lastTime = 0;
let lastCount = 0;

/** `length` random characters of [0-9a-z]. */
export function randomId(length = 10): string {
  let out = '';
  // 252 is the largest multiple of 36 in a byte; larger bytes are thrown away so that no character is favoured.
  while (out.length < length)
    for (const byte of crypto().randomBytes(length * 2)) if (byte < 252 && out.length < length) out += ALPHABET[byte % 36];
  return out;
}

/** An id that sorts by time of making: 9 base-36 digits of milliseconds, 3 of a counter, 6 random. Unique over processes. */
export function sortableId(now: number): string {
  lastCount = now === lastTime ? lastCount + 1 : 0;
  lastTime = now;
  return now.toString(36).padStart(9, '0') + lastCount.toString(36).padStart(3, '0').slice(-3) + randomId(6);
}

/** An id with the time of `base` (a sortable id) and a tail derived from `parts`: the same parts give the same id. */
export function derivedId(base: string, ...parts: readonly string[]): string {
  return base.slice(0, 12) + stableHash(...parts).slice(0, 10);
}

/** Hex SHA-256 of the parts; each part is length-prefixed, so `('a','bc')` and `('ab','c')` differ. */
export function stableHash(...parts: readonly string[]): string {
  const hash = crypto().createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

/** A session id: the local date and six characters, `2026-03-01-abc123`. */
export function sessionId(now: number): string {
  return `${localDate(now)}-${randomId(6)}`;
}

/**
 * A readable id from a title in any script: lower case, words joined by `-`, at most `maxBytes` of UTF-8.
 * Returns `fallback` when no letter or digit is left.
 */
export function slug(title: string, maxBytes: number, fallback: string): string {
  const words =
    title
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  let out = '';
  for (const char of words.join('-')) {
    if (Buffer.byteLength(out + char) > maxBytes) break;
    out += char;
  }
  return out.replace(/-+$/u, '') || fallback;
}

const AGENT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const RESERVED = new Set(['lead', 'user', 'all']);
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** Checks the name of a teammate-to-be: pattern, reserved words, and clashes with `taken` ignoring case. */
export function checkAgentName(name: string, taken: readonly string[] = []): string {
  const refuse = (why: string): never => {
    throw new XzError('bad_input', `"${name.slice(0, 60)}" cannot be a teammate's name: ${why}`, {
      hint: 'use a letter, then up to 31 letters, digits, "_" or "-"',
    });
  };
  if (!AGENT_NAME.test(name)) return refuse('it does not fit [A-Za-z][A-Za-z0-9_-]{0,31}');
  if (RESERVED.has(name.toLowerCase())) return refuse('it is reserved');
  if (WINDOWS_DEVICE.test(name)) return refuse('some systems reserve it');
  const clash = taken.find((other) => other.toLowerCase() === name.toLowerCase());
  if (clash !== undefined)
    throw new XzError('bad_input', `"${name}" cannot be a teammate's name: "${clash}" is there already`, {
      hint: 'give it work with assign_task, or choose another name',
    });
  return name;
}

/** True when `name` may be a folder of `.Mailbox/`: a teammate's name or `Lead`. */
export function isMailboxName(name: string): boolean {
  return name === 'Lead' || (AGENT_NAME.test(name) && !RESERVED.has(name.toLowerCase()));
}

/** `ambiguous`, with the first of the candidates in the message. */
export function notUnique(what: string, given: string, candidates: readonly string[]): XzError {
  const some = `${candidates.slice(0, 5).join(', ')}${candidates.length > 5 ? ', …' : ''}`;
  return new XzError('ambiguous', `${what}: ${some}`, { hint: 'name one of them in full', data: { given, candidates: some } });
}

/**
 * The one id of `ids` that `given` names: an exact match, else a unique prefix.
 * Throws `not_found` or `ambiguous`, with the candidates in the message.
 */
export function resolvePrefix(given: string, ids: readonly string[], what: string): string {
  if (ids.includes(given)) return given;
  const hits = given === '' ? [] : ids.filter((id) => id.startsWith(given));
  const [first] = hits;
  if (hits.length === 1 && first !== undefined) return first;
  if (hits.length > 1) throw notUnique(`${what} "${given}" is not unique`, given, hits);
  throw new XzError('not_found', `no ${what} "${given}"`, { data: { kind: what, given } });
}
