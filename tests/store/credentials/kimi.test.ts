import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type KimiAuth, kimiAuth } from '../../../store/credentials/kimi.ts';
import { momentOf, readKimiLogins, wantsRefresh } from '../../../store/credentials/kimi-file.ts';
import { kimiDeviceId, kimiHeaders } from '../../../store/credentials/kimi-headers.ts';
import { XzError } from '../../../store/errors.ts';
import { homeLayout } from '../../../store/layout.ts';
import { type Locks, openLocks } from '../../../store/lock.ts';
import { type FakeClock, fakeClock } from '../../helpers/clock.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { startTokenServer, type TokenServer } from '../../helpers/token-server.ts';

const NOW = Date.UTC(2026, 2, 3, 9, 0, 0);
const LIFE_MS = 900_000;

interface Scene {
  readonly clock: FakeClock;
  readonly server: TokenServer;
  readonly path: string;
  readonly auth: KimiAuth;
  write(fields: Readonly<Record<string, unknown>>): void;
  read(): Record<string, unknown>;
}

async function scene(more: readonly string[] = []): Promise<Scene> {
  const clock = fakeClock(NOW);
  const server = await startTokenServer(LIFE_MS, clock.now);
  const root = tempFolder();
  const path = join(root, 'kimi-code.json');
  const locks: Locks = openLocks(join(root, 'locks'), 'test', clock);
  const auth = kimiAuth({
    paths: [path, ...more],
    host: server.host,
    headers: () => ({ 'X-Msh-Platform': 'xz' }),
    locks: () => locks,
    clock,
  });
  return {
    clock,
    server,
    path,
    auth,
    write: (fields) => writeFileSync(path, JSON.stringify(fields), { mode: 0o600 }),
    read: () => JSON.parse(readFileSync(path, 'utf8')),
  };
}

async function failure(run: Promise<unknown>): Promise<XzError> {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof XzError) return error;
  throw new Error(`expected an XzError, got ${String(error)}`);
}

/** Moves the clock on until the promise has settled. */
async function finish(promise: Promise<unknown>, clock: FakeClock): Promise<void> {
  let done = false;
  void promise.finally(() => {
    done = true;
  });
  while (!done) await clock.advance(100);
}

describe('the moment of expiry', () => {
  test.each([
    ['seconds', 1_772_528_400, 1_772_528_400_000],
    ['a float of seconds', 1_772_528_400.25, 1_772_528_400_250],
    ['milliseconds', 1_772_528_400_000, 1_772_528_400_000],
    ['digits in a string', '1772528400', 1_772_528_400_000],
    ['milliseconds in a string', '1772528400000', 1_772_528_400_000],
    ['ISO text', '2026-03-03T09:00:00Z', NOW],
  ])('is understood as %s', (_what, value, expected) => {
    expect(momentOf(value)).toBe(expected);
  });

  test.each([[undefined], [null], ['soon'], [-1], [Number.NaN], [{}]])('is unknown for %j', (value) => {
    expect(momentOf(value)).toBeUndefined();
  });

  test('leaves a margin of half the life, or 300 s', () => {
    const login = { path: '', accessToken: 'a', refreshToken: undefined, fields: {}, expiresAt: NOW + 400_000 };
    expect(wantsRefresh({ ...login, lifeMs: 900_000 }, NOW)).toBe(true);
    expect(wantsRefresh({ ...login, lifeMs: 700_000 }, NOW)).toBe(false);
    expect(wantsRefresh({ ...login, lifeMs: undefined }, NOW)).toBe(false);
    expect(wantsRefresh({ ...login, lifeMs: undefined }, NOW + 101_000)).toBe(true);
  });
});

