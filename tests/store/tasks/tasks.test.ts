import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { installFaultHook } from '../../../store/faults.ts';
import { fakeClock } from '../../helpers/clock.ts';
import { taskBench } from './open.ts';

const done = { result: 'done' };

describe('ids and files', () => {
  it('makes ids from titles in any script, unique and at most 200 bytes', async () => {
    const { tasks, layout } = taskBench();
    const ids = [];
    for (const title of [
      '写词法分析器 / Lexer',
      '写词法分析器 / Lexer',
      '../../x',
      '.',
      'CON',
      'line\nbreak',
      '界'.repeat(300),
      '界'.repeat(300),
      'é',
    ])
      ids.push((await tasks.create({ title })).id);
    expect(ids.slice(0, 6)).toEqual(['写词法分析器-lexer', '写词法分析器-lexer-2', 'x', 'task', 'task-con', 'line-break']);
    expect(new Set(ids).size).toBe(ids.length);
    expect(Math.max(...ids.map((id) => Buffer.byteLength(id)))).toBeLessThanOrEqual(200);
    expect(readdirSync(layout.tasks).sort()).toEqual(['.gitignore', ...ids.map((id) => `${id}.json`)].sort());
    expect(tasks.get('line-break')?.title).toBe('line break');
    await expect(tasks.create({ title: ' \n ' })).rejects.toThrow('needs a title');
  });

  it('writes a file a person can read, and keeps what they add', async () => {
    const { tasks, layout } = taskBench();
    await tasks.create({ title: 'Lexer', description: 'tokens' });
    const file = join(layout.tasks, 'lexer.json');
    expect(readFileSync(file, 'utf8')).toMatch(/^{\n {2}"id": "lexer",\n {2}"title": "Lexer",\n {2}"description": "tokens",\n/);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"priority"', '"estimate": "2h",\n  "priority"'));
    await tasks.update('lexer', { priority: 'high' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ priority: 'high', estimate: '2h' });
  });

  it('reads a file with only a title, and takes its name as its id', () => {
    const { tasks, layout } = taskBench();
    mkdirSync(layout.tasks, { recursive: true });
    writeFileSync(join(layout.tasks, '手写.json'), '\uFEFF{"title": "by hand", "id": "other"}');
    expect(tasks.get('手写')).toMatchObject({ id: '手写', state: 'pending', priority: 'normal', blockedBy: [], attempts: 0, ready: true });
    expect(tasks.get('other')).toBeUndefined();
    expect(tasks.get('../手写')).toBeUndefined();
  });

  it('picks up edits, new files and deletions by hand without being told', async () => {
    const { tasks, layout } = taskBench();
    await tasks.create({ title: 'a' });
    await tasks.create({ title: 'b', blockedBy: ['a'] });
    expect(tasks.list({ ready: true }).map(({ id }) => id)).toEqual(['a']);
    const file = join(layout.tasks, 'a.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"pending"', '"completed"'));
    expect(tasks.list({ ready: true }).map(({ id }) => id)).toEqual(['b']);
    // The same size within the same moment.
    writeFileSync(file, readFileSync(file, 'utf8').replace('"title": "a"', '"title": "z"'));
    expect(tasks.get('a')?.title).toBe('z');
    writeFileSync(join(layout.tasks, 'c.json'), '{"title":"c"}');
    unlinkSync(file);
    expect(tasks.list().map(({ id, waits }) => [id, waits])).toEqual([
      ['c', []],
      ['b', [{ id: 'a', why: 'missing' }]],
    ]);
  });

  it('moves a bad file aside once, names it, loads the others, and lets a young one be', async () => {
    const { tasks, layout, notices, again } = taskBench();
    await tasks.create({ title: 'good' });
    const old = new Date(Date.now() - 60_000);
    const bad = { 'a.json': '{"title":"a"}}=', 'b.json': '', 'c.json': '{"title":5}', 'd.json': '{"title":"d","state":"nonsense"}' };
    for (const [name, text] of Object.entries(bad)) {
      writeFileSync(join(layout.tasks, name), text);
      utimesSync(join(layout.tasks, name), old, old);
    }
    writeFileSync(join(layout.tasks, 'young.json'), '{"title":');
    expect(tasks.list().map(({ id }) => id)).toEqual(['good']);
    again().list();
    tasks.list();
    const names = readdirSync(layout.tasks);
    for (const [name, text] of Object.entries(bad)) {
      expect(names).not.toContain(name);
      const [aside, ...more] = names.filter((other) => other.startsWith(`${name}.bad-`));
      expect(more).toEqual([]);
      expect(readFileSync(join(layout.tasks, aside ?? ''), 'utf8')).toBe(text);
      expect(notices.filter((notice) => notice.where.endsWith(name))).toHaveLength(1);
    }
    expect(names).toContain('young.json');
    expect(tasks.check().map(({ where }) => where)).toContain(join(layout.tasks, 'young.json'));
  });

  it('returns the task that is there for a known origin, archived or not', async () => {
    const { tasks, again } = taskBench();
    const origin = { session: 's', row: 4, index: 1 };
    const made = await tasks.create({ title: 'a' }, origin);
    expect((await again().create({ title: 'a' }, origin)).id).toBe(made.id);
    await tasks.update('a', { state: 'completed' });
    await tasks.archive('a');
    expect((await again().create({ title: 'a' }, origin)).id).toBe('a');
    expect((await tasks.create({ title: 'a' }, { ...origin, index: 2 })).id).toBe('a-2');
  });

  it('loses no task when many are created at once', async () => {
    const { again } = taskBench();
    const stores = [again(), again(), again()];
    const made = await Promise.all(Array.from({ length: 30 }, (_, i) => stores[i % 3]?.create({ title: 'same title' })));
    expect(new Set(made.map((task) => task?.id)).size).toBe(30);
    expect(again().list()).toHaveLength(30);
  });
});

