import { describe, expect, it } from 'vitest';
import { testsSeen } from '../../../workers/worktree/tests-seen.ts';

const CASES: ReadonlyArray<readonly [string, string, number | undefined]> = [
  ['node --test', '✔ adds (0.5ms)\nℹ tests 14\nℹ suites 0\nℹ pass 14\nℹ fail 0\n', 14],
  ['node --test in tap', 'TAP version 13\n1..2\n# tests 2\n# suites 0\n# pass 1\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0\n', 2],
  ['node --test, all skipped', 'ℹ tests 2\nℹ suites 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 2\n', 0],
  ['node --test twice', '# tests 1\n# pass 1\n# fail 0\nℹ tests 2\nℹ pass 2\nℹ fail 0\n', 3],
  ['tape', '1..3\n# tests 3\n# pass  2\n# fail  1\n', 3],
  ['node --test without tests', '1..0\n# tests 0\n# pass 0\n', 0],
  ['vitest', '\u001b[2m Test Files \u001b[22m \u001b[1m1 passed\u001b[22m (1)\n      Tests  1 failed | 4 passed | 2 skipped (7)\n', 5],
  ['vitest, all skipped', '      Tests  5 skipped (5)\n', 0],
  ['vitest without files', 'No test files found, exiting with code 0\n', 0],
  ['jest', 'Tests:       1 failed, 5 passed, 6 total\nSnapshots:   0 total\n', 6],
  ['jest without tests', 'No tests found, exiting with code 0\n', 0],
  ['pytest', '==== 3 passed, 1 skipped in 0.12s ====\n', 3],
  ['pytest -q', '3 passed, 1 warning in 0.12s\n', 3],
  ['pytest without tests', 'collected 0 items\n\n==== no tests ran in 0.01s ====\n', 0],
  ['unittest', 'Ran 4 tests in 0.001s\n\nOK\n', 4],
  ['unittest without tests', 'Ran 0 tests in 0.000s\n', 0],
  ['go test', 'ok  \texample.com/a\t0.004s\n?   \texample.com/b\t[no test files]\n', 1],
  ['go test, cached', 'ok  \texample.com/a\t(cached)\n', 1],
  ['go test without tests', '?   \texample.com/b\t[no test files]\n', 0],
  ['go test with nothing selected', 'ok  \texample.com/a\t0.002s [no tests to run]\n', 0],
  [
    'cargo',
    'running 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\ntest result: ok. 0 passed; 0 failed; 0 ignored\n',
    2,
  ],
  ['cargo without tests', 'running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured\n', 0],
  ['mocha', '  12 passing (34ms)\n  1 failing\n', 13],
  ['mocha without tests', '  0 passing (1ms)\n', 0],
  ['playwright', '  1 failed\n    [chromium] › a.spec.ts:3:1 › adds\n  2 passed (3.4s)\n', 3],
  ['ava', '  ✔ 7 tests passed\n', 7],
  ['deno', 'ok | 5 passed | 1 failed (3ms)\n', 6],
  ['bun', ' 5 pass\n 0 fail\n', 5],
  ['rspec', '0 examples, 0 failures\n', 0],
  ['phpunit', 'OK (5 tests, 7 assertions)\n', 5],
  ['phpunit without tests', 'No tests executed!\n', 0],
  ['maven', '[INFO] Tests run: 8, Failures: 0, Errors: 0, Skipped: 0\n', 8],
  [
    'maven with a line a class',
    '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.05 s -- in a.A\n[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0\n',
    3,
  ],
  ['swift', '\t Executed 2 tests, with 0 failures (0 unexpected) in 0.1 (0.1) seconds\n\t Executed 2 tests, with 0 failures\n', 2],
  ['ctest', '100% tests passed, 0 tests failed out of 9\n', 9],
  ['ctest without tests', 'No tests were found!!!\n', 0],
  ['a program of one’s own', 'all is well\n', undefined],
  ['prose about tests', 'I ran 0 tests because there were none; no tests found so far, 5 passed by\n', undefined],
];

describe('what the output of a command tells about tests', () => {
  it.each(CASES)('%s', (_name, output, ran) => {
    expect(testsSeen(output).ran).toBe(ran);
  });

  it('keeps the summary lines, without colours', () => {
    expect(testsSeen('\u001b[32m✔ x\u001b[39m\n\u001b[34mℹ tests 2\u001b[39m\r\n').lines).toEqual(['ℹ tests 2']);
  });
});
