// What a mail costs beside the system calls it is made of, at 10, 1,000 and 10,000 waiting, and how soon it is there.
// Run by `npm run bench`; no figure here is a test.
import { spawn } from 'node:child_process';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMailbox } from '../../mailbox/mailbox.ts';
import { type Mail, mailFileName, textOf } from '../../mailbox/message.ts';
import { watchArrivals } from '../../mailbox/watch.ts';
import { systemClock } from '../../store/clock.ts';
import { sortableId } from '../../store/ids.ts';
import { homeLayout, type Layout, layoutOf } from '../../store/layout.ts';
import type { Row } from './row.ts';

const NEVER = { alreadySeen: () => false };

/** Measures. `rounds` is how many mails each figure is taken over; `sender` is the built program tests/fixtures/mail-clock.ts. */
export async function benchMail(sender: string, rounds = 200): Promise<readonly Row[]> {
  const base = mkdtempSync(join(realpathSync(tmpdir()), 'xz-bench-mail-'));
  try {
    // The first place pays for code that has not run yet, which is no matter of how much waits.
    costOf(join(base, 'warm'), 10, 50);
    const costs = [10, 1_000, 10_000].map((waiting) => costOf(join(base, String(waiting)), waiting, rounds));
    const few = costs[0];
    const many = costs.at(-1);
    const against = costs.map(
      ({ waiting, ours, bare }): Row => ({
        name: `mail sent, claimed, acknowledged, durable, with ${waiting.toLocaleString('en-US')} waiting, against the same system calls alone`,
        measured: 1_000 / ours,
        unit: 'a second',
        yardstick: 1_000 / bare,
        goal: { at: 'least', value: 0.7, of: 'ratio' },
      }),
    );
    const flat: Row = {
      name: 'the same with 10,000 waiting, against 10 waiting (flat; each taken beside its own system calls)',
      measured: (many?.ours ?? Number.NaN) / (many?.bare ?? Number.NaN),
      unit: 'of the calls',
      yardstick: (few?.ours ?? Number.NaN) / (few?.bare ?? Number.NaN),
      goal: { at: 'most', value: 1.5, of: 'ratio' },
    };
    return [...against, flat, ...(await latency(join(base, 'latency'), sender, rounds))];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

function layoutIn(root: string): Layout {
  mkdirSync(root, { recursive: true });
  return layoutOf(root, homeLayout({ XZ_HOME: join(root, 'home') }));
}

function mailOf(n: number): Mail {
  return {
    id: sortableId(Date.now()),
    type: 'task',
    from: 'Lead',
    to: 'ann',
    at: '2026-03-03T09:00:00.000+00:00',
    body: `message ${n}: ${'x'.repeat(400)}`,
  };
}

/** Milliseconds a mail of send + claim + acknowledge and of the bare calls, in turns, so that both meet the same disk. */
function costOf(root: string, waiting: number, rounds: number): { waiting: number; ours: number; bare: number } {
  const layout = layoutIn(root);
  const mailbox = openMailbox({ layout, clock: systemClock });
  const paths = mailbox.ensureBox('ann');
  for (let n = 0; n < waiting; n++) {
    const mail = mailOf(n);
    writeFileSync(join(paths.new, mailFileName(mail)), textOf(mail));
  }
  const box = mailbox.openBox('ann');
  box.waiting();
  let ours = 0;
  let bare = 0;
  for (let n = 0; n < rounds; n++) {
    const draft = mailOf(n);
    const start = performance.now();
    mailbox.send(draft);
    const [mail] = box.claim({ take: 'all', ...NEVER });
    if (mail !== undefined) box.acknowledge(mail);
    const middle = performance.now();
    bareCalls(paths, mailFileName(mailOf(n)), textOf(draft));
    ours += middle - start;
    bare += performance.now() - middle;
  }
  return { waiting, ours: ours / rounds, bare: bare / rounds };
}

function bareCalls(paths: { readonly tmp: string; readonly new: string; readonly cur: string }, name: string, text: string): void {
  const temp = join(paths.tmp, name);
  const file = openSync(temp, 'wx');
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  linkSync(temp, join(paths.new, name));
  unlinkSync(temp);
  const folder = openSync(paths.new, 'r');
  fsyncSync(folder);
  closeSync(folder);
  renameSync(join(paths.new, name), join(paths.cur, name));
  unlinkSync(join(paths.cur, name));
}

async function latency(root: string, sender: string, rounds: number): Promise<Row[]> {
  const layout = layoutIn(root);
  const mailbox = openMailbox({ layout, clock: systemClock });
  mailbox.ensureBox('ann');
  const box = mailbox.openBox('ann');
  let times: number[] = [];
  const handed: number[] = [];
  let written = 0;
  const watched = await watchArrivals({
    mailbox,
    agent: 'ann',
    clock: systemClock,
    onNew: (file) => {
      box.arrived(file);
      for (const mail of box.claim({ take: 'boundary', ...NEVER })) {
        times.push(now() - Number(mail.body));
        handed.push(now() - written);
        box.acknowledge(mail);
      }
    },
  });
  // In-process: another Mailbox, as a thread of its own has, and the nudge that its message port carries.
  const thread = openMailbox({ layout, clock: systemClock });
  for (let n = 0; n < rounds; n++) {
    const { file } = thread.send({ type: 'notice', from: 'Lead', to: 'ann', body: String(now()) });
    written = now();
    watched.nudge(file);
  }
  const inside = p95(times);
  const apart = p95(handed);
  times = [];
  const child = spawn(process.execPath, [sender, root, String(rounds)], { stdio: 'ignore' });
  await new Promise((resolve) => child.once('exit', resolve));
  for (const end = Date.now() + 5_000; times.length < rounds && Date.now() < end; ) await new Promise((resolve) => setTimeout(resolve, 10));
  const outside = p95(times);
  await watched.stop();
  return [
    { name: 'mail: send until the recipient has it, in-process, p95', measured: inside, unit: 'ms', goal: { at: 'most', value: 5 } },
    {
      name: 'of that, what is not the durable write: from its end until the recipient has it, p95',
      measured: apart,
      unit: 'ms',
    },
    { name: 'mail: send until the recipient has it, other process, p95', measured: outside, unit: 'ms', goal: { at: 'most', value: 20 } },
  ];
}

/** Milliseconds on a clock that all processes of this machine share. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

function p95(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;
}