describe('edges', () => {
  it('refuses a missing blocker, the task itself, and a cycle, which it prints', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'a' });
    await tasks.create({ title: 'b', blockedBy: ['a', 'a'] });
    await tasks.create({ title: 'c', blockedBy: ['b'] });
    expect(tasks.get('b')?.blockedBy).toEqual(['a']);
    await expect(tasks.create({ title: 'd', blockedBy: ['nope'] })).rejects.toThrow('no task "nope"');
    await expect(tasks.update('a', { blockedBy: ['a'] })).rejects.toThrow('a -> a');
    await expect(tasks.update('a', { blockedBy: ['c'] })).rejects.toThrow('a -> c -> b -> a');
    expect(tasks.get('a')?.blockedBy).toEqual([]);
  });

  it('reports a cycle found on disk and leaves other tasks alone', async () => {
    const { tasks, layout } = taskBench();
    await tasks.create({ title: 'free' });
    for (const [id, blocker] of [
      ['x', 'y'],
      ['y', 'z'],
      ['z', 'x'],
    ] as const)
      writeFileSync(join(layout.tasks, `${id}.json`), JSON.stringify({ title: id, blockedBy: [blocker] }));
    expect(tasks.list({ ready: true }).map(({ id }) => id)).toEqual(['free']);
    expect(tasks.get('x')?.waits).toEqual([{ id: 'y', why: 'cycle' }]);
    expect(tasks.check()).toMatchObject([{ level: 'broken', what: expect.stringContaining('x -> y -> z -> x') }]);
    await tasks.claim('free', 'ann');
    await expect(tasks.claim('x', 'ann')).rejects.toThrow('not ready');
    await tasks.update('x', { blockedBy: [] });
    expect(tasks.get('x')?.ready).toBe(true);
  });

  it('names a failed blocker as the reason', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'a' });
    await tasks.create({ title: 'b', blockedBy: ['a'] });
    await tasks.update('a', { state: 'failed' });
    await expect(tasks.assign('b', 'ann')).rejects.toThrow('waits for failed task a');
    expect(tasks.check()).toMatchObject([{ where: 'b', what: 'waits for "a", which failed' }]);
  });

  it('frees what waits only when the blocker is completed and merged', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'lexer' });
    await tasks.create({ title: 'parser', blockedBy: ['lexer'] });
    await tasks.assign('lexer', 'ann');
    const { token } = await tasks.claim('lexer', 'ann');
    await tasks.complete('lexer', token, { result: 'all green', landed: false });
    expect(tasks.get('parser')).toMatchObject({ ready: false, waitingFor: ['lexer'], waits: [{ id: 'lexer', why: 'merge', who: 'ann' }] });
    await expect(tasks.assign('parser', 'bob')).rejects.toThrow('merge of ann (lexer)');
    await tasks.setLanded('lexer');
    await tasks.setLanded('lexer');
    expect((await tasks.assign('parser', 'bob')).assignee).toBe('bob');
  });
});

