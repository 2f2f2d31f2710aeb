// Names of the stores that belong to something else: a folder where a file should be (a Python environment called `.env`),
// a pipe, a loop of links. What needs it says so; everything else goes on, and nothing is waited for or written over.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openMailbox } from '../../mailbox/mailbox.ts';
import { openRoster } from '../../mailbox/roster.ts';
import { systemClock } from '../../store/clock.ts';
import { readWorkspaceEnv, workspaceEnvIn } from '../../store/config/dotenv.ts';
import { installFaultHook } from '../../store/faults.ts';
import { ensureStore, type Layout, restoreIgnoreFiles } from '../../store/layout.ts';
import { openLocks } from '../../store/lock.ts';
import { openMemory } from '../../store/memory/memory.ts';
import { type Finding, quarantine } from '../../store/quarantine.ts';
import { checkWorkspaces, registeredWorkspaces, registerWorkspace } from '../../store/schedule/workspaces.ts';
import { checkTrust, isTrusted, trust } from '../../store/trust.ts';
import { testLayout } from '../helpers/layout.ts';
import { tempFolder } from '../helpers/temp.ts';
import { taskBench } from './tasks/open.ts';

const kinds = {
  folder: (path: string) => void mkdirSync(path),
  pipe: (path: string) => void execFileSync('mkfifo', [path]),
  loop: (path: string) => symlinkSync(path, path),
} as const;

function workspace(): Layout {
  const layout = testLayout(join(tempFolder(), 'ws'));
  mkdirSync(layout.root);
  return layout;
}

function put(path: string, kind: keyof typeof kinds): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { recursive: true, force: true });
  kinds[kind](path);
}

describe.each(Object.keys(kinds).filter((kind): kind is keyof typeof kinds => kind in kinds))('a %s', (kind) => {
  it('called .env is no settings file, in a trusted workspace either', () => {
    const layout = workspace();
    put(join(layout.root, '.env'), kind);
    trust(layout.home, layout.root, 0);
    expect(readWorkspaceEnv(layout.home, layout.root)).toBeUndefined();
    expect(workspaceEnvIn(layout.root)).toBeUndefined();
  });

  it('in place of what the home keeps trusts nothing and registers nothing, until it is moved aside', async () => {
    const layout = workspace();
    const { home } = layout;
    const locks = openLocks(home.locks, 'test', systemClock);
    onTestFinished(() => locks.close());
    for (const file of [home.trust, home.workspaces]) put(file, kind);
    expect([isTrusted(layout), checkTrust(home).length]).toEqual([false, 1]);
    expect([registeredWorkspaces(home).workspaces, checkWorkspaces(home).length]).toEqual([[], 1]);
    // Far later, so that neither counts as being written.
    const clock = { ...systemClock, now: () => Date.now() + 10_000 };
    trust(home, layout.root, clock.now());
    await registerWorkspace(home, locks, clock, layout.root);
    expect([isTrusted(layout), registeredWorkspaces(home).workspaces]).toEqual([true, [layout.root]]);
  });

  it('in place of a .gitignore of ours stays, and keeps nobody from starting or storing', () => {
    const layout = workspace();
    put(join(layout.tasks, '.gitignore'), kind);
    restoreIgnoreFiles(layout);
    ensureStore(layout, 'tasks');
    expect(lstatSync(join(layout.tasks, '.gitignore')).isFile()).toBe(false);
  });

  it('in place of the index of memory stays, and one in place of a category leaves the other four', () => {
    const layout = workspace();
    const locks = openLocks(layout.locks, 'test', systemClock);
    onTestFinished(() => locks.close());
    const memory = openMemory({ layout, locks: () => locks, clock: systemClock });
    put(join(layout.memory, 'index.json'), kind);
    put(join(layout.memory, 'long.md'), kind);
    writeFileSync(join(layout.memory, 'work.md'), '## tests\n\n- run them\n');
    expect(memory.topics().map(({ name }) => name)).toEqual(['work/tests']);
    expect(memory.check().map(({ where }) => where)).toContain(join(layout.memory, 'long.md'));
    expect(lstatSync(join(layout.memory, 'index.json')).isFile()).toBe(false);
  });

  it('among the tasks is named, and the others load', () => {
    const { tasks, layout } = taskBench();
    writeFile(join(layout.tasks, 'good.json'), '{"title":"good"}');
    put(join(layout.tasks, 'odd.json'), kind);
    expect(tasks.list().map(({ id }) => id)).toEqual(['good']);
  });

  it("in place of a roster entry is no teammate, and nobody's mail is held up by it", () => {
    const layout = workspace();
    const clock = systemClock;
    const findings: Finding[] = [];
    const mailbox = openMailbox({ layout, clock });
    const roster = openRoster({ layout, clock, report: (finding) => void findings.push(finding) });
    mailbox.ensureBox('ann');
    put(join(layout.mailbox, 'ann', 'agent.json'), kind);
    expect(roster.list()).toEqual([]);
    expect(findings).toHaveLength(1);
    expect(mailbox.known()).toContain('ann');
    mailbox.send({ type: 'notice', from: 'user', to: 'Lead', body: 'a word' });
    expect(mailbox.check().map(({ where }) => where)).toContain(join(layout.mailbox, 'ann', 'agent.json'));
  });
});

