// Senders and an owner that are killed with SIGKILL at any operation lose no message and show none twice.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { openMailbox } from '../../mailbox/mailbox.ts';
import { systemClock } from '../../store/clock.ts';
import { columnText, openDatabase } from '../../store/database/database.ts';
import { openLocks } from '../../store/lock.ts';
import { sweepDeadProcesses } from '../../store/process.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { testLayout } from '../helpers/layout.ts';
import { buildProgram } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';

const KILLS = Number(process.env.XZ_KILLS ?? 12);

let owner = '';
let sender = '';
beforeAll(async () => {
  [owner, sender] = await Promise.all([buildProgram('mail-owner'), buildProgram('mail-sender')]);
});

function setUp() {
  const root = join(tempFolder(), 'ws');
  const layout = testLayout(root);
  mkdirSync(join(layout.agents, 'data', 'locks'), { recursive: true });
  openMailbox({ layout, clock: systemClock }).ensureBox('ann');
  const run = (program: string, args: readonly string[], fault?: string) =>
    new Promise<{ code: number | null; signal: string | null; err: string }>((resolve, reject) => {
      const env = { PATH: process.env.PATH, HOME: root, XZ_HOME: layout.home.root, ...(fault === undefined ? {} : { XZ_FAULT: fault }) };
      const child = spawn(process.execPath, [program, root, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
      let err = '';
      child.stderr.on('data', (chunk) => (err += chunk));
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal, err }));
    });
  /** How often each message was shown, by its text. */
  const shown = () => {
    const db = openDatabase(layout.database, storeSchemas);
    const texts = db
      .sql('select content from messages')
      .all()
      .flatMap((row) => {
        const content: { text: string } = JSON.parse(columnText(row, 'content'));
        return content.text.split('\n');
      });
    db.close();
    return texts.sort();
  };
  const leftOver = () => ['tmp', 'new', 'cur', 'dead'].flatMap((box) => readdirSync(join(layout.mailbox, 'ann', box)));
  return { root, layout, run, shown, leftOver };
}

const expected = (senders: readonly string[], count: number) =>
  senders.flatMap((name) => Array.from({ length: count }, (_, n) => `${name} ${n}`)).sort();

test(
  `${KILLS} kills of senders and owner at random operations: every message in exactly one turn`,
  async () => {
    const { layout, run, shown, leftOver } = setUp();
    let killed = 0;
    const survive = async (program: string, args: readonly string[]): Promise<void> => {
      for (;;) {
        const fault = killed < KILLS ? `kill:${1 + Math.floor(Math.random() * 90)}` : undefined;
        const { code, signal, err } = await run(program, args, fault);
        if (code === 0) return;
        expect([signal, err]).toEqual(['SIGKILL', '']);
        killed++;
      }
    };
    // The owner starts while mail still comes, and is started again until it has seen all.
    await Promise.all([survive(sender, ['bob', '15']), survive(sender, ['cid', '15']), survive(owner, ['3'])]);
    while (killed < KILLS) await survive(owner, ['1']).then(() => survive(sender, [`more${killed}`, '6']));
    const senders = new Set(shown().map((text) => text.split(' ')[0] ?? ''));
    await run(owner, ['1']);
    // A notice starts no turn: a last task takes what is left along.
    await run(sender, ['zoe', '1']);
    const last = await run(owner, ['1']);
    expect(last).toEqual({ code: 0, signal: null, err: '' });
    const all = shown();
    expect(new Set(all).size).toBe(all.length);
    expect(all.filter((text) => /^(bob|cid) /.test(text))).toEqual(expected(['bob', 'cid'], 15));
    for (const name of senders) if (name.startsWith('more')) expect(all.filter((text) => text.startsWith(`${name} `))).toHaveLength(6);
    const locks = openLocks(layout.locks, 'a test', systemClock);
    sweepDeadProcesses(locks, layout.locks);
    locks.close();
    expect(leftOver()).toEqual([]);
  },
  60_000 + KILLS * 2_000,
);

test('a full disk, short writes and refused renames lose nothing either', async () => {
  const { run, shown, leftOver } = setUp();
  for (const [n, fault] of ['ENOSPC:2:.Mailbox', 'short:1:.Mailbox', 'EIO:4:.Mailbox', 'EPERM:3:.Mailbox', 'EMFILE:6:.Mailbox'].entries())
    await run(sender, [`s${n}`, '3'], fault).then(() => run(sender, [`s${n}`, '3']));
  for (const fault of ['EPERM:3:.Mailbox', 'EIO:5:.Mailbox', 'ENOSPC:2:agent.db']) await run(owner, ['1'], fault);
  await run(sender, ['zoe', '1']);
  expect(await run(owner, ['1'])).toMatchObject({ code: 0, err: '' });
  expect(shown()).toEqual([...expected(['s0', 's1', 's2', 's3', 's4'], 3), 'zoe 0']);
  expect(leftOver()).toEqual([]);
});

test('two processes post while the owner claims: each message once', async () => {
  const { run, shown, layout } = setUp();
  const [first, second, own] = await Promise.all([run(sender, ['bob', '150']), run(sender, ['cid', '150']), run(owner, ['120'])]);
  expect([first, second, own].map(({ code, err }) => [code, err])).toEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ]);
  await run(sender, ['zoe', '1']);
  await run(owner, ['1']);
  expect(shown()).toEqual([...expected(['bob', 'cid'], 150), 'zoe 0'].sort());
  expect(existsSync(join(layout.mailbox, 'ann', 'dead'))).toBe(true);
  expect(readdirSync(join(layout.mailbox, 'ann', 'dead'))).toEqual([]);
});
