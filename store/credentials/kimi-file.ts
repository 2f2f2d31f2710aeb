// The credentials file of the official Kimi programs: read, judged, and written back with every field that is not ours
// to know. The file belongs to them: it is never deleted, and never written when it changed under us.
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, errorMessage } from '../errors.ts';
import { readText, writeFileAtomic } from '../files.ts';
import { followLink } from '../links.ts';

export interface KimiLogin {
  readonly path: string;
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Ms since the epoch; undefined when the file does not say. */
  readonly expiresAt: number | undefined;
  /** The token's whole life in ms, when the file says. */
  readonly lifeMs: number | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Why a file gives no login. */
export interface NoLogin {
  readonly path: string;
  readonly why: string;
}

/** Answer of the token endpoint. */
export interface FreshToken {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Seconds. */
  readonly expiresIn: number | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Smaller numbers are seconds: as milliseconds they would lie before March 1973. */
const LEAST_MS = 1e11;

/** A moment written as seconds, milliseconds, a float, digits in a string or ISO text, in ms; undefined for anything else. */
export function momentOf(value: unknown): number | undefined {
  if (typeof value === 'string') {
    const text = value.trim();
    if (/^\d+(\.\d+)?$/.test(text)) return momentOf(Number(text));
    const parsed = /^\d{4}-/.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(parsed) ? undefined : parsed;
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0) return undefined;
  return Math.round(value < LEAST_MS ? value * 1000 : value);
}

/** Reads one file; undefined when there is none. */
function readKimiLogin(path: string): KimiLogin | NoLogin | undefined {
  let fields: unknown;
  try {
    const text = readText(path);
    if (text === undefined) return undefined;
    fields = JSON.parse(text);
  } catch (error) {
    return { path, why: error instanceof SyntaxError ? 'it is not JSON' : `it cannot be read (${errnoOf(error) ?? errorMessage(error)})` };
  }
  if (!isFields(fields)) return { path, why: 'it is not an object' };
  const { access_token: accessToken, refresh_token: refreshToken } = fields;
  if (typeof accessToken !== 'string' || !/^[\x21-\x7e]+$/.test(accessToken)) return { path, why: 'it holds no access_token' };
  const lifeMs = typeof fields.expires_in === 'number' && fields.expires_in > 0 ? fields.expires_in * 1000 : undefined;
  return {
    path,
    accessToken,
    refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined,
    expiresAt: momentOf(fields.expires_at) ?? (lifeMs === undefined ? undefined : statSync(path).mtimeMs + lifeMs),
    lifeMs,
    fields,
  };
}

/** The logins of all paths, the one that expires last first; one that does not say is last. */
export function readKimiLogins(paths: readonly string[]): { readonly logins: readonly KimiLogin[]; readonly bad: readonly NoLogin[] } {
  const read = paths.map(readKimiLogin).filter((login) => login !== undefined);
  const logins = read.filter((login): login is KimiLogin => 'accessToken' in login);
  return {
    logins: logins.sort((a, b) => (b.expiresAt ?? 0) - (a.expiresAt ?? 0)),
    bad: read.filter((login): login is NoLogin => 'why' in login),
  };
}

/** True when less than half of the token's life is left (300 s where its life is not known). */
export function wantsRefresh(login: KimiLogin, now: number): boolean {
  if (login.expiresAt === undefined) return false;
  return login.expiresAt - now < (login.lifeMs === undefined ? 300_000 : login.lifeMs / 2);
}

export function isExpired(login: KimiLogin, now: number): boolean {
  return login.expiresAt !== undefined && login.expiresAt <= now;
}

/**
 * True when a new token could be stored. Asked before a refresh, because refresh tokens are single use: one that is
 * spent and not written back ends the login for every program.
 */
export function canStore(path: string): boolean {
  try {
    const target = followLink(path);
    accessSync(target, constants.W_OK);
    accessSync(dirname(target), constants.W_OK);
    return (statSync(target).mode & 0o222) !== 0;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS', 'ENOENT'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

/** Writes a new token over the login it came from, unless the file has another token by now; returns what the file holds then. */
export function storeKimiLogin(used: KimiLogin, fresh: FreshToken, now: number): KimiLogin {
  const present = readKimiLogin(used.path);
  // A new login by the person in the meantime is theirs to keep.
  if (present !== undefined && 'accessToken' in present && present.refreshToken !== used.refreshToken) return present;
  const base = present !== undefined && 'fields' in present ? present.fields : used.fields;
  const expiresAt = fresh.expiresIn === undefined ? undefined : now + fresh.expiresIn * 1000;
  const fields: Record<string, unknown> = {
    ...base,
    ...fresh.fields,
    access_token: fresh.accessToken,
    refresh_token: fresh.refreshToken ?? used.refreshToken,
    ...(expiresAt === undefined ? {} : { expires_at: inUnitOf(base.expires_at, expiresAt) }),
  };
  // The old moment says nothing about the new token.
  if (expiresAt === undefined && fresh.fields.expires_at === undefined) delete fields.expires_at;
  writeFileAtomic(used.path, `${JSON.stringify(fields)}\n`, { private: true });
  const written = readKimiLogin(used.path);
  if (written !== undefined && 'accessToken' in written) return written;
  return { ...used, accessToken: fresh.accessToken, refreshToken: fresh.refreshToken ?? used.refreshToken, expiresAt, fields };
}

/** The other programs read the unit they wrote. */
function inUnitOf(before: unknown, ms: number): unknown {
  if (typeof before === 'number') return before < LEAST_MS ? ms / 1000 : ms;
  if (typeof before !== 'string') return ms / 1000;
  if (!/^\d+(\.\d+)?$/.test(before.trim())) return new Date(ms).toISOString();
  return String(Number(before) < LEAST_MS ? Math.round(ms / 1000) : ms);
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
