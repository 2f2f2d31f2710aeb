import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { LeadEvent } from '../../../lead/events.ts';
import { removeGate } from '../../../lead/merge/gate.ts';
import { readIntent, writeIntent } from '../../../lead/merge/intent.ts';
import { mergeBranch } from '../../../lead/merge/merge.ts';
import { settleMergeIntent } from '../../../lead/merge/settle.ts';
import { systemClock } from '../../../store/clock.ts';
import { openLocks } from '../../../store/lock.ts';
import { openGit } from '../../../workers/worktree/git.ts';
import { NO_SETUP, type WorktreeSetup } from '../../../workers/worktree/setup.ts';
import { testLayout } from '../../helpers/layout.ts';
import { tempWorkspace } from '../../helpers/temp.ts';

const FILES = { 'README.md': '# demo\n', 'a.txt': 'a\n', 'b.txt': 'b\n', '.gitignore': 'ignored/\n*.log\n' };

function setUp(files: Readonly<Record<string, string>> = FILES) {
  const ws = tempWorkspace({ files });
  const layout = testLayout(ws.dir, join(ws.home, '.xz'));
  const locks = openLocks(layout.locks, 'a test', systemClock);
  onTestFinished(() => locks.close());
  const base = ws.git('rev-parse', 'HEAD').trim();
  const events: LeadEvent[] = [];
  /** A branch with these files changed (undefined: deleted), made without touching the main checkout. */
  const branch = (name: string, changes: Readonly<Record<string, string | undefined>>) => {
    const place = join(ws.home, `make-${name.replaceAll('/', '-')}`);
    ws.git('worktree', 'add', '-q', '-b', name, place, base);
    for (const [file, text] of Object.entries(changes)) {
      mkdirSync(join(place, file, '..'), { recursive: true });
      if (text === undefined) rmSync(join(place, file));
      else writeFileSync(join(place, file), text);
    }
    ws.git('-C', place, 'add', '-A', '-f');
    ws.git('-C', place, 'commit', '-qm', `work on ${name}`, '--allow-empty');
    ws.git('worktree', 'remove', '--force', place);
    return ws.git('rev-parse', name).trim();
  };
  const merge = (
    name: string,
    more: { setup?: Partial<WorktreeSetup>; trusted?: boolean; recordedBranch?: string; signal?: AbortSignal } = {},
  ) =>
    mergeBranch({
      layout,
      name: 'ann',
      branch: name,
      base,
      recordedBranch: more.recordedBranch ?? 'main',
      setup: { ...NO_SETUP, ...more.setup },
      trusted: more.trusted ?? true,
      git: { env: ws.env, signal: more.signal },
      locks,
      clock: systemClock,
      process: { name: 'ptest', hold: () => {} },
      emit: (event) => events.push(event),
    });
  const settle = () => settleMergeIntent({ layout, git: { env: ws.env }, locks, clock: systemClock });
  const head = () => ws.git('rev-parse', 'HEAD').trim();
  const status = () => ws.git('status', '--porcelain', '-uall');
  return { ws, layout, base, branch, merge, settle, head, status, events };
}

