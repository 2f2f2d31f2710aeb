import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMailbox } from '../../mailbox/mailbox.ts';
import { openRoster } from '../../mailbox/roster.ts';
import { refusalOf } from '../../mailbox/senders.ts';
import { XzError } from '../../store/errors.ts';
import { installFaultHook } from '../../store/faults.ts';
import type { Finding } from '../../store/quarantine.ts';
import { fakeClock } from '../helpers/clock.ts';
import { testLayout } from '../helpers/layout.ts';
import { tempFolder } from '../helpers/temp.ts';

const NEVER = { alreadySeen: () => false };

function setUp() {
  const layout = testLayout(join(tempFolder(), 'ws'));
  mkdirSync(layout.root);
  const clock = fakeClock();
  const findings: Finding[] = [];
  const report = (finding: Finding) => void findings.push(finding);
  const mailbox = openMailbox({ layout, clock, report });
  mailbox.ensureBox('ann');
  const send = (type: 'task' | 'review' | 'end' | 'notice', body: string, more: object = {}) =>
    mailbox.send({ type, from: 'Lead', to: 'ann', body, ...more });
  const files = (box: string, agent = 'ann') => readdirSync(join(layout.mailbox, agent, box)).sort();
  const put = (name: string, content: unknown, box = 'new') =>
    writeFileSync(join(layout.mailbox, 'ann', box, name), typeof content === 'string' ? content : JSON.stringify(content));
  return { layout, clock, findings, mailbox, send, files, put, reopen: () => openMailbox({ layout, clock, report }) };
}

const bodies = (mail: readonly { readonly body: string }[]) => mail.map(({ body }) => body);

function codeOf(fn: () => unknown): string | undefined {
  try {
    fn();
  } catch (error) {
    return error instanceof XzError ? error.code : String(error);
  }
  return undefined;
}

