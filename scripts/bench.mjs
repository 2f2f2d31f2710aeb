// `npm run bench`: bundles the measurements of tests/bench and runs them against dist/. `npm run bench -- --help` names the options.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
// Two folders below the root, as the sources are: what they find from their own place is found from here too.
const outfile = join(root, 'node_modules', '.xz-bench', 'bench.mjs');
await build({
  entryPoints: [join(root, 'tests/bench/main.ts')],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
  external: ['piscina', 'terminal-kit', 'better-sqlite3', 'better-sqlite3-v13', 'sqlite-vec', 'esbuild', 'vitest'],
  banner: { js: "import{createRequire as xzRequire}from'node:module';const require=xzRequire(import.meta.url);" },
});
// A certificate file named in the environment is read by every node at its start: it would be most of the yardstick.
delete process.env.NODE_EXTRA_CA_CERTS;
await import(pathToFileURL(outfile).href);
// The file it wrote its figures into is formatted as `npm run check` wants it.
const written = process.argv.findIndex((arg) => arg === '--markdown' || arg.startsWith('--markdown='));
if (written >= 0 && process.exitCode === undefined) {
  const file = process.argv[written].split('=')[1] ?? process.argv[written + 1];
  execFileSync(process.execPath, [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--write', file], { stdio: 'ignore' });
}