it.each([
  ['nowhere', '/nonexistent/nowhere'],
  ['to itself', 'Lead'],
])('a box that is a link leading %s is named as what is in the way', (_where, target) => {
  const layout = workspace();
  mkdirSync(layout.mailbox);
  const box = join(layout.mailbox, 'Lead');
  symlinkSync(target, box);
  const mailbox = openMailbox({ layout, clock: systemClock });
  expect(() => mailbox.send({ type: 'notice', from: 'user', to: 'Lead', body: 'x' })).toThrow(
    expect.objectContaining({ code: 'unwritable', message: `${box} is no folder, and xz needs one there` }),
  );
});

it('a read that fails for a moment moves nothing aside and passes for nothing that is gone', () => {
  const layout = workspace();
  const clock = { ...systemClock, now: () => Date.now() + 10_000 };
  const findings: Finding[] = [];
  const report = (finding: Finding): void => void findings.push(finding);
  const mailbox = openMailbox({ layout, clock, report });
  const roster = openRoster({ layout, clock, report });
  roster.write({ name: 'ann', session: 's', epoch: 'e', state: 'idle', createdAt: '2026-01-01T00:00:00+00:00' });
  const { file } = mailbox.send({ type: 'task', from: 'Lead', to: 'ann', body: 'a thing' });
  trust(layout.home, layout.root, 0);
  const box = mailbox.openBox('ann');
  installFaultHook(({ op }) => {
    if (op === 'read') throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    return undefined;
  });
  onTestFinished(() => installFaultHook(undefined));
  expect(() => roster.read('ann')).toThrow('too many open files');
  expect(box.claim({ take: 'all', alreadySeen: () => false })).toEqual([]);
  expect(isTrusted(layout)).toBe(false);
  expect(() => trust(layout.home, layout.root, clock.now())).toThrow('too many open files');
  installFaultHook(undefined);
  expect(findings).toEqual([expect.objectContaining({ level: 'warning', where: join(layout.mailbox, 'ann', 'new', file) })]);
  expect(roster.read('ann')?.epoch).toBe('e');
  expect(box.claim({ take: 'all', alreadySeen: () => false }).map(({ body }) => body)).toEqual(['a thing']);
  expect(isTrusted(layout)).toBe(true);
});

describe('a bad file', () => {
  it('from the future is no younger than the past: a clock that was set back must not keep it for ever', () => {
    const file = join(tempFolder(), 'a.json');
    const now = Date.now();
    for (const age of [-86_400_000, 86_400_000]) {
      writeFileSync(file, '{');
      utimesSync(file, (now - age) / 1000, (now - age) / 1000);
      expect(quarantine(file, 'not JSON', now).level).toBe('broken');
    }
    writeFileSync(file, '{');
    expect(quarantine(file, 'not JSON', now).level).toBe('warning');
  });

  it('that cannot be moved aside is named and left, and the others load', () => {
    const { tasks, layout, notices } = taskBench();
    writeFile(join(layout.tasks, 'good.json'), '{"title":"good"}');
    writeFile(join(layout.tasks, 'bad.json'), '{');
    utimesSync(join(layout.tasks, 'bad.json'), 1, 1);
    installFaultHook(({ op, path }) => {
      if (op === 'rename' && path.includes('bad.json')) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
      return undefined;
    });
    onTestFinished(() => installFaultHook(undefined));
    expect(tasks.list().map(({ id }) => id)).toEqual(['good']);
    expect(tasks.list().map(({ id }) => id)).toEqual(['good']);
    expect(notices).toEqual([expect.objectContaining({ level: 'warning', where: join(layout.tasks, 'bad.json') })]);
  });

  it('in a box counts as nothing that waits, however long it stays', () => {
    const layout = workspace();
    const mailbox = openMailbox({ layout, clock: systemClock });
    const box = mailbox.openBox('Lead');
    const file = mailbox.send({ type: 'task', from: 'user', to: 'Lead', body: 'x' }).file;
    writeFileSync(join(layout.mailbox, 'Lead', 'new', file), '{"half');
    expect(box.claim({ take: 'all', alreadySeen: () => false })).toEqual([]);
    // Who waits for an idle team asks this in a loop without a pause.
    expect(box.waiting().work).toBe(0);
    writeFileSync(join(layout.mailbox, 'Lead', 'new', file), '{"type":"task","body":"whole"}');
    expect(box.waiting().work).toBe(1);
    expect(box.claim({ take: 'all', alreadySeen: () => false }).map(({ body }) => body)).toEqual(['whole']);
  });
});

function writeFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
