import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { unlandedWork } from '../../../lead/team/landing.ts';
import { teammateStandings } from '../../../lead/team/status.ts';
import { systemClock } from '../../../store/clock.ts';
import { testCrew } from '../../helpers/crew.ts';

async function crewWithBob() {
  const { crew, close } = await testCrew(systemClock, {
    start: () => {
      throw new Error('nobody is started here');
    },
    close: () => Promise.resolve(),
  });
  onTestFinished(close);
  const { root, worktrees } = crew.parts.layout;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env: { ...crew.parts.env }, encoding: 'utf8' }).trim();
  const worktree = join(worktrees, 'bob');
  mkdirSync(worktrees, { recursive: true });
  git('worktree', 'add', '-q', '-b', 'xz/bob/1', worktree);
  const session = crew.parts.sessions.create({ kind: 'teammate', agent: 'bob', parent: crew.session(), title: 'bob' });
  const base = git('rev-parse', 'HEAD');
  const entry = {
    name: 'bob',
    session: session.id,
    epoch: 'e',
    createdAt: '2026-01-01T00:00:00+00:00',
    branch: 'xz/bob/1',
    base,
    worktree,
  };
  crew.roster.write({ ...entry, state: 'idle' });
  /** Whether bob's work is called not landed by the status, and by the answer of a run. */
  const open = async () => [(await teammateStandings(crew))[0]?.unfinished, (await unlandedWork(crew)).map(({ name }) => name)];
  return { crew, git, worktree, open };
}

test('a branch is not landed while it has commits that the main checkout lacks, whatever its entry says', async () => {
  const { crew, git, worktree, open } = await crewWithBob();
  expect(await open()).toEqual([false, []]);
  const commit = (text: string) => {
    writeFileSync(join(worktree, 'b.txt'), text);
    git('-C', worktree, 'add', '-A');
    git('-C', worktree, 'commit', '-qm', text);
  };
  commit('one');
  expect(await open()).toEqual([true, ['bob']]);
  // The person merges by hand, then bob goes on.
  git('merge', '-q', '--ff-only', 'xz/bob/1');
  expect(await open()).toEqual([false, []]);
  crew.roster.change('bob', { landed: true });
  commit('two');
  expect(await open()).toEqual([true, ['bob']]);
});

test('files that are not committed count while their teammate may commit them; of one that has gone they keep the worktree', async () => {
  const { crew, worktree, open } = await crewWithBob();
  writeFileSync(join(worktree, 'b.txt'), 'b');
  expect(await open()).toEqual([true, ['bob']]);
  crew.roster.change('bob', { state: 'ended', kept: { why: 'it has uncommitted files', files: ['b.txt'] } });
  expect(await open()).toEqual([false, []]);
  expect(await teammateStandings(crew)).toMatchObject([
    { name: 'bob', state: 'ended', kept: { worktree: '.worktrees/bob', why: 'it has uncommitted files', files: ['b.txt'] } },
  ]);
});
