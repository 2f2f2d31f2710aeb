// What becomes of tasks when their teammate goes: the graph must never wait for a merge that can no longer be made.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { releaseTeammate } from '../../../lead/team/release.ts';
import { systemClock } from '../../../store/clock.ts';
import { testCrew } from '../../helpers/crew.ts';

/** bob, idle, with one commit on his branch and the task of it completed; another task waits for that. */
async function crewWithBob() {
  const { crew, close } = await testCrew(systemClock, {
    start: () => {
      throw new Error('nobody is started here');
    },
    close: () => Promise.resolve(),
  });
  onTestFinished(close);
  const { layout, tasks, sessions } = crew.parts;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: layout.root, env: { ...crew.parts.env }, encoding: 'utf8' }).trim();
  const worktree = join(layout.worktrees, 'bob');
  mkdirSync(layout.worktrees, { recursive: true });
  git('worktree', 'add', '-q', '-b', 'xz/bob/1', worktree);
  const session = sessions.create({ kind: 'teammate', agent: 'bob', parent: crew.session(), title: 'bob' });
  const place = { branch: 'xz/bob/1', base: git('rev-parse', 'HEAD'), worktree };
  crew.roster.write({ name: 'bob', session: session.id, epoch: 'e', state: 'idle', createdAt: '2026-01-01T00:00:00+00:00', ...place });
  await tasks.create({ title: 'lexer' });
  await tasks.create({ title: 'parser', blockedBy: ['lexer'] });
  await tasks.assign('lexer', 'bob');
  const { token } = await tasks.claim('lexer', 'bob', { session: session.id });
  writeFileSync(join(worktree, 'lexer.txt'), 'done');
  git('-C', worktree, 'add', '-A');
  git('-C', worktree, 'commit', '-qm', 'lexer');
  await tasks.complete('lexer', token, { result: 'done', landed: false });
  return { crew, git, tasks };
}

test('work that the person merged by hand has landed: what waited for it can start', async () => {
  const { crew, git, tasks } = await crewWithBob();
  expect(tasks.get('parser')?.ready).toBe(false);
  git('merge', '-q', '--no-ff', '--no-edit', 'xz/bob/1');
  await releaseTeammate(crew, 'bob');
  expect(crew.roster.read('bob')).toBeUndefined();
  expect(tasks.get('lexer')?.landed).toBe(true);
  expect(tasks.get('parser')?.ready).toBe(true);
});

test('the same for one who was let go first and whose branch was merged after', async () => {
  const { crew, git, tasks } = await crewWithBob();
  await releaseTeammate(crew, 'bob');
  expect([crew.roster.read('bob')?.state, tasks.get('lexer')?.landed]).toEqual(['ended', false]);
  git('merge', '-q', '--no-ff', '--no-edit', 'xz/bob/1');
  await releaseTeammate(crew, 'bob');
  expect([crew.roster.read('bob'), tasks.get('lexer')?.landed]).toEqual([undefined, true]);
});

test('a branch that somebody has deleted has not landed', async () => {
  const { crew, git, tasks } = await crewWithBob();
  git('worktree', 'remove', join(crew.parts.layout.worktrees, 'bob'));
  git('branch', '-q', '-D', 'xz/bob/1');
  await releaseTeammate(crew, 'bob');
  expect(tasks.get('lexer')?.landed).toBe(false);
});
