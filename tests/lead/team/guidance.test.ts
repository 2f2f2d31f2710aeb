import { expect, test } from 'vitest';
import type { TeammateStanding } from '../../../lead/conversation.ts';
import { teamBackground } from '../../../lead/team/guidance.ts';

const ann: TeammateStanding = {
  name: 'ann',
  role: 'builder',
  state: 'working',
  activity: 'thinking',
  since: 0,
  task: 'lexer',
  worktree: undefined,
  branch: undefined,
  tokens: 0,
  costUsd: null,
  unfinished: false,
  kept: undefined,
  files: [],
};

test('the lead is told who is there, on what, with which branch, and who has changed what in the main folder', () => {
  const files = Array.from({ length: 10 }, (_, n) => `f${n}.ts`);
  const bob = { ...ann, name: 'bob', state: 'idle' as const, task: undefined, branch: 'xz/bob/1', unfinished: true };
  expect(teamBackground([{ ...ann, files }, bob])).toBe(
    'The team:\n- ann: working, task lexer, has changed f0.ts, f1.ts, f2.ts, f3.ts, f4.ts, f5.ts, f6.ts, f7.ts and 2 more\n- bob: idle, branch xz/bob/1, not landed',
  );
  expect(teamBackground([])).toBeUndefined();
  const kept = { worktree: '.worktrees/ann', why: 'it has uncommitted files', files: ['d2/new.txt'] };
  expect(teamBackground([{ ...ann, state: 'ended', branch: 'xz/ann/1', kept }])).toBe(
    'The team:\n- ann: ended, task lexer, branch xz/ann/1, worktree .worktrees/ann kept: it has uncommitted files (d2/new.txt)',
  );
});
