// A merge that is killed with SIGKILL at any moment, alone or together with the git it runs, is settled by the next
// process: the same tree, the person's files as they were, nothing half written and no lock left.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readIntent } from '../../lead/merge/intent.ts';
import { errnoOf } from '../../store/errors.ts';
import { testLayout } from '../helpers/layout.ts';
import { buildProgram } from '../helpers/program.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';

const KILLS = Number(process.env.XZ_KILLS ?? 4);
const MANY = 300;

let program = '';
beforeAll(async () => {
  program = await buildProgram('merge-user');
});

function setUp() {
  const ws = tempWorkspace({ files: { 'mine.txt': 'committed\n', 'gone.txt': 'x\n', '.gitignore': 'ignored/\n' } });
  const base = ws.git('rev-parse', 'HEAD').trim();
  const place = join(ws.home, 'make');
  ws.git('worktree', 'add', '-q', '-b', 'xz/ann/1', place);
  mkdirSync(join(place, 'many'));
  for (let n = 0; n < MANY; n++) writeFileSync(join(place, 'many', `${n}.txt`), `${n}\n`.repeat(200));
  ws.git('-C', place, 'rm', '-q', 'gone.txt');
  ws.git('-C', place, 'add', '-A');
  ws.git('-C', place, 'commit', '-qm', 'many');
  ws.git('worktree', 'remove', '--force', place);
  ws.write('mine.txt', 'uncommitted\n');
  ws.write('untracked.txt', 'mine\n');
  ws.write('ignored/x', 'mine\n');
  return { ws, base, layout: testLayout(ws.dir, join(ws.home, '.xz')) };
}

function run(ws: Workspace, base: string, fault?: string) {
  const child = spawn(process.execPath, [program, ws.dir, 'xz/ann/1', base], {
    cwd: ws.dir,
    env: { ...ws.env, ...(fault === undefined ? {} : { XZ_FAULT: fault }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (printed.out += chunk));
  child.stderr.on('data', (chunk) => (printed.err += chunk));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, ...printed })),
  );
  return { child, ended };
}

/** Kills the gits that work in the workspace, which outlive their parent: what a power cut does. */
function killGits(ws: Workspace): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('git') && readlinkSync(`/proc/${pid}/cwd`).startsWith(ws.dir))
        process.kill(Number(pid), 'SIGKILL');
    } catch (error) {
      if (!['ENOENT', 'ESRCH', 'EACCES'].includes(errnoOf(error) ?? '')) throw error;
    }
  }
}

function lockFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.lock'));
}

async function finishAndCheck({ ws, base, layout }: ReturnType<typeof setUp>): Promise<void> {
  const { code, out, err } = await run(ws, base).ended;
  expect([code, err]).toEqual([0, '']);
  const { outcome } = JSON.parse(out);
  expect(outcome.kind === 'merged' || (outcome.kind === 'nothing' && outcome.landed), out).toBe(true);
  expect(ws.git('status', '--porcelain')).toBe(' M mine.txt\n?? untracked.txt\n');
  expect(ws.git('diff', '--stat', 'xz/ann/1', 'HEAD')).toBe('');
  expect([ws.read('mine.txt'), ws.read('untracked.txt'), ws.read('ignored/x')]).toEqual(['uncommitted\n', 'mine\n', 'mine\n']);
  expect(readIntent(layout, Date.now())).toBeUndefined();
  expect(lockFiles(ws.path('.git'))).toEqual([]);
  expect(ws.git('fsck', '--no-dangling', '--no-progress')).toBe('');
}

test(
  `${KILLS} kills at random moments, git included or not: the next start settles it`,
  async () => {
    const whole = setUp();
    const started = Date.now();
    await finishAndCheck(whole);
    const wholeMs = Date.now() - started;
    for (let kill = 0; kill < KILLS; kill++) {
      const set = setUp();
      for (let times = 0; times <= kill % 2; times++) {
        const { child, ended } = run(set.ws, set.base);
        const killer = setTimeout(() => {
          child.kill('SIGKILL');
          if (kill % 3 !== 0) killGits(set.ws);
        }, Math.random() * wholeMs);
        await ended;
        clearTimeout(killer);
      }
      await finishAndCheck(set);
    }
  },
  60_000 + KILLS * 10_000,
);

test('killed right before the intent is published, and right after the fast-forward: the intent tells', async () => {
  // Two looks for an open one, then open, write, fsync and the rename that publishes it; the seventh is its removal.
  for (const operation of [6, 7]) {
    const set = setUp();
    expect((await run(set.ws, set.base, `kill:${operation}:merge-intent.json`).ended).code).toBeNull();
    expect(readIntent(set.layout, Date.now()) === undefined).toBe(operation === 6);
    await finishAndCheck(set);
  }
});
