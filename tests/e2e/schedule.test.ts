// `xz schedule` and `xz --daemon` as a person and a script use them: the built program, real processes, a real database.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testDatabase } from '../helpers/database.ts';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { type Running, runXz, startXz } from '../helpers/run.ts';
import { tempFolder, tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

const SHANGHAI = { env: { TZ: 'Asia/Shanghai' } };

async function json(ws: Workspace, args: readonly string[], env: Record<string, string> = {}) {
  const run = await runXz(ws, ['schedule', ...args, '--json'], { env });
  return { ...run, value: run.code === 0 ? JSON.parse(run.out) : undefined };
}

function daemon(ws: Workspace, env: Record<string, string>, ...args: string[]): Running {
  const running = startXz(ws, ['--daemon', ...args], { env });
  onTestFinished(async () => {
    running.kill('SIGKILL');
    await running.ended;
  });
  return running;
}

describe('xz schedule', () => {
  it('shows nothing and makes nothing where nothing is scheduled', async () => {
    const ws = tempWorkspace();
    expect((await json(ws, ['list'])).value).toMatchObject({ items: [], total: 0 });
    expect((await json(ws, ['log'])).value).toMatchObject({ items: [], total: 0 });
    expect((await json(ws, ['next'])).value).toEqual({ runs: [] });
    expect((await runXz(ws, ['schedule', 'remove', 'x'])).err).toContain('no scheduled task "x"');
    expect(ws.has('.agents')).toBe(false);
  });

  it('adds with the absolute next time in the zone of the person, and says that nobody runs it', async () => {
    const ws = tempWorkspace();
    const added = await runXz(ws, ['schedule', 'add', 'daily backup', '09:00'], SHANGHAI);
    expect(added.code).toBe(0);
    expect(added.out).toMatch(/^Scheduled daily-backup: next run \d{4}-\d\d-\d\d 09:00 \+08:00 \(Asia\/Shanghai\) · daily 09:00\n$/);
    expect(added.err).toContain('neither xz nor its daemon');
    expect((await json(ws, ['list'])).value.items).toMatchObject([
      {
        id: 'daily-backup',
        description: 'daily backup',
        when: '09:00',
        kind: 'daily',
        recurring: 'daily',
        timeZone: 'Asia/Shanghai',
        enabled: true,
        lastRun: null,
        lastStatus: null,
      },
    ]);
    const table = (await runXz(ws, ['schedule', 'list'])).out.split('\n');
    expect(table[0]?.split(/\s{2,}/)).toEqual(['ID', 'Description', 'Next-Run', 'Recurring']);
    expect(JSON.parse(readFileSync(join(ws.home, '.xz', 'workspaces.json'), 'utf8'))).toEqual({ workspaces: [ws.dir] });
    expect(ws.git('status', '--porcelain')).toBe('');
  });

  it('previews runs from any date without storing anything', async () => {
    const ws = tempWorkspace();
    const preview = (...args: string[]) => json(ws, ['next', ...args]);
    expect((await preview('--cron', '0 9 29 2 *', '--tz', 'Asia/Shanghai', '--from', '2027-03-01', '--count', '2')).value).toEqual({
      runs: ['2028-02-29T09:00:00+08:00', '2032-02-29T09:00:00+08:00'],
    });
    expect((await preview('02:30', '--tz', 'America/New_York', '--from', '2026-03-07T12:00', '--count', '2')).value).toEqual({
      runs: ['2026-03-08T03:00:00-04:00', '2026-03-09T02:30:00-04:00'],
    });
    expect((await preview('明天下午3点', '--tz', 'Asia/Shanghai', '--from', '2026-03-03')).value).toEqual({
      runs: ['2026-03-04T15:00:00+08:00'],
    });
    expect(ws.has('.agents')).toBe(false);
  });

  it.each([
    [['x', 'in 0 minutes'], 'not later than now'],
    [['x', '--cron', '0 0 30 2 *'], 'never matches'],
    [['x'], 'not said when'],
    [['x', '09:00', '--cron', '* * * * *'], 'both'],
    [['x', '09:00', '--tz', 'Mars/Olympus'], 'no time zone'],
    [['x', '09:00', '--timeout', 'soon'], '--timeout "soon"'],
    [['', '09:00'], 'description is empty'],
  ])('refuses %j with the reason and exit 2', async (args, why) => {
    const ws = tempWorkspace({ git: false });
    const refused = await runXz(ws, ['schedule', 'add', ...args]);
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(refused.err).toContain(why);
  });

  it('takes prefixes of ids, and switches off, on and removes', async () => {
    const ws = tempWorkspace({ git: false });
    for (const name of ['backup one', 'backup two', 'report']) await runXz(ws, ['schedule', 'add', name, 'every 2 hours']);
    expect((await runXz(ws, ['schedule', 'disable', 'backup'])).err).toContain('not unique');
    expect((await json(ws, ['disable', 'rep'])).value).toMatchObject({ id: 'report', enabled: false, nextRun: null });
    expect((await json(ws, ['enable', 'rep'])).value).toMatchObject({ id: 'report', enabled: true });
    expect((await json(ws, ['remove', 'backup-o'])).value).toEqual({ removed: 'backup-one' });
    expect((await json(ws, ['list', '-l', '1', '-p', '2'])).value).toMatchObject({ total: 2, totalPages: 2, hasPrev: true });
  });

  it('gives a model in a tool shell no more rights than its own tool would', async () => {
    const ws = tempWorkspace({ git: false });
    const refused = await json(ws, ['add', 'x', '09:00', '--mode', 'yolo'], { XZ_AGENT: 'Lead' });
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('more rights than mode ask')]);
    expect((await json(ws, ['add', 'x', '09:00'], { XZ_AGENT: 'Lead' })).value).toMatchObject({
      mode: 'ask',
      team: false,
      author: 'agent',
    });
    expect((await json(ws, ['remove', 'x'], { XZ_AGENT: 'ann' })).err).toContain("not ann's");
  });
});