describe('merging a branch', () => {
  it('lands a merge commit by fast-forward, keeps it under a ref, leaves no intent and a clean checkout', async () => {
    const { ws, branch, merge, head, status, layout, events, base } = setUp();
    branch('xz/ann/1', { 'a.txt': 'hers\n', 'new/c.txt': 'c\n' });
    const outcome = await merge('xz/ann/1');
    expect(outcome).toMatchObject({ kind: 'merged', commit: head(), gate: { verdict: 'none' }, files: ['a.txt', 'new/c.txt'] });
    expect(ws.git('log', '-1', '--format=%P').trim().split(' ')[0]).toBe(base);
    expect(ws.git('rev-parse', 'refs/xz/merged/ann').trim()).toBe(head());
    expect([ws.read('a.txt'), ws.read('new/c.txt'), status()]).toEqual(['hers\n', 'c\n', '']);
    expect(readIntent(layout, Date.now())).toBeUndefined();
    expect(events.map((event) => event.type === 'merge' && [event.outcome, event.gate])).toEqual([
      ['queued', 'none'],
      ['merged', 'none'],
    ]);
    expect(await merge('xz/ann/1')).toEqual({ kind: 'nothing', landed: true });
  });

  it('says that there is nothing, and that a branch is gone', async () => {
    const { ws, merge } = setUp();
    ws.git('branch', 'xz/ann/1');
    expect(await merge('xz/ann/1')).toEqual({ kind: 'nothing', landed: false });
    expect(await merge('xz/ann/7')).toMatchObject({ kind: 'refused', why: 'no_branch' });
  });

  it('runs the project’s gate on the merged tree, in the kept gate worktree', async () => {
    const { branch, merge, ws, layout } = setUp();
    branch('xz/ann/1', { 'a.txt': 'hers\n' });
    ws.write('a2.txt', 'from main\n');
    ws.git('add', '-A');
    ws.git('commit', '-qm', 'meanwhile');
    const gate = 'test "$(cat a.txt)" = hers && test -f a2.txt && echo "# tests 3" && pwd > gate.log';
    expect(await merge('xz/ann/1', { setup: { gate } })).toMatchObject({
      kind: 'merged',
      gate: { verdict: 'green', tests: 3, lines: ['# tests 3'] },
    });
    expect(readFileSync(join(layout.gate, 'gate.log'), 'utf8').trim()).toBe(layout.gate);
    branch('xz/ann/2', { 'b.txt': 'hers\n' });
    expect(await merge('xz/ann/2')).toMatchObject({ kind: 'merged' });
    await removeGate(openGit(ws.dir, { env: ws.env }), layout);
    expect(ws.git('worktree', 'list').trim().split('\n')).toHaveLength(1);
    expect(existsSync(layout.gate)).toBe(false);
  });

  it('red: the gate fails, cannot be run, takes too long, or runs no test; nothing changes and the branch stays', async () => {
    const { ws, branch, merge, head, base, status } = setUp();
    const tip = branch('xz/ann/1', { 'a.txt': 'hers\n' });
    const red = async (setup: Partial<WorktreeSetup>) => {
      const outcome = await merge('xz/ann/1', { setup });
      expect([outcome.kind, head(), status()]).toEqual(['red', base, '']);
      return outcome.kind === 'red' ? `${outcome.why} | ${outcome.output}` : '';
    };
    expect(await red({ gate: 'echo why it failed; exit 3' })).toMatch(/exit code 3 .*why it failed/);
    expect(await red({ gate: 'no-such-program --test' })).toContain('could not be run');
    expect(await red({ gate: 'sleep 60 & sleep 60', gateTimeoutS: 0.3 })).toContain('took longer');
    expect(await red({ gate: 'printf "1..0\\n# tests 0\\n"' })).toContain('ran no test');
    expect(ws.git('rev-parse', 'xz/ann/1').trim()).toBe(tip);
  });

  it('does not run the gate of a workspace that is not trusted', async () => {
    const { branch, merge, head, base } = setUp();
    branch('xz/ann/1', { 'a.txt': 'hers\n' });
    expect(await merge('xz/ann/1', { setup: { gate: 'touch "$HOME/ran"' }, trusted: false })).toMatchObject({
      kind: 'refused',
      why: 'untrusted',
    });
    expect(head()).toBe(base);
  });

  it('gives a conflict back with its files and can merge the next branch right after', async () => {
    const { ws, branch, merge, head, status } = setUp();
    branch('xz/ann/1', { 'a.txt': 'hers\n', 'b.txt': 'hers\n' });
    branch('xz/bob/1', { 'c.txt': 'c\n' });
    ws.write('a.txt', 'his\n');
    ws.git('commit', '-qam', 'his');
    const before = head();
    expect(await merge('xz/ann/1')).toEqual({ kind: 'conflict', files: ['a.txt'] });
    expect([head(), status()]).toEqual([before, '']);
    expect(await merge('xz/bob/1')).toMatchObject({ kind: 'merged' });
  });

  it('is refused on another branch, in the middle of the person’s own merge, and without a main checkout', async () => {
    const { ws, branch, merge, base, head } = setUp();
    branch('xz/ann/1', { 'a.txt': 'hers\n' });
    ws.git('checkout', '-q', '-b', 'topic');
    expect(await merge('xz/ann/1')).toMatchObject({ kind: 'refused', why: 'other_branch', detail: expect.stringContaining('topic') });
    ws.git('checkout', '-q', 'main');
    branch('theirs', { 'b.txt': 'theirs\n' });
    ws.git('merge', '-q', '--no-commit', '--no-ff', 'theirs');
    expect(await merge('xz/ann/1')).toMatchObject({ kind: 'refused', why: 'operation' });
    ws.git('merge', '--abort');
    expect(head()).toBe(base);
  });

  it('runs no hook, asks for no signature, stashes nothing', async () => {
    const { ws, branch, merge } = setUp();
    branch('xz/ann/1', { 'a.txt': 'hers\n' });
    for (const hook of ['pre-merge-commit', 'prepare-commit-msg', 'commit-msg', 'post-merge', 'post-checkout', 'reference-transaction']) {
      ws.write(`.git/hooks/${hook}`, '#!/bin/sh\ntouch "$HOME/hook-ran"\nexit 1\n');
      chmodSync(ws.path(`.git/hooks/${hook}`), 0o755);
    }
    for (const [key, value] of [
      ['commit.gpgsign', 'true'],
      ['merge.verifySignatures', 'true'],
      ['merge.autoStash', 'true'],
      ['gpg.program', '/bin/false'],
    ] as const)
      ws.git('config', key, value);
    ws.write('b.txt', 'uncommitted\n');
    expect(await merge('xz/ann/1')).toMatchObject({ kind: 'merged' });
    expect([ws.read('b.txt'), ws.git('stash', 'list'), existsSync(join(ws.home, 'hook-ran'))]).toEqual(['uncommitted\n', '', false]);
  });

  it('leaves the gate’s worktree usable whatever the gate command did to it', async () => {
    const { ws, branch, merge, layout } = setUp();
    ws.git('branch', 'precious');
    const precious = ws.git('rev-parse', 'precious').trim();
    branch('xz/ann/1', { 'a.txt': 'hers\n' });
    branch('xz/ann/2', { 'b.txt': 'hers\n' });
    branch('xz/ann/3', { 'c.txt': 'hers\n' });
    expect(await merge('xz/ann/1', { setup: { gate: 'git checkout -q precious && echo junk > junk.txt' } })).toMatchObject({
      kind: 'merged',
    });
    expect(await merge('xz/ann/2', { setup: { gate: 'rm .git' } })).toMatchObject({ kind: 'merged' });
    expect(ws.git('rev-parse', 'precious').trim()).toBe(precious);
    expect(await merge('xz/ann/3', { setup: { gate: '! test -e junk.txt' } })).toMatchObject({ kind: 'merged' });
    expect(readFileSync(join(layout.gate, 'c.txt'), 'utf8')).toBe('hers\n');
    expect(ws.git('status', '--porcelain')).toBe('');
  });

  it('does not delete a stranger’s folder that stands where the gate should', async () => {
    const { ws, branch, merge } = setUp();
    branch('xz/ann/1', { 'a.txt': 'hers\n' });
    ws.write('.worktrees/.gate/mine.txt', 'mine');
    expect(await merge('xz/ann/1')).toMatchObject({ kind: 'refused', why: 'gate_folder' });
    expect(ws.read('.worktrees/.gate/mine.txt')).toBe('mine');
  });

  it('stops at an interrupt without having touched anything', async () => {
    const { branch, merge, head, base, layout } = setUp();
    branch('xz/ann/1', { 'a.txt': 'hers\n' });
    const stop = new AbortController();
    const merging = merge('xz/ann/1', { setup: { gate: 'touch ../../started.log; sleep 60' }, signal: stop.signal });
    const started = setInterval(() => existsSync(join(layout.root, 'started.log')) && stop.abort(), 5);
    await expect(merging).rejects.toMatchObject({ code: 'interrupted' });
    clearInterval(started);
    expect(head()).toBe(base);
    expect(readIntent(layout, Date.now())).toBeUndefined();
  });

  it('starts over when the person commits while the gate runs', async () => {
    const { ws, branch, merge, status } = setUp();
    branch('xz/ann/1', { 'a.txt': 'hers\n' });
    const gate = `test -e "$HOME/once" || { touch "$HOME/once"; cd "${ws.dir}" && echo his > b.txt && git commit -qam his; }`;
    expect(await merge('xz/ann/1', { setup: { gate } })).toMatchObject({ kind: 'merged' });
    expect([ws.read('a.txt'), ws.read('b.txt'), status()]).toEqual(['hers\n', 'his\n', '']);
  });

  it('is refused, naming the branch, when the person switches to another one while the gate runs, or starts a merge', async () => {
    const { ws, branch, merge, head, base, status, layout } = setUp();
    branch('xz/ann/1', { 'a.txt': 'hers\n' });
    branch('theirs', { 'b.txt': 'theirs\n' });
    const during = (what: string) => merge('xz/ann/1', { setup: { gate: `cd "${ws.dir}" && git ${what}` } });
    for (const [what, now, why] of [
      ['checkout -q -b topic', 'topic', 'other_branch'],
      ['checkout -q --detach', 'a detached HEAD', 'other_branch'],
      ['merge -q --no-commit --no-ff theirs', 'merge', 'operation'],
    ] as const) {
      expect(await during(what), what).toMatchObject({ kind: 'refused', why, detail: expect.stringContaining(now) });
      expect([head(), ws.has('a.txt') && ws.read('a.txt'), readIntent(layout, Date.now())]).toEqual([base, 'a\n', undefined]);
      if (why === 'operation') ws.git('merge', '--abort');
      ws.git('checkout', '-q', 'main');
      expect(status()).toBe('');
    }
    expect(await merge('xz/ann/1')).toMatchObject({ kind: 'merged' });
    expect(ws.git('rev-parse', 'topic').trim()).toBe(base);
  });
});

