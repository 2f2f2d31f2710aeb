import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../store/clock.ts';
import { withForeignLock } from '../../store/credentials/foreign-lock.ts';
import { buildProgram } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { startTokenServer, type TokenServer } from '../helpers/token-server.ts';
import { until } from '../helpers/until.ts';

const run = promisify(execFile);
const LIFE_MS = 800;
const RUN_MS = 3_000;

/** The official program: its lock, re-read, refresh when little is left, its own way of replacing the file. */
async function foreignProgram(path: string, server: TokenServer, locks: boolean): Promise<void> {
  const end = Date.now() + RUN_MS;
  const turn = async () => {
    const held = JSON.parse(readFileSync(path, 'utf8'));
    if (held.expires_at * 1000 - Date.now() > LIFE_MS / 2) return;
    const answer = await fetch(`${server.host}/api/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'theirs', grant_type: 'refresh_token', refresh_token: held.refresh_token }),
    });
    if (!answer.ok) return;
    const fresh: Record<string, unknown> = JSON.parse(await answer.text());
    const next = `${path}.theirs`;
    writeFileSync(next, JSON.stringify({ ...held, ...fresh, expires_at: Date.now() / 1000 + Number(fresh.expires_in), theirs: true }), {
      mode: 0o600,
    });
    renameSync(next, path);
  };
  while (Date.now() < end) {
    if (locks) await withForeignLock(path, systemClock, undefined, turn);
    else await turn();
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}

async function together(folder: string, locks: boolean) {
  const server = await startTokenServer(LIFE_MS);
  const root = tempFolder();
  const path = join(root, folder, 'credentials', 'kimi-code.json');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const first = server.issue();
  writeFileSync(
    path,
    JSON.stringify({ access_token: first.accessToken, refresh_token: first.refreshToken, expires_at: Date.now() / 1000, kept: 'yes' }),
    { mode: 0o600 },
  );
  const program = await buildProgram('kimi-user');
  const users = Array.from({ length: 5 }, async () => {
    const { stdout } = await run(process.execPath, [program, path, server.host, join(root, 'locks'), String(RUN_MS)]);
    const counts: { used: number; renewed: number; failed: number } = JSON.parse(stdout);
    return counts;
  });
  const [counts] = await Promise.all([Promise.all(users), foreignProgram(path, server, locks)]);
  return { server, path, counts };
}

test.each(['.kimi', '.kimi-code'])(
  'five processes and the official program share %s: no refresh token is presented twice',
  async (folder) => {
    const { server, path, counts } = await together(folder, true);
    expect(server.presented.length).toBeGreaterThan(3);
    expect(new Set(server.presented).size).toBe(server.presented.length);
    expect(server.refused).toEqual([]);
    for (const { used, failed } of counts) {
      expect(used).toBeGreaterThan(10);
      expect(failed).toBe(0);
    }
    const held = JSON.parse(readFileSync(path, 'utf8'));
    expect(held.kept).toBe('yes');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  },
);

test('beside a program that takes no lock everybody goes on, and the file is never lost', async () => {
  const { server, path, counts } = await together('.kimi', false);
  for (const { used, failed } of counts) {
    expect(used).toBeGreaterThan(10);
    expect(failed).toBe(0);
  }
  expect(server.presented.length).toBeGreaterThan(3);
  expect(JSON.parse(readFileSync(path, 'utf8')).kept).toBe('yes');
});

test('an interrupt does not wait for the lock of another program, and leaves nobody waiting for it', async () => {
  const folder = join(tempFolder(), '.kimi', 'credentials');
  mkdirSync(folder, { recursive: true });
  const lock = join(folder, 'kimi-code.lock');
  const holder = spawn('flock', ['-x', lock, 'sh', '-c', 'echo held; cat'], { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  onTestFinished(() => void holder.stdin.end());
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  const stop = new AbortController();
  let wentOn = false;
  const waiting = withForeignLock(join(folder, 'kimi-code.json'), systemClock, stop.signal, async () => {
    wentOn = true;
  });
  stop.abort();
  // It would be waited for 10 s.
  await until(() => wentOn, 'the wait to be given up', 5_000);
  await waiting;
});