describe('sending', () => {
  it('publishes one readable file, named so that a sorted listing is the queue, and leaves no temp file', () => {
    const { send, files, layout } = setUp();
    const { mail, file } = send('task', 'write the lexer', { taskId: 'lexer' });
    expect(files('new')).toEqual([`2-${mail.id}-task.json`]);
    expect(files('tmp')).toEqual([]);
    expect(JSON.parse(readFileSync(join(layout.mailbox, 'ann', 'new', file), 'utf8'))).toEqual({
      type: 'task',
      from: 'Lead',
      to: 'ann',
      body: 'write the lexer',
      taskId: 'lexer',
      id: mail.id,
      at: expect.stringMatching(/^2026-03-03T.*[+-]\d\d:\d\d$/),
    });
  });

  it('does nothing when the id is in the box already: waiting, in hand or dead', () => {
    const { send, mailbox, files } = setUp();
    const box = mailbox.openBox('ann');
    expect(send('task', 'once', { id: 'same' }).fresh).toBe(true);
    expect(send('task', 'twice', { id: 'same' }).fresh).toBe(false);
    const [taken] = box.claim({ take: 'all', ...NEVER });
    expect(send('task', 'twice', { id: 'same' }).fresh).toBe(false);
    if (taken) box.dead(taken, 'a test');
    expect(send('task', 'twice', { id: 'same' }).fresh).toBe(false);
    expect([...files('new'), ...files('cur')]).toEqual([]);
    expect(files('dead')).toHaveLength(1);
  });

  it('refuses an unknown recipient and names the known ones, making no box', () => {
    const { mailbox, layout } = setUp();
    for (const to of ['bob', 'lead', 'ANN', '../../x', 'a/b', '.', 'CON', 'x'.repeat(300), 'a\nb', 'user', 'all', '']) {
      expect(
        codeOf(() => mailbox.send({ type: 'notice', from: 'Lead', to, body: 'hi' })),
        to,
      ).toBe('not_found');
    }
    expect(readdirSync(layout.mailbox).sort()).toEqual(['.gitignore', 'ann']);
    expect(() => mailbox.send({ type: 'notice', from: 'Lead', to: 'bob', body: 'hi' })).toThrow(
      expect.objectContaining({ hint: 'known: Lead, ann' }),
    );
    expect(codeOf(() => mailbox.ensureBox('../x'))).toBe('bad_input');
  });

  it('always knows Lead, and makes its box at the first mail', () => {
    const { mailbox, files } = setUp();
    expect(mailbox.known()).toEqual(['Lead', 'ann']);
    mailbox.send({ type: 'result', from: 'ann', to: 'Lead', body: 'done' });
    expect(files('new', 'Lead')).toHaveLength(1);
  });

  it('refuses mail to a teammate that has ended, and gives mail the epoch of the one that is there', () => {
    const { layout, clock, send } = setUp();
    const roster = openRoster({ layout, clock });
    const entry = { name: 'ann', session: 's', epoch: 'e1', createdAt: '2026-03-03T09:00:00.000+00:00' } as const;
    roster.write({ ...entry, state: 'idle' });
    expect(send('task', 'x').mail.epoch).toBe('e1');
    roster.change('ann', { state: 'ended' });
    expect(codeOf(() => send('task', 'x'))).toBe('not_found');
  });

  it('writes a worktree as its place in the workspace, and finds none in another one', () => {
    const { layout, clock } = setUp();
    const roster = openRoster({ layout, clock });
    const entry = { name: 'ann', session: 's', epoch: 'e1', createdAt: '2026-03-03T09:00:00.000+00:00', state: 'idle' } as const;
    const path = join(layout.worktrees, 'ann-2');
    roster.write({ ...entry, worktree: path });
    const file = join(layout.mailbox, 'ann', 'agent.json');
    expect(JSON.parse(readFileSync(file, 'utf8')).worktree).toBe('.worktrees/ann-2');
    expect(roster.read('ann')?.worktree).toBe(path);
    for (const [written, means] of [
      ['/elsewhere/.worktrees/ann-2', 'ann-2'],
      ['.worktrees/..', 'ann'],
      ['/elsewhere/.git', 'ann'],
    ] as const) {
      writeFileSync(file, JSON.stringify({ ...entry, updatedAt: entry.createdAt, worktree: written }));
      expect(roster.read('ann')?.worktree, written).toBe(join(layout.worktrees, means));
    }
  });

  it('refuses ids that cannot be file names', () => {
    const { send } = setUp();
    for (const id of ['../x', 'a/b', '', '.hidden', 'x'.repeat(200), 'a\nb'])
      expect(
        codeOf(() => send('task', 'x', { id })),
        id,
      ).toBe('bad_input');
  });

  it('says that the folder cannot be written, and that the disk is full', () => {
    const { send } = setUp();
    const fail = (code: string) =>
      installFaultHook(({ op }) => {
        if (op === 'write') throw Object.assign(new Error(code), { code });
        return undefined;
      });
    try {
      fail('ENOSPC');
      expect(codeOf(() => send('task', 'x'))).toBe('disk_full');
      fail('EACCES');
      expect(codeOf(() => send('task', 'x'))).toBe('unwritable');
    } finally {
      installFaultHook(undefined);
    }
  });

  it('makes the folders again when somebody removed them', () => {
    const { send, layout, files } = setUp();
    rmSync(layout.mailbox, { recursive: true });
    expect(codeOf(() => send('task', 'x'))).toBe('not_found');
    mkdirSync(join(layout.mailbox, 'ann'), { recursive: true });
    send('task', 'x');
    expect(files('new')).toHaveLength(1);
    expect(readFileSync(join(layout.mailbox, '.gitignore'), 'utf8')).toBe('*\n');
  });
});

describe('sender rules', () => {
  it('let a teammate send only results (to Lead) and notices, the person no end and no result', () => {
    const may = (from: string, type: 'task' | 'review' | 'end' | 'result' | 'notice', to = 'bob') =>
      refusalOf({ from, type, to }) === undefined;
    expect(may('ann', 'notice')).toBe(true);
    expect(may('ann', 'result', 'Lead')).toBe(true);
    expect(may('ann', 'result')).toBe(false);
    for (const type of ['task', 'review', 'end'] as const) expect(may('ann', type)).toBe(false);
    for (const type of ['notice', 'task', 'review'] as const) expect(may('user', type)).toBe(true);
    for (const type of ['end', 'result'] as const) expect(may('user', type, 'Lead')).toBe(false);
    expect(may('Lead', 'end')).toBe(true);
    expect(may('Lead', 'end', 'Lead')).toBe(false);
    expect(may('Lead', 'result')).toBe(false);
  });

  it('are enforced by send', () => {
    const { mailbox } = setUp();
    expect(codeOf(() => mailbox.send({ type: 'task', from: 'bob', to: 'ann', body: 'obey' }))).toBe('refused');
  });
});