describe('a token', () => {
  test('is taken as it is while most of its life is left', async () => {
    const { auth, server, write } = await scene();
    const { accessToken, refreshToken } = server.issue();
    write({ access_token: accessToken, refresh_token: refreshToken, expires_at: NOW / 1000 + 900, expires_in: 900 });
    expect(await auth.token()).toBe(accessToken);
    expect(server.presented).toEqual([]);
  });

  test('is renewed once when half its life is over, and every unknown field stays', async () => {
    const { auth, server, write, read, path, clock } = await scene();
    const { accessToken, refreshToken } = server.issue();
    write({
      access_token: accessToken,
      refresh_token: refreshToken,
      expires_at: NOW / 1000 + 100,
      expires_in: 900,
      region: 'cn',
      nested: { a: [1] },
    });
    chmodSync(path, 0o644);
    const asked = Promise.all([auth.token(), auth.token(), auth.token()]);
    await finish(asked, clock);
    const tokens = await asked;
    expect(new Set(tokens)).toEqual(new Set(['access-2']));
    expect(server.presented).toEqual([refreshToken]);
    expect(read()).toMatchObject({
      access_token: 'access-2',
      refresh_token: 'refresh-2',
      region: 'cn',
      nested: { a: [1] },
      scope: 'kimi-code',
    });
    expect(Math.round(Number(read().expires_at))).toBeGreaterThanOrEqual(NOW / 1000 + 900);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(server.headers[0]?.['x-msh-platform']).toBe('xz');
  });

  test('keeps the unit of time that the other program wrote', async () => {
    const { auth, server, write, read } = await scene();
    write({ access_token: 'old', refresh_token: server.issue().refreshToken, expires_at: String(NOW) });
    await auth.token();
    expect(read().expires_at).toBe(String(NOW + LIFE_MS));
  });

  test('comes from the file that expires last', async () => {
    const other = join(tempFolder(), 'kimi-code.json');
    const { auth, write } = await scene([other]);
    write({ access_token: 'early', expires_at: NOW / 1000 + 1000 });
    writeFileSync(other, JSON.stringify({ access_token: 'late', expires_at: NOW / 1000 + 2000 }));
    expect(await auth.token()).toBe('late');
  });

  test('from a bad file is no token, and the other file still serves', async () => {
    const other = join(tempFolder(), 'kimi-code.json');
    const { auth, path } = await scene([other]);
    writeFileSync(path, '{"access_token": ');
    writeFileSync(other, JSON.stringify({ access_token: 'fine', expires_at: NOW / 1000 + 2000 }));
    expect(await auth.token()).toBe('fine');
    expect(readKimiLogins([path]).bad).toEqual([{ path, why: 'it is not JSON' }]);
    expect(readFileSync(path, 'utf8')).toBe('{"access_token": ');
  });

  test('is adopted when another program renewed it after our 401', async () => {
    const { auth, server, write } = await scene();
    const fresh = server.issue();
    write({ access_token: fresh.accessToken, refresh_token: fresh.refreshToken, expires_at: NOW / 1000 + 900 });
    expect(await auth.renew('access-0')).toBe(fresh.accessToken);
    expect(server.presented).toEqual([]);
  });

  test('is renewed after a 401 although the file calls it good', async () => {
    const { auth, server, write } = await scene();
    write({ access_token: 'revoked', refresh_token: server.issue().refreshToken, expires_at: NOW / 1000 + 9000 });
    expect(await auth.renew('revoked')).toBe('access-2');
  });

  test('survives a passing fault of the server', async () => {
    const { auth, server, write, clock } = await scene();
    server.faults.push(503, 429);
    write({ access_token: 'old', refresh_token: server.issue().refreshToken, expires_at: NOW / 1000 - 1 });
    const token = auth.token();
    await finish(token, clock);
    expect(await token).toBe('access-2');
  });
});

describe('when it cannot be renewed', () => {
  test('a token that is still good is used', async () => {
    const { auth, write, clock } = await scene();
    write({ access_token: 'aging', refresh_token: 'spent', expires_at: NOW / 1000 + 100, expires_in: 900 });
    const token = auth.token();
    await finish(token, clock);
    expect(await token).toBe('aging');
  });

  test('the message says what to run, and the file is left as it was', async () => {
    const { auth, write, read, path, clock } = await scene();
    const fields = { access_token: 'old', refresh_token: 'spent', expires_at: NOW / 1000 - 5 };
    write(fields);
    const failed = failure(auth.token());
    await finish(failed, clock);
    const error = await failed;
    expect(error.code).toBe('not_configured');
    expect(error.message).toContain(path);
    expect(error.hint).toContain('kimi login');
    expect(read()).toEqual(fields);
  });

  test('a single-use token is not spent when the new one could not be stored', async () => {
    const { auth, server, write, path } = await scene();
    write({ access_token: 'old', refresh_token: server.issue().refreshToken, expires_at: NOW / 1000 - 5 });
    chmodSync(path, 0o400);
    expect((await failure(auth.token())).message).toContain('read-only');
    expect(server.presented).toEqual([]);
  });

  test('no file at all names both places', async () => {
    const { auth, path } = await scene(['/nowhere/kimi-code.json']);
    const error = await failure(auth.token());
    expect(error.message).toContain(path);
    expect(error.message).toContain('/nowhere/kimi-code.json');
    expect(existsSync(path)).toBe(false);
  });
});

describe('headers', () => {
  test("carry xz's own name, only ASCII, and what the person configured", () => {
    const headers = kimiHeaders('1.2.3', 'f'.repeat(32), { 'user-agent': 'mine/1', 'X-Extra': 'yes' });
    expect(headers).toMatchObject({ 'User-Agent': 'mine/1', 'X-Msh-Platform': 'xz', 'X-Msh-Version': '1.2.3', 'X-Extra': 'yes' });
    for (const value of Object.values(headers)) expect(value).toMatch(/^[\x20-\x7e]+$/);
  });

  test('the device id is theirs when there is one, else made once', () => {
    const user = tempFolder();
    const home = homeLayout({ HOME: user });
    const made = kimiDeviceId(user, home);
    expect(made).toMatch(/^[0-9a-f]{32}$/);
    expect(kimiDeviceId(user, home)).toBe(made);
    mkdirSync(join(user, '.kimi'));
    writeFileSync(join(user, '.kimi', 'device_id'), 'abc123\n');
    expect(kimiDeviceId(user, home)).toBe('abc123');
  });
});