describe('the person’s files', () => {
  it('that no one else touches stay as they are: changed, staged, untracked, ignored', async () => {
    const { ws, branch, merge, status } = setUp();
    branch('xz/ann/1', { 'a.txt': 'hers\n' });
    ws.write('README.md', 'staged\n');
    ws.git('add', 'README.md');
    ws.write('README.md', 'and changed again\n');
    ws.write('b.txt', 'changed\n');
    ws.write('untracked.txt', 'u\n');
    ws.write('ignored/x', 'i\n');
    const before = status();
    expect(await merge('xz/ann/1')).toMatchObject({ kind: 'merged' });
    expect(status()).toBe(before);
    expect(ws.git('show', ':README.md')).toBe('staged\n');
    expect(['README.md', 'b.txt', 'untracked.txt', 'ignored/x'].map(ws.read)).toEqual(['and changed again\n', 'changed\n', 'u\n', 'i\n']);
  });

  it('that are in the way refuse the merge, are named, and it lands once they are out of the way', async () => {
    const { ws, branch, merge, head, base, layout } = setUp();
    branch('xz/ann/1', { 'a.txt': 'hers\n', 'u.txt': 'hers\n', 'ignored/x': 'hers\n', 'b.txt': undefined });
    const cases: ReadonlyArray<readonly [string, () => void, () => void]> = [
      ['a.txt', () => ws.write('a.txt', 'mine\n'), () => ws.git('checkout', 'a.txt')],
      ['u.txt', () => ws.write('u.txt', 'mine\n'), () => rmSync(ws.path('u.txt'))],
      ['ignored/x', () => ws.write('ignored/x', 'mine\n'), () => rmSync(ws.path('ignored/x'))],
      ['b.txt', () => ws.write('b.txt', 'mine\n'), () => ws.git('checkout', 'b.txt')],
    ];
    for (const [file, dirty, clean] of cases) {
      dirty();
      const files = () => ws.git('status', '--porcelain', '-uall', '--ignored', '--', '.', ':!.agents', ':!.worktrees');
      const before = files();
      const outcome = await merge('xz/ann/1');
      expect(outcome, file).toMatchObject({ kind: 'refused', why: 'files', files: [file] });
      expect([head(), ws.read(file), files()]).toEqual([base, 'mine\n', before]);
      expect(readIntent(layout, Date.now())).toBeUndefined();
      clean();
    }
    ws.write('a.txt', 'mine\n');
    ws.git('add', 'a.txt');
    expect(await merge('xz/ann/1')).toMatchObject({ kind: 'refused', why: 'files' });
    ws.git('reset', '-q', '--hard');
    expect(await merge('xz/ann/1')).toMatchObject({ kind: 'merged' });
  });
});

