// Worktrees that lost their tie to the repository, over real git in temp workspaces.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../store/clock.ts';
import { createWorktree } from '../../../workers/worktree/create.ts';
import { openGit } from '../../../workers/worktree/git.ts';
import { mendWorktree, tieMoved, tieOf } from '../../../workers/worktree/mend.ts';
import { planWorktree } from '../../../workers/worktree/plan.ts';
import { provide, unchangedProvided } from '../../../workers/worktree/provided.ts';
import { removeWorktree } from '../../../workers/worktree/remove.ts';
import { NO_SETUP } from '../../../workers/worktree/setup.ts';
import { testLayout } from '../../helpers/layout.ts';
import { tempWorkspace } from '../../helpers/temp.ts';

async function withAnn() {
  const ws = tempWorkspace({ files: { 'f.txt': 'f\n', 'g.txt': 'g\n' } });
  const git = { env: ws.env };
  const at = (root: string) => {
    const layout = testLayout(root, join(ws.home, '.xz'));
    const path = join(root, '.worktrees', 'ann');
    return {
      layout,
      path,
      tie: () => tieOf(layout, path, git),
      mend: () => mendWorktree({ layout, path, branch: 'xz/ann/1', git }),
      run: (...args: string[]) =>
        execFileSync('git', args, { cwd: path, env: { ...ws.env, GIT_CEILING_DIRECTORIES: layout.worktrees }, encoding: 'utf8' }),
    };
  };
  const here = at(ws.dir);
  const planned = await planWorktree({ layout: here.layout, name: 'ann', setup: NO_SETUP, git });
  if (planned.kind !== 'plan') throw new Error(planned.detail);
  const { plan } = planned;
  const process = { name: 'ptest', hold: () => {} };
  await createWorktree({ layout: here.layout, plan, setup: NO_SETUP, git, clock: systemClock, trusted: true, process });
  const remove = () =>
    removeWorktree({ layout: here.layout, path: plan.path, branch: plan.branch, base: plan.base, git, clock: systemClock });
  return { ws, git, at, here, remove, base: plan.base };
}

describe('a workspace that was moved', () => {
  it('has its worktrees again, with what was not committed, and once more after it was moved back', async () => {
    const { ws, git, at } = await withAnn();
    const moved = `${ws.dir}-moved`;
    writeFileSync(join(ws.dir, '.worktrees/ann/new.txt'), 'new\n');
    for (const [from, to] of [
      [ws.dir, moved],
      [moved, ws.dir],
    ] as const) {
      renameSync(from, to);
      const there = at(to);
      expect(there.tie()).toBe('broken');
      expect(tieMoved(there.layout, git)).toEqual(['ann']);
      expect(tieMoved(there.layout, git)).toEqual([]);
      expect(there.tie()).toBe('sound');
      expect(there.run('status', '--short')).toBe('?? new.txt\n');
      expect(there.run('worktree', 'list')).toContain(`${to}/.worktrees/ann `);
    }
  });
});

