import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../store/clock.ts';
import { openDatabase } from '../../store/database/database.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { openSessions } from '../../store/sessions/sessions.ts';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';

interface Report {
  readonly ok: boolean;
  readonly checks: ReadonlyArray<{ readonly name: string; readonly status: string; readonly detail: string; readonly fix?: string }>;
  readonly repairs?: readonly string[];
}

async function report(
  ws: Workspace,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Report & { readonly code: number | null }> {
  const { code, out } = await runXz(ws, ['doctor', '--json', ...args], { env });
  const parsed: Report = JSON.parse(out);
  return { ...parsed, code };
}

const statusOf = (found: Report, name: string) => found.checks.find((check) => check.name === name)?.status;
const databaseOf = (ws: Workspace) => ws.path('.agents/data/agent.db');

function withSession(ws: Workspace): void {
  mkdirSync(ws.path('.agents/data'), { recursive: true });
  const db = openDatabase(databaseOf(ws), storeSchemas);
  openSessions(db, systemClock).create({ kind: 'lead', title: 'about lexers', agent: 'Lead' });
  db.close();
}

describe('xz doctor', () => {
  test('on a fresh machine warns, breaks nothing, and makes nothing', async () => {
    const ws = tempWorkspace();
    const found = await report(ws);
    expect(found.code).toBe(0);
    expect(found.ok).toBe(true);
    for (const name of ['node', 'git', 'sqlite', 'sqlite-vec', 'database', 'indexes', 'mailboxes', 'tasks', 'worktrees', 'schedule'])
      expect([name, statusOf(found, name)]).toEqual([name, 'ok']);
    for (const name of ['terminal', 'config', 'credentials', 'daemon']) expect([name, statusOf(found, name)]).toEqual([name, 'warning']);
    expect(found.checks.find(({ name }) => name === 'credentials')?.fix).toContain('xz config setup');
    expect(ws.git('status', '--porcelain')).toBe('');
    expect(existsSync(ws.path('.agents'))).toBe(false);
  });

  test('asks the model address for its list, and nothing that costs', async () => {
    const server = await startModelServer();
    const found = await report(tempWorkspace(), [], modelEnv(server));
    expect(statusOf(found, 'model')).toBe('ok');
    expect(server.requests).toHaveLength(0);
    await server.stop();
    const gone = await report(tempWorkspace(), [], modelEnv(server));
    expect([gone.code, gone.ok, statusOf(gone, 'model')]).toEqual([1, false, 'broken']);
  });

  test('names a bad config.toml with its line, in words too', async () => {
    const ws = tempWorkspace();
    mkdirSync(join(ws.home, '.xz'), { mode: 0o700 });
    writeFileSync(join(ws.home, '.xz', 'config.toml'), '[team]\nmax = 9\n', { mode: 0o600 });
    const { code, out } = await runXz(ws, ['doctor', '--lang', 'zh']);
    expect(code).toBe(1);
    expect(out).toMatch(/✗ config +.*config\.toml:2: team\.max/);
    expect(out).toContain('项损坏');
  });

  test('collects what each store says', async () => {
    const ws = tempWorkspace({ files: { '.TASK/a.json': '{ not json', '.worktrees/ann/README.md': 'x' } });
    mkdirSync(ws.path('.Mailbox/Lead/new'), { recursive: true });
    const found = await report(ws);
    expect(statusOf(found, 'tasks')).not.toBe('ok');
    expect(found.checks.find(({ name }) => name === 'worktrees')).toMatchObject({ status: 'warning' });
    expect(statusOf(found, 'mailboxes')).toBe('ok');
  });
});

describe('xz doctor --repair', () => {
  test('tightens modes and says so', async () => {
    const ws = tempWorkspace();
    mkdirSync(join(ws.home, '.xz'), { mode: 0o755 });
    const file = join(ws.home, '.xz', 'config.toml');
    writeFileSync(file, '');
    chmodSync(file, 0o644);
    const found = await report(ws, ['--repair']);
    expect(found.repairs?.join('\n')).toContain(`chmod 600 ${file}`);
    expect((await report(ws, ['--repair'])).repairs).toEqual([]);
  });

  test('rebuilds a damaged index after a copy of the database', async () => {
    const ws = tempWorkspace();
    withSession(ws);
    writeFileSync(ws.path('.agents/MEMORY.md'), '# Memory\n\nlexers are small\n');
    await runXz(ws, ['memory', 'search', 'lexers']);
    const db = openDatabase(databaseOf(ws), storeSchemas);
    db.connection.exec('delete from knowledge_chunks');
    db.close();
    const broken = await report(ws);
    expect([broken.code, statusOf(broken, 'indexes')]).toEqual([1, 'broken']);
    const repaired = await report(ws, ['--repair']);
    expect([repaired.code, statusOf(repaired, 'indexes')]).toEqual([0, 'ok']);
    expect(readdirSync(ws.path('.agents/data')).some((name) => name.startsWith('agent.db.before-repair-'))).toBe(true);
  });

  test('moves a damaged database aside and saves what can be read', async () => {
    const ws = tempWorkspace();
    withSession(ws);
    const bytes = readFileSync(databaseOf(ws));
    // The first page stays, so that it opens; the pages of its last tables are gone.
    bytes.fill(0xff, bytes.length - 4096 * 6);
    writeFileSync(databaseOf(ws), bytes);
    const broken = await report(ws);
    expect(broken.code).toBe(1);
    const repaired = await report(ws, ['--repair']);
    expect(repaired.code).toBe(0);
    expect(statusOf(repaired, 'database')).toBe('ok');
    const aside = readdirSync(ws.path('.agents/data')).find(
      (name) => /^agent\.db\.bad-[^-]+-[^-]+-[^-]+Z$/.test(name) || name.startsWith('agent.db.bad-'),
    );
    expect(readFileSync(ws.path(`.agents/data/${aside}`)).equals(bytes)).toBe(true);
  });

  test('makes a new one where nothing at all can be read', async () => {
    const ws = tempWorkspace();
    mkdirSync(ws.path('.agents/data'), { recursive: true });
    writeFileSync(databaseOf(ws), 'this is no database, whatever its name says, and it is long enough to be looked at');
    expect((await report(ws)).code).toBe(1);
    const repaired = await report(ws, ['--repair']);
    expect([repaired.code, statusOf(repaired, 'database')]).toEqual([0, 'ok']);
  });

  test('mends what it can beside a bad setting, and still reports', async () => {
    const ws = tempWorkspace({ files: { 'README.md': '', '.agents/MEMORY.md': '# Memory\n\nlexers are small\n' } });
    await runXz(ws, ['memory', 'search', 'lexers']);
    const db = openDatabase(databaseOf(ws), storeSchemas);
    db.connection.exec('delete from knowledge_chunks');
    db.close();
    ws.write('../home/.xz/config.toml', '[team]\nmax = 9\n');
    const found = await report(ws, ['--repair']);
    expect([found.code, statusOf(found, 'config'), statusOf(found, 'indexes')]).toEqual([1, 'broken', 'ok']);
    expect(found.repairs?.join('\n')).toContain('knowledge');
    expect(found.checks.some(({ name }) => name === 'repair')).toBe(false);
  });
});