describe('a fast-forward that was cut', () => {
  const CHANGES = {
    'a.txt': 'hers\n',
    'm/1.txt': 'one\n',
    'm/2.txt': 'two\n',
    'm/3.txt': 'three\n',
    'b.txt': undefined,
    'z.txt': 'last\n',
  };

  /** Git kills itself with SIGKILL when it writes `m/2.txt` into the main checkout, as long as the marker is there. */
  function killInTheMiddle(set: ReturnType<typeof setUp>) {
    const { ws } = set;
    ws.write('.git/info/attributes', 'm/2.txt filter=deadly\n');
    const script = join(ws.home, 'deadly.sh');
    writeFileSync(
      script,
      `#!/bin/sh\nif [ "$(pwd)" = "${ws.dir}" ] && [ -e "${ws.home}/armed" ]; then kill -9 $PPID; sleep 0.2; fi\ncat\n`,
    );
    chmodSync(script, 0o755);
    ws.git('config', 'filter.deadly.smudge', script);
    const arm = (on: boolean) => (on ? writeFileSync(join(ws.home, 'armed'), '') : rmSync(join(ws.home, 'armed'), { force: true }));
    return arm;
  }

  const cut = async (set: ReturnType<typeof setUp>) => {
    const arm = killInTheMiddle(set);
    set.branch('xz/ann/1', CHANGES);
    arm(true);
    const outcome = await set.merge('xz/ann/1');
    arm(false);
    return outcome;
  };

  it('leaves an intent, and is settled at the next start: everything of the merge, and nothing else', async () => {
    const set = setUp();
    set.ws.write('README.md', 'the person’s\n');
    set.ws.write('untracked.txt', 'the person’s\n');
    expect(await cut(set)).toMatchObject({ kind: 'refused', why: 'unsettled' });
    expect(set.head()).toBe(set.base);
    expect(readIntent(set.layout, Date.now())).toMatchObject({ from: set.base, name: 'ann' });
    expect(set.status()).not.toBe(' M README.md\n?? untracked.txt\n');
    const settled = await set.settle();
    expect(settled).toMatchObject({ kind: 'merged', name: 'ann', commit: set.head() });
    expect(set.status()).toBe(' M README.md\n?? untracked.txt\n');
    expect([set.ws.read('m/2.txt'), set.ws.has('b.txt'), set.ws.read('README.md')]).toEqual(['two\n', false, 'the person’s\n']);
    expect(readIntent(set.layout, Date.now())).toBeUndefined();
    expect(await set.settle()).toEqual({ kind: 'none' });
  });

  it('is settled by the next merge too, which then goes on', async () => {
    const set = setUp();
    await cut(set);
    set.branch('xz/bob/1', { 'bob.txt': 'b\n' });
    expect(await set.merge('xz/bob/1')).toMatchObject({ kind: 'merged' });
    expect([set.ws.read('m/3.txt'), set.ws.read('bob.txt'), set.status()]).toEqual(['three\n', 'b\n', '']);
  });

  it('with half a file written: a beginning of the new one is ours', async () => {
    const set = setUp();
    await cut(set);
    set.ws.write('m/2.txt', 'tw');
    set.ws.write('a.txt', 'he');
    expect(await set.settle()).toMatchObject({ kind: 'merged' });
    expect([set.ws.read('m/2.txt'), set.ws.read('a.txt'), set.status()]).toEqual(['two\n', 'hers\n', '']);
  });

  it('between the index and the ref: all is written, only HEAD is old', async () => {
    const set = setUp();
    set.branch('xz/ann/1', CHANGES);
    set.ws.git('checkout', '-q', '-b', 'built');
    set.ws.git('merge', '-q', '--no-ff', '-m', 'm', 'xz/ann/1');
    const to = set.head();
    set.ws.git('symbolic-ref', 'HEAD', 'refs/heads/main');
    const paths = Object.keys(CHANGES);
    writeIntent(set.layout, { name: 'ann', branch: 'xz/ann/1', from: set.base, to, mainBranch: 'main', paths });
    expect(await set.settle()).toMatchObject({ kind: 'merged', commit: to });
    expect([set.head(), set.status()]).toEqual([to, '']);
  });

  it('stops and touches nothing when the person changed one of its files since, and goes on once that is mended', async () => {
    const set = setUp();
    await cut(set);
    const files = () => ['a.txt', 'm/1.txt', 'm/2.txt'].map((file) => (set.ws.has(file) ? set.ws.read(file) : undefined));
    set.ws.write('m/1.txt', 'the person was here\n');
    const before = [set.status(), files()];
    expect(await set.settle()).toMatchObject({ kind: 'blocked', files: ['m/1.txt'] });
    expect([set.status(), files()]).toEqual(before);
    set.branch('xz/bob/1', { 'bob.txt': 'b\n' });
    expect(await set.merge('xz/bob/1')).toMatchObject({ kind: 'refused', why: 'unsettled', files: ['m/1.txt'] });
    rmSync(set.ws.path('m/1.txt'));
    expect(await set.settle()).toMatchObject({ kind: 'merged' });
    expect(set.status()).toBe('');
  });

  it('is dropped when the person moved on cleanly, and blocked when what it left is still about', async () => {
    const set = setUp();
    await cut(set);
    rmSync(set.ws.path('.git/index.lock'), { force: true });
    set.ws.git('commit', '-q', '--allow-empty', '-m', 'moved on');
    expect(await set.settle()).toMatchObject({ kind: 'blocked', files: expect.arrayContaining(['a.txt']) });
    set.ws.git('reset', '-q', '--hard');
    set.ws.git('clean', '-fdq', '-e', '.worktrees');
    expect(await set.settle()).toMatchObject({ kind: 'dropped' });
    expect(await set.merge('xz/ann/1')).toMatchObject({ kind: 'merged' });
  });

  it('is taken back and dropped, naming the branch, when another branch stands on the same commit since', async () => {
    const set = setUp();
    await cut(set);
    rmSync(set.ws.path('.git/index.lock'), { force: true });
    set.ws.git('checkout', '-q', '-b', 'topic');
    expect(await set.settle()).toMatchObject({ kind: 'dropped', why: 'the main checkout is on topic, not on main' });
    expect([set.head(), set.status(), readIntent(set.layout, Date.now())]).toEqual([set.base, '', undefined]);
    expect(await set.merge('xz/ann/1')).toMatchObject({ kind: 'refused', why: 'other_branch' });
    set.ws.git('checkout', '-q', 'main');
    expect(await set.merge('xz/ann/1')).toMatchObject({ kind: 'merged' });
  });

  it('that was done already only loses its intent', async () => {
    const set = setUp();
    set.branch('xz/ann/1', { 'a.txt': 'hers\n' });
    await set.merge('xz/ann/1');
    writeIntent(set.layout, { name: 'ann', branch: 'xz/ann/1', from: set.base, to: set.head(), mainBranch: 'main', paths: ['a.txt'] });
    set.ws.write('a.txt', 'edited after\n');
    expect(await set.settle()).toMatchObject({ kind: 'merged' });
    expect(set.ws.read('a.txt')).toBe('edited after\n');
  });
});