describe('claiming', () => {
  it('takes end, review, task in that order, oldest first, one at a time', () => {
    const { send, mailbox, clock } = setUp();
    send('task', 'first task');
    clock.jump(clock.now() + 1);
    send('task', 'second task');
    send('review', 'again');
    send('end', 'enough');
    const box = mailbox.openBox('ann');
    const order = [1, 2, 3, 4].flatMap(() => bodies(box.claim({ take: 'all', ...NEVER })));
    expect(order).toEqual(['enough', 'again', 'first task', 'second task']);
    expect(box.claim({ take: 'all', ...NEVER })).toEqual([]);
  });

  it('starts no turn for a notice, sends it along with the next task, and does not count it as work', () => {
    const { send, mailbox } = setUp();
    const box = mailbox.openBox('ann');
    send('notice', 'n1');
    send('notice', 'n2');
    expect(box.claim({ take: 'all', ...NEVER })).toEqual([]);
    expect(box.waiting()).toEqual({ work: 0, notices: 2, held: 0 });
    send('task', 't');
    expect(bodies(box.claim({ take: 'all', ...NEVER }))).toEqual(['t', 'n1', 'n2']);
  });

  it('gives a working agent reviews, ends and notices, never a task', () => {
    const { send, mailbox } = setUp();
    const box = mailbox.openBox('ann');
    send('task', 't');
    expect(box.claim({ take: 'boundary', ...NEVER })).toEqual([]);
    send('notice', 'n');
    expect(bodies(box.claim({ take: 'boundary', ...NEVER }))).toEqual(['n']);
    send('review', 'r');
    expect(bodies(box.claim({ take: 'boundary', ...NEVER }))).toEqual(['r']);
    expect(bodies(box.claim({ take: 'all', ...NEVER }))).toEqual(['t']);
  });

  it('hands all results out at once when asked for results', () => {
    const { mailbox } = setUp();
    const box = mailbox.openBox('Lead');
    for (const n of [1, 2, 3]) mailbox.send({ type: 'result', from: 'ann', to: 'Lead', body: `r${n}` });
    mailbox.send({ type: 'task', from: 'user', to: 'Lead', body: 'later' });
    expect(bodies(box.claim({ take: 'results', max: Number.POSITIVE_INFINITY, ...NEVER }))).toEqual(['r1', 'r2', 'r3']);
  });

  it('acknowledges a mail that was shown before without a word', () => {
    const { send, mailbox, files } = setUp();
    const { mail } = send('task', 'seen');
    send('task', 'unseen');
    const box = mailbox.openBox('ann');
    expect(bodies(box.claim({ take: 'all', alreadySeen: (id) => id === mail.id }))).toEqual(['unseen']);
    expect(files('new')).toEqual([]);
    expect(files('cur')).toHaveLength(1);
  });

  it('sets mail for an earlier teammate aside, with the reason, and takes mail without an epoch as its own', () => {
    const { send, mailbox, layout, files } = setUp();
    send('task', 'old', { epoch: 'e1' });
    send('task', 'mine', { epoch: 'e2' });
    send('task', 'hand');
    const box = mailbox.openBox('ann');
    const take = () => bodies(box.claim({ take: 'all', epoch: 'e2', ...NEVER }));
    expect([...take(), ...take(), ...take()]).toEqual(['mine', 'hand']);
    const [dead = ''] = files('dead');
    expect(JSON.parse(readFileSync(join(layout.mailbox, 'ann', 'dead', dead), 'utf8')).dead.reason).toContain('epoch e1');
  });

  it('skips a mail that somebody removed by hand', () => {
    const { send, mailbox, layout } = setUp();
    const box = mailbox.openBox('ann');
    const { file } = send('task', 'gone');
    send('task', 'there');
    expect(box.waiting().work).toBe(2);
    rmSync(join(layout.mailbox, 'ann', 'new', file));
    expect(bodies(box.claim({ take: 'all', ...NEVER }))).toEqual(['there']);
  });
});