describe('claims', () => {
  it('have one winner, and only its token ends the task', async () => {
    const { tasks, again } = taskBench();
    await tasks.create({ title: 'a' });
    const tries = await Promise.allSettled(['ann', 'bob', 'cid'].map((by) => again().claim('a', by)));
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const holder = tasks.get('a')?.claim;
    await expect(tasks.complete('a', 'stale', done)).rejects.toThrow('no longer counts');
    await expect(tasks.claim('a', 'dan')).rejects.toThrow(`claimed by ${holder?.by}`);
    const first = await tasks.complete('a', holder?.token ?? '', { result: 'one' });
    const second = await tasks.complete('a', holder?.token ?? '', { result: 'two' });
    expect(second).toEqual(first);
  });

  it('are kept by the same agent with the same token, and use no attempt', async () => {
    const { tasks, again } = taskBench();
    await tasks.create({ title: 'a' });
    const first = await tasks.claim('a', 'ann', { token: 'derived', session: 's1' });
    const file = tasks.get('a');
    expect(await again().claim('a', 'ann', { token: 'derived' })).toEqual(first);
    expect(again().get('a')).toEqual(file);
    await expect(tasks.claim('a', 'bob', { token: 'derived' })).rejects.toThrow('claimed by ann');
    await tasks.complete('a', 'derived', done);
    expect((await tasks.claim('a', 'ann', { token: 'derived' })).task.state).toBe('completed');
  });

  it('go to the assignee only', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'a' });
    await tasks.assign('a', 'ann');
    await expect(tasks.claim('a', 'bob')).rejects.toThrow('assigned to ann');
    await tasks.claim('a', 'ann');
    await expect(tasks.assign('a', 'bob')).rejects.toThrow('claimed by ann');
    expect((await tasks.assign('a', 'ann')).state).toBe('in_progress');
  });

  it('fail back to pending and, the third time, for good; a person sets it back with no attempt used', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'a' });
    for (const attempt of [1, 2, 3]) {
      const { token } = await tasks.claim('a', 'ann');
      await tasks.fail('a', token, `crash ${attempt}`);
      expect(await tasks.fail('a', token, 'said twice')).toMatchObject({ attempts: attempt, state: attempt < 3 ? 'pending' : 'failed' });
    }
    expect(tasks.get('a')?.failures.map(({ agent, error }) => `${agent}: ${error}`)).toEqual([
      'ann: crash 1',
      'ann: crash 2',
      'ann: crash 3',
    ]);
    await expect(tasks.claim('a', 'ann')).rejects.toThrow('is failed');
    expect(await tasks.update('a', { state: 'pending' })).toMatchObject({ state: 'pending', attempts: 0 });
  });

  it('are taken back from who is gone, with one attempt used; a late result is refused', async () => {
    const { tasks } = taskBench();
    for (const title of ['a', 'b', 'c']) await tasks.create({ title });
    const late = await tasks.claim('a', 'ann', { session: 'old' });
    await tasks.claim('b', 'bob', { session: 'new' });
    await tasks.assign('c', 'ann');
    const taken = await tasks.takeBack(
      (holder) => holder.by === 'ann',
      () => 'its session ended',
    );
    expect(taken.map(({ id }) => id).sort()).toEqual(['a', 'c']);
    expect(tasks.get('a')).toMatchObject({ state: 'pending', attempts: 1, failures: [{ agent: 'ann', error: 'its session ended' }] });
    expect(tasks.get('c')).toMatchObject({ attempts: 0 });
    expect(tasks.get('c')?.assignee).toBeUndefined();
    expect(tasks.get('b')?.claim?.by).toBe('bob');
    await tasks.claim('a', 'bob');
    await expect(tasks.complete('a', late.token, done)).rejects.toThrow('in_progress by bob');
  });

  it('come back for a revision with a new token and no attempt', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'a' });
    const first = await tasks.claim('a', 'ann');
    await tasks.complete('a', first.token, { result: 'v1', landed: false });
    const second = await tasks.revise('a', 'ann', { token: 'review-1' });
    expect(second.task).toMatchObject({ state: 'in_progress', attempts: 0, claim: { by: 'ann', token: 'review-1' } });
    expect(second.task.result).toBeUndefined();
    expect(await tasks.revise('a', 'ann', { token: 'review-1' })).toEqual(second);
    await expect(tasks.complete('a', first.token, done)).rejects.toThrow('no longer counts');
    await tasks.complete('a', 'review-1', { result: 'v2', landed: false });
    expect(await tasks.revise('a', 'ann', { token: 'review-1' })).toMatchObject({ task: { state: 'completed' } });
  });

  it('are released to pending with a note, with or without an attempt', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'a' });
    await tasks.claim('a', 'ann');
    const released = await tasks.release('a', { useAttempt: false, note: 'work so far: branch xz/ann/1' });
    expect(released).toMatchObject({ state: 'pending', attempts: 0, note: 'work so far: branch xz/ann/1' });
    expect(await tasks.release('a', { useAttempt: false })).toEqual(released);
    await tasks.claim('a', 'bob');
    expect(await tasks.release('a', { useAttempt: true, note: 'thread died' })).toMatchObject({ state: 'pending', attempts: 1 });
  });
});

