// Makes a fresh clone ready: installs what the lock file names when node_modules does not match it, then builds.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.chdir(join(dirname(fileURLToPath(import.meta.url)), '..'));
const stamp = 'node_modules/.xz-setup';
const wanted = createHash('sha256').update(readFileSync('package-lock.json')).update(process.versions.modules).digest('hex');
const have = existsSync(stamp) ? readFileSync(stamp, 'utf8') : existsSync('node_modules/vitest') ? wanted : '';
if (have !== wanted) {
  console.error('setting up: npm ci (the native module is compiled once, about a minute)');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { stdio: ['ignore', 2, 2] });
}
writeFileSync(stamp, wanted);
execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: ['ignore', 2, 2] });