describe('the end of a delivery', () => {
  it('unlinks what is acknowledged and puts what is returned at the head of the queue', () => {
    const { send, mailbox, files } = setUp();
    const box = mailbox.openBox('ann');
    send('task', 'a');
    send('task', 'b');
    const [a] = box.claim({ take: 'all', ...NEVER });
    if (a) expect(box.returnToNew(a)).toBe('new');
    const [again] = box.claim({ take: 'all', ...NEVER });
    expect(again).toEqual(a);
    if (again) box.acknowledge(again);
    expect(files('cur')).toEqual([]);
    expect(bodies(box.claim({ take: 'all', ...NEVER }))).toEqual(['b']);
  });

  it('processes what a killed process left in cur before anything new, and counts nothing for it', () => {
    const { send, mailbox, reopen, files } = setUp();
    send('task', 'left');
    mailbox.openBox('ann').claim({ take: 'all', ...NEVER });
    for (let kill = 0; kill < 5; kill++) {
      const box = reopen().openBox('ann');
      send('review', 'newer and more urgent', { id: 'r' });
      expect(bodies(box.claim({ take: 'all', ...NEVER }))).toEqual(['left']);
    }
    expect(files('dead')).toEqual([]);
  });

  it('sets aside a mail whose third delivery stored nothing; the count survives a restart', () => {
    const { send, reopen, files, mailbox } = setUp();
    send('task', 'poison');
    const deliver = () => {
      const box = reopen().openBox('ann');
      const [mail] = box.claim({ take: 'all', ...NEVER });
      return mail && box.returnToNew(mail, true);
    };
    expect([deliver(), deliver(), deliver(), deliver()]).toEqual(['new', 'new', 'dead', undefined]);
    expect(files('dead')).toHaveLength(1);
    expect(mailbox.list('ann')[0]?.dead?.reason).toContain('3 deliveries');
  });

  it('counts a delivery for what a dead thread left unseen, and not for what it had shown', () => {
    const { send, reopen, mailbox } = setUp();
    const shown = send('task', 'shown').mail.id;
    send('review', 'unseen');
    for (let crash = 1; crash <= 3; crash++) {
      const box = reopen().openBox('ann');
      box.claim({ take: 'all', max: 2, ...NEVER });
      const dead = reopen()
        .openBox('ann')
        .countFailedDeliveries((id) => id === shown);
      expect(bodies(dead)).toEqual(crash < 3 ? [] : ['unseen']);
    }
    expect(mailbox.list('ann').map(({ body, box }) => [body, box])).toEqual([
      ['shown', 'cur'],
      ['unseen', 'dead'],
    ]);
  });

  it('gives a continued turn back the mail it had taken', () => {
    const { send, mailbox, reopen, files } = setUp();
    const mine = send('task', 'mine').mail.id;
    mailbox.openBox('ann').claim({ take: 'all', ...NEVER });
    const box = reopen().openBox('ann');
    const held = box.takeHeld((id) => id === mine);
    expect(bodies(held)).toEqual(['mine']);
    expect(box.claim({ take: 'all', alreadySeen: (id) => id === mine })).toEqual([]);
    for (const mail of held) box.returnToNew(mail);
    expect(files('new')).toHaveLength(1);
  });

  it('finishes a move to dead/ that was cut in the middle', () => {
    const { put, mailbox, files } = setUp();
    put('2-abc-task.json', { id: 'abc', type: 'task', from: 'Lead', to: 'ann', at: 'x', body: 'b', dead: { reason: 'r', at: 'x' } }, 'cur');
    expect(mailbox.openBox('ann').claim({ take: 'all', ...NEVER })).toEqual([]);
    expect(files('dead')).toEqual(['2-abc-task.json']);
  });

  it('buries all that is left when its owner ends', () => {
    const { send, mailbox, files } = setUp();
    const box = mailbox.openBox('ann');
    send('task', 'in hand');
    box.claim({ take: 'all', ...NEVER });
    send('task', 'waiting');
    send('notice', 'fyi');
    expect(bodies(box.buryAll('ann has ended'))).toEqual(['in hand', 'waiting', 'fyi']);
    expect([files('new'), files('cur')]).toEqual([[], []]);
    expect(files('dead')).toHaveLength(3);
  });
});

