// Uses the login of the official Kimi programs: a token for every request, renewed once per expiry however many
// processes and programs share the file. Order under our lease: their lock, re-read, adopt a newer token, else refresh.
import { type Clock, sleep } from '../clock.ts';
import { errorMessage, isAbort, XzError } from '../errors.ts';
import type { Locks } from '../lock.ts';
import { withForeignLock } from './foreign-lock.ts';
import { canStore, isExpired, type KimiLogin, readKimiLogins, storeKimiLogin, wantsRefresh } from './kimi-file.ts';
import { refreshKimiToken } from './kimi-refresh.ts';

export const KIMI_LOGIN_COMMAND = 'kimi login';

export interface KimiAuth {
  /** A token that is good now. Throws `not_configured` when there is no login or it cannot be renewed. */
  token(signal?: AbortSignal): Promise<string>;
  /** After a 401 for `rejected`: a token that differs from it. */
  renew(rejected: string, signal?: AbortSignal): Promise<string>;
}

export interface KimiAuthInput {
  readonly paths: readonly string[];
  readonly host: string;
  /** Asked only when a request is made. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Locks of the home: the lease is shared by all workspaces. */
  readonly locks: () => Locks;
  readonly clock: Clock;
}

export function kimiAuth(input: KimiAuthInput): KimiAuth {
  const { paths, clock } = input;
  const best = (): KimiLogin => {
    const { logins, bad } = readKimiLogins(paths);
    const [login] = logins;
    if (login !== undefined) return login;
    throw noLogin(bad.length > 0 ? bad.map(({ path, why }) => `${path}: ${why}`).join('; ') : `no Kimi login in ${paths.join(' or ')}`);
  };
  const renewUnderLease = (isGood: (login: KimiLogin) => boolean, signal: AbortSignal | undefined) =>
    input.locks().withLease('kimi-refresh', signal, async () => {
      const problems: string[] = [];
      for (const login of readKimiLogins(paths).logins) {
        const outcome = await renewOne(input, login, isGood, signal);
        if (typeof outcome !== 'string') return outcome.accessToken;
        problems.push(`${login.path}: ${outcome}`);
      }
      throw noLogin(problems.join('; ') || `no Kimi login in ${paths.join(' or ')}`);
    });
  return {
    async token(signal) {
      const login = best();
      const now = clock.now();
      if (!wantsRefresh(login, now)) return login.accessToken;
      try {
        return await renewUnderLease((other) => !wantsRefresh(other, clock.now()), signal);
      } catch (error) {
        // Half of the life is still left: what fails now may succeed at the next request.
        if (isAbort(error) || isExpired(login, clock.now())) throw error;
        return login.accessToken;
      }
    },
    renew: (rejected, signal) => renewUnderLease((other) => other.accessToken !== rejected && !isExpired(other, clock.now()), signal),
  };
}

/** The login, renewed or adopted; or why it could not be. */
async function renewOne(
  input: KimiAuthInput,
  found: KimiLogin,
  isGood: (login: KimiLogin) => boolean,
  signal: AbortSignal | undefined,
): Promise<KimiLogin | string> {
  const { clock } = input;
  if (isGood(found)) return found;
  if (found.refreshToken === undefined) return 'it holds no refresh_token';
  if (!canStore(found.path)) return 'it is read-only, so a new token could not be stored';
  return withForeignLock(found.path, clock, signal, async () => {
    const login = reread(found.path) ?? found;
    if (isGood(login)) return login;
    if (login.refreshToken === undefined) return 'it holds no refresh_token';
    const { host } = input;
    try {
      const answer = await refreshKimiToken({ host, headers: input.headers(), refreshToken: login.refreshToken, clock, signal });
      if (answer.kind === 'fresh') return storeKimiLogin(login, answer.token, clock.now());
      const theirs = await adopted(login, isGood, clock, signal);
      return theirs ?? `the login was refused (${answer.why})`;
    } catch (error) {
      if (isAbort(error)) throw error;
      const theirs = reread(login.path);
      if (theirs !== undefined && isGood(theirs)) return theirs;
      return errorMessage(error);
    }
  });
}

/** A program that does not take the lock may have spent the token a moment ago and be about to write the new one. */
async function adopted(
  used: KimiLogin,
  isGood: (login: KimiLogin) => boolean,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<KimiLogin | undefined> {
  for (let look = 0; look < 10; look++) {
    const login = reread(used.path);
    if (login !== undefined && login.accessToken !== used.accessToken && isGood(login)) return login;
    if (!(await sleep(clock, 200, signal))) return undefined;
  }
  return undefined;
}

function reread(path: string): KimiLogin | undefined {
  return readKimiLogins([path]).logins[0];
}

function noLogin(what: string): XzError {
  return new XzError('not_configured', what, {
    hint: `log in with \`${KIMI_LOGIN_COMMAND}\`, or set XZ_API_KEY, or run \`xz config setup\``,
    data: { kind: 'login' },
  });
}
