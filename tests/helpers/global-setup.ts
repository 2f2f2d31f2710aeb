// Builds dist/ once before any test (tests of threads and processes run the built program), and keeps every temp
// folder of the run below one root that is removed at the end, also those of tests that were killed.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setup(): () => void {
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'xz-test-'));
  process.env.XZ_TEST_TEMP = root;
  return () => rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}