describe('a dead letter', () => {
  it('is listed, found by a prefix, and requeued for whoever has the name now', () => {
    const { send, mailbox } = setUp();
    const { mail } = send('task', 'old', { id: 'dead-letter', epoch: 'gone' });
    const box = mailbox.openBox('ann');
    box.claim({ take: 'all', epoch: 'now', ...NEVER });
    expect(mailbox.list('ann').map(({ id, box: where }) => [id, where])).toEqual([[mail.id, 'dead']]);
    expect(mailbox.requeue('dead-l')).toMatchObject({ id: mail.id, box: 'new' });
    expect(bodies(box.claim({ take: 'all', epoch: 'now', ...NEVER }))).toEqual(['old']);
    expect(codeOf(() => mailbox.requeue('dead-letter'))).toBe('conflict');
    expect(codeOf(() => mailbox.requeue('nothing'))).toBe('not_found');
  });
});

describe('mail written by hand', () => {
  it('needs only a body and any name ending in .json', () => {
    const { put, mailbox, files } = setUp();
    put('hello.json', { body: 'look at the tests', type: 'task' });
    put('说明 one.json', { body: 'fyi' });
    put('notes.txt', 'not mail');
    const box = mailbox.openBox('ann');
    const [task, notice] = box.claim({ take: 'all', ...NEVER });
    expect(task).toMatchObject({ body: 'look at the tests', type: 'task', from: 'user', to: 'ann' });
    expect(notice).toMatchObject({ body: 'fyi', type: 'notice' });
    expect(files('cur')).toEqual([`2-${task?.id}-task.json`, `3-${notice?.id}-notice.json`]);
    expect(files('new')).toEqual(['notes.txt']);
  });

  it('keeps its id over a restart, so that it is in one turn only, and a second copy of it another day is new', () => {
    const { put, mailbox, reopen, clock } = setUp();
    put('hello.json', { body: 'go on', type: 'task' });
    const listed = mailbox.list('ann')[0]?.id;
    const [first] = mailbox.openBox('ann').claim({ take: 'all', ...NEVER });
    expect(first?.id).toBe(listed);
    const box = reopen().openBox('ann');
    const [second] = box.claim({ take: 'all', ...NEVER });
    expect(second?.id).toBe(first?.id);
    if (second) box.acknowledge(second);
    clock.jump(clock.now() + 1);
    put('hello.json', { body: 'go on', type: 'task', at: 'later' });
    box.arrived('hello.json');
    const [third] = box.claim({ take: 'all', ...NEVER });
    expect(third?.id).not.toBe(first?.id);
  });

  it('queues by what the content says when the name promises something else', () => {
    const { put, send, mailbox } = setUp();
    send('review', 'real');
    put('0-000000000000aaaaaa-end.json', { type: 'task', body: 'a task in an end suit' });
    const box = mailbox.openBox('ann');
    expect(bodies(box.claim({ take: 'all', ...NEVER }))).toEqual(['real']);
    expect(bodies(box.claim({ take: 'all', ...NEVER }))).toEqual(['a task in an end suit']);
  });

  it('moves a broken file aside once it has settled, names it once, and goes on with the others', () => {
    const { put, send, mailbox, files, findings, layout, clock } = setUp();
    put('a.json', '{"body":');
    put('2-zero-task.json', '');
    put('3-trail-notice.json', '{"body":"x","type":"notice"}}=');
    put('nobody.json', { type: 'task' });
    mkdirSync(join(layout.mailbox, 'ann', 'new', 'folder.json'));
    send('task', 'good');
    clock.jump(statSync(join(layout.mailbox, 'ann', 'new', 'a.json')).mtimeMs);
    const box = mailbox.openBox('ann');
    expect(bodies(box.claim({ take: 'all', ...NEVER }))).toEqual(['good']);
    expect(box.claim({ take: 'all', ...NEVER })).toEqual([]);
    const young = findings.length;
    expect(findings.every(({ level }) => level === 'warning')).toBe(true);
    box.claim({ take: 'boundary', ...NEVER });
    expect(findings).toHaveLength(young);
    clock.jump(clock.now() + 5_000);
    box.arrived();
    expect(box.claim({ take: 'boundary', ...NEVER })).toEqual([]);
    expect(box.claim({ take: 'all', ...NEVER })).toEqual([]);
    const aside = files('new');
    expect(aside.every((name) => name.includes('.bad-'))).toBe(true);
    expect(aside).toHaveLength(5);
    const told = findings.length;
    box.arrived();
    box.claim({ take: 'all', ...NEVER });
    expect(findings).toHaveLength(told);
  });

  it('takes a file whose writer finished after the first look', () => {
    const { put, mailbox, clock, layout } = setUp();
    put('slow.json', '{"type":"task","bo');
    clock.jump(statSync(join(layout.mailbox, 'ann', 'new', 'slow.json')).mtimeMs);
    const box = mailbox.openBox('ann');
    expect(box.claim({ take: 'all', ...NEVER })).toEqual([]);
    put('slow.json', { type: 'task', body: 'whole' });
    expect(bodies(box.claim({ take: 'all', ...NEVER }))).toEqual(['whole']);
  });
});