describe('changes by a person or the lead', () => {
  it('start and end tasks, but never start one that is not ready', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'a' });
    await tasks.create({ title: 'b', blockedBy: ['a'] });
    await expect(tasks.update('b', { state: 'in_progress' }, { force: true })).rejects.toThrow('waits for a');
    await tasks.update('a', { state: 'in_progress' });
    await tasks.update('a', { state: 'completed' });
    const before = tasks.get('a');
    expect(await tasks.update('a', { state: 'completed' })).toMatchObject({ updatedAt: before?.updatedAt });
    expect((await tasks.update('b', { state: 'in_progress' })).startedAt).toBeDefined();
    await expect(tasks.update('a', { state: 'pending' })).rejects.toThrow('is completed');
    expect((await tasks.update('a', { state: 'pending' }, { force: true })).state).toBe('pending');
  });

  it('leave a task that a live agent holds, naming it, unless forced', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'a' });
    const { token } = await tasks.claim('a', 'ann');
    await expect(tasks.update('a', { state: 'completed' })).rejects.toThrow('held by ann');
    await expect(tasks.update('a', { state: 'completed' }, { isLive: () => true })).rejects.toThrow('held by ann');
    await tasks.update('a', { priority: 'low' });
    expect((await tasks.update('a', { state: 'completed' }, { isLive: () => false })).claim).toBeUndefined();
    await expect(tasks.complete('a', token, done)).rejects.toThrow('no longer counts');
    await tasks.update('a', { state: 'pending' }, { force: true });
    await tasks.claim('a', 'ann');
    expect((await tasks.update('a', { state: 'failed' }, { force: true })).state).toBe('failed');
  });

  it('add no open blocker to a task at work', async () => {
    const { tasks } = taskBench();
    await tasks.create({ title: 'a' });
    await tasks.create({ title: 'b' });
    await tasks.claim('a', 'ann');
    await expect(tasks.update('a', { blockedBy: ['b'] })).rejects.toThrow('in progress');
  });
});

