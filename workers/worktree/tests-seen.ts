// What the output of a command tells about tests: the summary lines of common runners, and how many tests ran. A
// command that ran none has proved nothing, whatever its exit code.
import { stripVTControlCharacters } from 'node:util';

export interface TestsSeen {
  /** Tests that ran (passed or failed, not skipped); undefined when no known runner left a summary. */
  readonly ran: number | undefined;
  /** The summary lines, as printed. */
  readonly lines: readonly string[];
}

interface Runner {
  readonly line: RegExp;
  /** Tests that ran, from the match of one line. */
  count(match: RegExpExecArray): number;
  /**
   * How the line stands to others of the same run. By default it speaks for itself and is added. `head`: the sum of the
   * `part` lines that follow, which count instead when they are there. `most`: suites repeat what is inside them.
   */
  readonly as?: 'head' | 'part' | 'most';
}

const first = (match: RegExpExecArray): number => Number(match[1] ?? 0);
const none = (): number => 0;
/** Adds up what passed and failed in a line such as `Tests  1 failed | 4 passed | 2 skipped (7)`. */
const passedAndFailed = (match: RegExpExecArray): number =>
  [...match[0].matchAll(/(\d+) (?:passed|failed|errors?)\b/g)].reduce((sum, part) => sum + Number(part[1]), 0);

const RUNNERS: readonly Runner[] = [
  // node --test, spec and tap reporters; node-tap, tape, uvu
  { line: /^(?:ℹ|#) tests (\d+)$/, count: first, as: 'head' },
  { line: /^(?:ℹ|#) (?:pass|fail)\s+(\d+)$/, count: first, as: 'part' },
  { line: /^1\.\.0(?:\s|$)/, count: none },
  // vitest, jest
  { line: /^\s*Tests:?\s+.*\d+ (?:passed|failed|skipped|todo|total).*$/, count: passedAndFailed },
  { line: /^\s*Tests\s+no tests$|^No tests? (?:files )?found|^No tests? (?:files )?found, exiting with code 0/i, count: none },
  // pytest, unittest
  { line: /^=+ .*\d+ (?:passed|failed|error|skipped|deselected|xfailed).* in [\d.]+s.* ?=+$/, count: passedAndFailed },
  { line: /^\d+ (?:passed|failed)(?:, .*)? in [\d.]+s$/, count: passedAndFailed },
  { line: /^(?:=+ )?no tests ran\b.*$|^collected 0 items\b.*$/i, count: none },
  { line: /^Ran (\d+) tests? in .*$/, count: first },
  { line: /^NO TESTS RAN$/, count: none },
  // go test: a line a package
  { line: /^(?:ok|FAIL|---)\s+\S+\s+(?:[\d.]+s|\(cached\)).*\[no tests to run\]$/, count: none },
  { line: /^(?:ok|FAIL)\s+\S+\s+(?:[\d.]+s|\(cached\))(?:\s+coverage: .*)?$/, count: () => 1 },
  { line: /^\?\s+\S+\s+\[no test files\]$|^testing: warning: no tests to run$/, count: none },
  // cargo test: a line a target
  { line: /^test result: \w+\. (\d+) passed; (\d+) failed;.*$/, count: (match) => first(match) + Number(match[2] ?? 0) },
  // mocha, and its failing line
  { line: /^\s*(\d+) (?:passing|failing)\b.*$/, count: first },
  // playwright
  { line: /^\s*(\d+) (?:passed|failed|flaky)(?: \([\d.]+m?s\))?$/, count: first },
  // ava
  { line: /^\s*(?:✔ )?(\d+) tests? (?:passed|failed)$/, count: first },
  // deno, bun
  { line: /^(?:ok|FAILED) \| .*\d+ passed.*$/, count: passedAndFailed },
  { line: /^\s*(\d+) (?:pass|fail)$/, count: first },
  // rspec, phpunit, maven (its line a class has a time, the sum has none), gradle, dotnet, ctest, swift
  { line: /^(\d+) examples?, \d+ failures?.*$/, count: first },
  { line: /^OK \((\d+) tests?, .*\)$|^Tests: (\d+), Assertions: .*$/, count: (match) => Number(match[1] ?? match[2] ?? 0) },
  { line: /^No tests executed!$|^No test is available in .*$|^No tests were found!*$/, count: none },
  { line: /^(?:\[\w+\] )?Tests run: (\d+), Failures: (?!.*Time elapsed).*$/, count: first },
  { line: /^(?:Passed|Failed)!\s+- Failed:\s+(\d+), Passed:\s+(\d+),.*$/, count: (match) => first(match) + Number(match[2] ?? 0) },
  { line: /^\d+% tests passed, \d+ tests? failed out of (\d+)$/, count: first },
  { line: /^\s*Executed (\d+) tests?, with .*$/, count: first, as: 'most' },
];

/** Lines kept: the last, where runners sum up. */
const MOST_LINES = 20;

/** Reads the output of a command for summaries of test runners. */
export function testsSeen(output: string): TestsSeen {
  const lines: string[] = [];
  const sum = openSum();
  for (const raw of stripVTControlCharacters(output).split(/\r?\n/)) {
    const line = raw.trimEnd();
    for (const runner of RUNNERS) {
      const match = runner.line.exec(line);
      if (match === null) continue;
      sum.add(runner.count(match), runner.as);
      lines.push(line.trim());
      break;
    }
  }
  return { ran: sum.ran(), lines: lines.slice(-MOST_LINES) };
}

/** Adds up what the lines say without counting a test twice. */
function openSum(): { add(count: number, as: Runner['as']): void; ran(): number | undefined } {
  let alone: number | undefined;
  let most = 0;
  let head = 0;
  let parts: number | undefined;
  const closeRun = (): number => parts ?? head;
  return {
    add(count, as) {
      alone ??= 0;
      if (as === undefined) alone += count;
      else if (as === 'most') most = Math.max(most, count);
      else if (as === 'part') parts = (parts ?? 0) + count;
      else {
        alone += closeRun();
        head = count;
        parts = undefined;
      }
    },
    ran: () => (alone === undefined ? undefined : alone + most + closeRun()),
  };
}