describe('looking', () => {
  it('counts what waits for others without reading it', () => {
    const { send, mailbox } = setUp();
    send('task', 'a');
    send('notice', 'b');
    send('task', 'c');
    mailbox.openBox('ann').claim({ take: 'all', max: 1, ...NEVER });
    expect(mailbox.pending('ann')).toEqual({ work: 1, notices: 0, held: 2 });
    expect(mailbox.pending('Lead')).toEqual({ work: 0, notices: 0, held: 0 });
  });

  it('tells doctor of dead letters, unreadable files and boxes nobody owns', () => {
    const { put, send, mailbox, layout, clock } = setUp();
    expect(mailbox.check()).toEqual([]);
    put('broken.json', '[');
    utimesSync(join(layout.mailbox, 'ann', 'new', 'broken.json'), clock.now() / 1000, clock.now() / 1000);
    mkdirSync(join(layout.mailbox, 'user'));
    writeFileSync(join(layout.mailbox, 'ann', 'agent.json'), '{"name":');
    const box = mailbox.openBox('ann');
    send('task', 'x');
    const [mail] = box.claim({ take: 'all', ...NEVER });
    if (mail) box.dead(mail, 'a test');
    expect(mailbox.check().map(({ level, where }) => [level, where.slice(layout.mailbox.length)])).toEqual([
      ['broken', '/ann/agent.json'],
      ['broken', '/ann/new/broken.json'],
      ['warning', '/ann/dead'],
      ['warning', '/user'],
    ]);
  });

  it('costs the owner no listing per message', () => {
    const { send, mailbox } = setUp();
    const box = mailbox.openBox('ann');
    for (let n = 0; n < 300; n++) send('task', `t${n}`);
    let reads = 0;
    installFaultHook(({ op }) => {
      if (op === 'read') reads++;
      return undefined;
    });
    try {
      expect(bodies(box.claim({ take: 'all', ...NEVER }))).toEqual(['t0']);
    } finally {
      installFaultHook(undefined);
    }
    expect(reads).toBe(1);
  });
});

describe('the roster', () => {
  it('writes, changes and lists entries, and moves an unreadable one aside', () => {
    const { layout, clock, findings } = setUp();
    const roster = openRoster({ layout, clock, report: (finding) => findings.push(finding) });
    const entry = { name: 'ann', session: 's1', epoch: 'e1', state: 'starting', createdAt: 'now' } as const;
    roster.write({ ...entry, task: 'lexer' });
    expect(roster.change('ann', { state: 'working', task: undefined })).not.toHaveProperty('task');
    roster.write({ ...entry, name: 'bob' });
    expect(roster.list().map(({ name, state }) => [name, state])).toEqual([
      ['ann', 'working'],
      ['bob', 'starting'],
    ]);
    expect(codeOf(() => roster.change('cid', { state: 'idle' }))).toBe('not_found');
    writeFileSync(join(layout.mailbox, 'bob', 'agent.json'), '{"name":"bob"');
    clock.jump(Date.now() + 60_000);
    expect(roster.read('bob')).toBeUndefined();
    expect(findings.at(-1)?.where).toContain('bob/agent.json');
    expect(existsSync(join(layout.mailbox, 'bob', 'agent.json'))).toBe(false);
    roster.remove('ann');
    expect(roster.list()).toEqual([]);
  });
});