describe('archive and clear', () => {
  it('keeps a root and its completed blockers in one file, and leaves what others still need', async () => {
    const { tasks, layout, again } = taskBench();
    for (const [title, blockedBy] of [
      ['shared', []],
      ['own', []],
      ['root', ['shared', 'own']],
      ['other', ['shared']],
    ] as const) {
      await tasks.create({ title, blockedBy });
      if (title !== 'other') await tasks.update(title, { state: 'completed' });
    }
    await expect(tasks.archive('other')).rejects.toThrow('is pending');
    await expect(tasks.archive('shared')).rejects.toThrow('still needed by "other"');
    expect([...(await tasks.archive('root')).ids].sort()).toEqual(['own', 'root']);
    expect(JSON.parse(readFileSync(join(layout.tasksDone, 'root.json'), 'utf8')).tasks).toHaveLength(2);
    expect(tasks.list({ all: true }).map(({ id, archived }) => [id, archived])).toEqual([
      ['other', undefined],
      ['shared', undefined],
      ['root', 'root'],
      ['own', 'root'],
    ]);
    expect((await again().archive('root')).ids).toEqual([]);
    await expect(tasks.update('own', { state: 'pending' })).rejects.toThrow('archived with "root"');
    expect((await tasks.create({ title: 'next', blockedBy: ['own'] })).blockedBy).toEqual(['own']);
    expect(tasks.get('next')?.ready).toBe(true);
    expect((await tasks.create({ title: 'root' })).id).toBe('root-2');
  });

  it('finishes an archive that was cut between any two of its files', async () => {
    for (const removed of [0, 1, 2]) {
      const { tasks, again } = taskBench();
      for (const [title, blockedBy] of [
        ['a', []],
        ['b', ['a']],
        ['c', ['b']],
      ] as const) {
        await tasks.create({ title, blockedBy });
        await tasks.update(title, { state: 'completed' });
      }
      let unlinked = 0;
      installFaultHook(({ op, path }) => {
        if (op === 'unlink' && path.endsWith('.json') && unlinked++ === removed) throw new Error('killed');
        return undefined;
      });
      await expect(tasks.archive('c')).rejects.toThrow('killed');
      installFaultHook(undefined);
      const next = again();
      for (const { fix } of next.check()) expect(fix).toBe('xz task archive c finishes it');
      await next.archive('c');
      expect(next.check()).toEqual([]);
      expect(next.list({ all: true }).map(({ id, archived }) => [id, archived])).toEqual(
        expect.arrayContaining([
          ['a', 'c'],
          ['b', 'c'],
          ['c', 'c'],
        ]),
      );
      expect(next.list({ all: true })).toHaveLength(3);
    }
  });

  it('finishes an archive that a crash cut short', async () => {
    const { tasks, layout } = taskBench();
    await tasks.create({ title: 'a' });
    await tasks.create({ title: 'b', blockedBy: ['a'] });
    await tasks.update('a', { state: 'completed' });
    await tasks.update('b', { state: 'completed' });
    const kept = readFileSync(join(layout.tasks, 'b.json'), 'utf8');
    await tasks.archive('b');
    writeFileSync(join(layout.tasks, 'b.json'), kept);
    expect(tasks.check()).toMatchObject([{ where: 'b', fix: 'xz task archive b finishes it' }]);
    expect((await tasks.archive('b')).ids).toEqual(['b']);
    expect(tasks.check()).toEqual([]);
    expect(
      tasks
        .list({ all: true })
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['a', 'b']);
  });

  it('clears after keeping a copy, never under a live agent, and keeps ten copies', async () => {
    const clock = fakeClock();
    const { tasks, layout } = taskBench(clock);
    expect(await tasks.clear()).toEqual({ removed: 0, snapshot: undefined });
    await tasks.create({ title: 'a' });
    await tasks.claim('a', 'ann');
    await expect(tasks.clear()).rejects.toThrow('held by ann');
    const { removed, snapshot } = await tasks.clear({ force: true });
    expect(removed).toBe(1);
    expect(JSON.parse(readFileSync(snapshot ?? '', 'utf8')).tasks).toMatchObject([{ id: 'a', claim: { by: 'ann' } }]);
    for (let i = 0; i < 12; i++) {
      clock.jump(clock.now() + 1_000);
      await tasks.create({ title: 'a' });
      await tasks.clear();
    }
    expect(readdirSync(join(layout.tasks, '.snapshots'))).toHaveLength(10);
    expect(tasks.list({ all: true })).toEqual([]);
  });
});

describe('trouble on disk', () => {
  it('makes nothing before there is something to store, and says when it cannot write', async () => {
    const { tasks, layout } = taskBench();
    expect(tasks.list()).toEqual([]);
    await expect(tasks.update('a', { state: 'completed' })).rejects.toThrow('no task "a"');
    expect(existsSync(layout.tasks)).toBe(false);
    writeFileSync(layout.tasks, 'a file in its place');
    expect(tasks.list()).toEqual([]);
    await expect(tasks.create({ title: 'a' })).rejects.toMatchObject({ code: 'unwritable' });
    rmSync(layout.tasks);
    await tasks.create({ title: 'a' });
    expect(readFileSync(join(layout.tasks, '.gitignore'), 'utf8')).toBe('*\n');
  });
});