describe('xz --daemon', () => {
  it('runs what is added while it runs, records it, and stops when asked', async () => {
    const ws = tempWorkspace();
    const env = modelEnv(await startModelServer(() => ({ text: 'backed up' })));
    const running = daemon(ws, env);
    await until(() => running.out().includes('runs the schedule'), 'the start');
    const added = await json(ws, ['add', 'daily backup', 'in 1 second']);
    expect([added.value.running, added.err]).toEqual([true, '']);
    const done = await until(async () => {
      const [first] = (await json(ws, ['log'])).value.items;
      return first?.status === 'success' && first;
    }, 'the run');
    expect(done).toMatchObject({
      ...{ task: 'daily-backup', slot: added.value.nextRun, status: 'success', output: 'backed up', error: null },
      session: expect.stringMatching(/^\d{4}-\d\d-\d\d-\w{6}$/),
    });
    const again = await runXz(ws, ['--daemon'], { env });
    expect([again.code, again.err]).toEqual([1, expect.stringContaining('a daemon is running already')]);
    running.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
    expect((await json(ws, ['list'])).value.items[0]).toMatchObject({ enabled: false, nextRun: null, lastStatus: 'success' });
    const line = readFileSync(join(ws.home, '.xz', 'tasks.log'), 'utf8')
      .trimEnd()
      .split('\t');
    expect([line[1], line[2], line[4]]).toEqual([ws.dir, 'daily-backup', 'success']);
    expect(ws.git('status', '--porcelain')).toBe('');
    expect((await runXz(ws, ['daemon', 'status'])).out).toContain('no daemon is running');
  });

  it('stores the request of a run as a wake-up of its task', async () => {
    const ws = tempWorkspace({ git: false });
    await runXz(ws, ['schedule', 'add', 'daily backup', '09:00']);
    const ran = await runXz(ws, ['schedule', 'run', 'daily'], { env: modelEnv(await startModelServer(() => ({ text: 'backed up' }))) });
    expect([ran.code, ran.out]).toEqual([0, 'backed up\n']);
    const { db, sessions } = testDatabase(join(ws.dir, '.agents', 'data', 'agent.db'));
    const [first] = sessions.messages(sessions.latest()?.id ?? '');
    expect(first?.content).toMatchObject({
      role: 'user',
      text: '[Scheduled Task: daily backup]',
      origin: { type: 'wakeup', taskId: 'daily-backup' },
    });
    db.close();
  });

  it('that is stopped waits a while for a run, then ends it and says so', async () => {
    const ws = tempWorkspace({ git: false });
    const server = await startModelServer(() => new Promise(() => {}));
    await runXz(ws, ['schedule', 'add', 'long work', 'in 1 second']);
    const running = daemon(ws, modelEnv(server));
    await until(() => server.inFlight() === 1, 'the request of the run');
    expect((await json(ws, ['log'])).value.items).toMatchObject([{ status: 'running', completedAt: null }]);
    running.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
    expect((await json(ws, ['log'])).value.items).toMatchObject([{ status: 'interrupted' }]);
    await until(() => server.requests[0]?.closed, 'the end of the run');
  });

  it('that is killed takes its run along, and the next look records it as interrupted', async () => {
    const ws = tempWorkspace({ git: false });
    const server = await startModelServer(() => new Promise(() => {}));
    await runXz(ws, ['schedule', 'add', 'long work', 'in 1 second']);
    const running = daemon(ws, modelEnv(server));
    await until(() => server.inFlight() === 1, 'the request of the run');
    running.kill('SIGKILL');
    await running.ended;
    expect((await json(ws, ['log'])).value.items).toMatchObject([
      { status: 'interrupted', error: expect.stringContaining('not started again') },
    ]);
    await until(() => server.requests[0]?.closed, 'the end of the run');
    const next = daemon(ws, modelEnv(server));
    await until(() => next.out().includes('runs the schedule'), 'the start');
    expect((await json(ws, ['log'])).value.items).toHaveLength(1);
  });

  it('of two homes share one workspace without running a slot twice', async () => {
    const ws = tempWorkspace({ git: false });
    const env = modelEnv(await startModelServer());
    const other = { ...env, XZ_HOME: tempFolder() };
    for (let n = 0; n < 6; n++) await runXz(ws, ['schedule', 'add', `job ${n}`, 'in 6 seconds']);
    const both = [daemon(ws, env), daemon(ws, other)];
    const log = await until(
      async () => {
        const items: ReadonlyArray<{ task: string; status: string }> = (await json(ws, ['log'])).value.items;
        if (items.length < 6 || items.some(({ status }) => status !== 'success'))
          throw new Error(items.map(({ status }) => status).join(' '));
        return items;
      },
      'six runs',
      60_000,
    );
    expect(new Set(log.map(({ task }) => task)).size).toBe(6);
    for (const one of both) one.kill('SIGTERM');
    await Promise.all(both.map(({ ended }) => ended));
    const lines = [join(ws.home, '.xz'), other.XZ_HOME].flatMap((home) =>
      existsSync(join(home, 'tasks.log')) ? readFileSync(join(home, 'tasks.log'), 'utf8').trimEnd().split('\n') : [],
    );
    expect(lines).toHaveLength(6);
  }, 120_000);

  it('--all follows the register: workspaces that come later are looked after too', async () => {
    const first = tempWorkspace({ git: false });
    const env = modelEnv(await startModelServer());
    const second = { ...tempWorkspace({ git: false }), env: first.env };
    const running = daemon(first, env, '--all');
    await until(() => running.out().includes('workspaces.json'), 'the start');
    for (const ws of [first, second]) await runXz(ws, ['schedule', 'add', 'hello', 'in 1 second']);
    for (const ws of [first, second])
      await until(async () => (await json(ws, ['log'])).value.items[0]?.status === 'success', `the run in ${ws.dir}`);
  });
});

describe('xz daemon', () => {
  it('writes a systemd user unit, tells how to start it, and removes it', async () => {
    const ws = tempWorkspace({ git: false });
    const key = { XZ_PROVIDER: 'openai', XZ_MODEL: 'm', XZ_API_KEY: 'k' };
    expect((await runXz(ws, ['daemon', 'install'], { env: key })).err).toContain('the service will find no usable model');
    ws.write('../home/.xz/config.toml', '[model]\nprovider = "openai"\nmodel = "m"\n[auth]\napi_key = "k"\n');
    const installed = await runXz(ws, ['daemon', 'install']);
    expect(installed.err).toBe('');
    expect(installed.out).toContain('systemctl --user enable --now xz-daemon.service');
    const path = join(ws.home, '.config', 'systemd', 'user', 'xz-daemon.service');
    expect(readFileSync(path, 'utf8')).toMatch(/^ExecStart=\S+ \S+main\.js --daemon --all$/m);
    expect((await runXz(ws, ['daemon', 'status', '--json'])).out).toContain('"installed":true');
    expect((await runXz(ws, ['daemon', 'uninstall'])).code).toBe(0);
    expect(existsSync(path)).toBe(false);
  });
});