describe('a workspace that was copied', () => {
  it('works in its own worktree; the original’s is as it was', async () => {
    const { ws, git, at, here } = await withAnn();
    const copy = `${ws.dir}-copy`;
    cpSync(ws.dir, copy, { recursive: true });
    const before = [readFileSync(join(here.path, '.git'), 'utf8'), readFileSync(join(ws.dir, '.git/worktrees/ann/gitdir'), 'utf8')];
    const there = at(copy);
    expect(tieMoved(there.layout, git)).toEqual(['ann']);
    writeFileSync(join(there.path, 'copy.txt'), 'copy\n');
    there.run('add', '-A');
    there.run('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'in the copy');
    expect(there.run('log', '-1', '--format=%s', 'xz/ann/1')).toBe('in the copy\n');
    expect(here.run('log', '-1', '--format=%s', 'xz/ann/1')).not.toContain('copy');
    expect(here.run('status', '--short')).toBe('');
    expect([readFileSync(join(here.path, '.git'), 'utf8'), readFileSync(join(ws.dir, '.git/worktrees/ann/gitdir'), 'utf8')]).toEqual(
      before,
    );
    expect(tieMoved(here.layout, git)).toEqual([]);
  });

  it('has links to its own main folder, not to the original’s', async () => {
    const { ws, git, at, here } = await withAnn();
    mkdirSync(join(ws.dir, 'lib'));
    provide(openGit(here.path, { ...git, here: true }), ws.dir, { ...NO_SETUP, link: ['lib'] });
    const copy = `${ws.dir}-copy`;
    cpSync(ws.dir, copy, { recursive: true, verbatimSymlinks: true });
    const there = at(copy);
    expect(readlinkSync(join(there.path, 'lib'))).toBe(join(ws.dir, 'lib'));
    tieMoved(there.layout, git);
    expect(readlinkSync(join(there.path, 'lib'))).toBe(join(copy, 'lib'));
    expect(unchangedProvided(openGit(there.path, { ...git, here: true }))).toEqual(['lib']);
    expect(readlinkSync(join(here.path, 'lib'))).toBe(join(ws.dir, 'lib'));
  });

  it('without its .worktrees gets the worktree anew, and leaves the original’s registered', async () => {
    const { ws, at, here } = await withAnn();
    const copy = `${ws.dir}-copy`;
    cpSync(ws.dir, copy, { recursive: true });
    rmSync(join(copy, '.worktrees/ann'), { recursive: true });
    const there = at(copy);
    expect(await there.mend()).toContain('was made again from branch xz/ann/1');
    expect(there.tie()).toBe('sound');
    expect(here.tie()).toBe('sound');
    expect(here.run('worktree', 'list')).toContain(`${ws.dir}/.worktrees/ann `);
  });
});

describe('a worktree in its place', () => {
  it('that is sound is left alone', async () => {
    const { here } = await withAnn();
    expect(await here.mend()).toBeUndefined();
  });

  it('whose folder was taken away is made again with what its branch has', async () => {
    const { here } = await withAnn();
    writeFileSync(join(here.path, 'kept.txt'), 'kept\n');
    here.run('add', '-A');
    here.run('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'kept');
    rmSync(here.path, { recursive: true });
    expect(await here.mend()).toContain(`${here.path} was gone`);
    expect(readFileSync(join(here.path, 'kept.txt'), 'utf8')).toBe('kept\n');
    expect(here.run('status', '--short', '--branch')).toBe('## xz/ann/1\n');
  });

  it.each(['gone', 'empty'])('whose .git file is %s gets it back: new work is there, nothing counts as deleted', async (how) => {
    const { here } = await withAnn();
    rmSync(here.path, { recursive: true });
    mkdirSync(here.path);
    writeFileSync(join(here.path, 'g.txt'), 'changed\n');
    writeFileSync(join(here.path, 'new.txt'), 'new\n');
    if (how === 'empty') writeFileSync(join(here.path, '.git'), '');
    expect(here.tie()).toBe('untied');
    expect(await here.mend()).toContain('.git file');
    expect(here.tie()).toBe('sound');
    expect(here.run('status', '--short')).toBe(' M g.txt\n?? new.txt\n');
    expect(readFileSync(join(here.path, 'f.txt'), 'utf8')).toBe('f\n');
  });

  it.each([
    ['that git has forgotten', '.git/worktrees/ann', 'git does not know it'],
    ['without its .git file and registration', '.git/worktrees/ann|.worktrees/ann/.git', 'its .git file is gone'],
  ])('%s is named, kept with its files by a removal, and its branch stays', async (_what, gone, why) => {
    const { ws, here, remove } = await withAnn();
    writeFileSync(join(here.path, 'new.txt'), 'new\n');
    for (const path of gone.split('|')) rmSync(join(ws.dir, path), { recursive: true });
    await expect(here.mend()).rejects.toMatchObject({ code: 'git_failed', message: expect.stringContaining(here.path) });
    expect(await remove()).toMatchObject({ kind: 'kept', why: expect.stringContaining(why) });
    expect(existsSync(join(here.path, 'new.txt'))).toBe(true);
    expect(ws.git('branch', '--list', 'xz/ann/1')).toContain('xz/ann/1');
  });

  it('that became a repository of its own is nobody’s to mend', async () => {
    const { ws, here } = await withAnn();
    rmSync(join(here.path, '.git'));
    execFileSync('git', ['init', '-q'], { cwd: here.path, env: ws.env });
    expect(here.tie()).toBe('broken');
    await expect(here.mend()).rejects.toMatchObject({ code: 'git_failed' });
  });
});
