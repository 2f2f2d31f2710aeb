import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { unifiedDiff } from '../../../../workers/agent/files/diff.ts';
import { tempFolder } from '../../../helpers/temp.ts';

/** What git makes of `before` with the diff applied. */
function applied(before: string | undefined, diff: string): string {
  const folder = tempFolder();
  const file = join(folder, 'a.txt');
  if (before !== undefined) writeFileSync(file, before);
  execFileSync('git', ['apply', '--unsafe-paths', '-'], {
    cwd: folder,
    input: diff,
    env: { PATH: process.env.PATH, GIT_DIR: join(folder, 'none') },
  });
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

const lines = (from: number, to: number, mark = 'line') => Array.from({ length: to - from }, (_, n) => `${mark} ${from + n}\n`).join('');

describe('a diff', () => {
  const long = lines(0, 3_000);
  test.each([
    ['a small change', 'a\nb\nc\n', 'a\nB\nc\n'],
    ['no final newline', 'a\nb', 'a\nb\nc'],
    ['a new file', undefined, 'a\nb\n'],
    ['a long new file', undefined, long],
    ['an emptied long file', long, ''],
    ['a rewrite between lines that stay', `top\n${long}end\n`, `top\n${lines(0, 2_500, 'other')}end\n`],
    ['a rewrite without a final newline', long, lines(0, 2_500, 'other').trimEnd()],
    ['a long insertion in the middle', long, lines(0, 1_500) + lines(0, 2_000, 'new') + lines(1_500, 3_000)],
  ])('gives git what it needs: %s', (_what, before, after) => {
    const diff = unifiedDiff('a.txt', before, after);
    expect(diff.startsWith(`--- ${before === undefined ? '/dev/null' : 'a/a.txt'}\n+++ b/a.txt\n@@ `)).toBe(true);
    expect(applied(before, diff)).toBe(after);
  });

  test('of more than anybody reads is a count', () => {
    expect(unifiedDiff('a.txt', lines(0, 9_000), lines(0, 8_000, 'other'))).toBe(
      '--- a/a.txt\n+++ b/a.txt\n(9000 lines became 8000: too many to show)\n',
    );
    expect(unifiedDiff('a.txt', 'same', 'same')).toBe('');
  });
});
