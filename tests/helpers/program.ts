// Bundles a small program of tests/fixtures so that it runs as a process of its own on any supported Node.
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..', '..');

/** Path of the built program; it stands below node_modules so that external packages are found. */
export async function buildProgram(name: string): Promise<string> {
  const outfile = join(ROOT, 'node_modules', '.xz-fixtures', `${name}-${process.pid}.mjs`);
  await build({
    entryPoints: [join(ROOT, 'tests', 'fixtures', `${name}.ts`)],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
    external: ['piscina', 'terminal-kit', 'better-sqlite3', 'better-sqlite3-v13', 'sqlite-vec'],
    banner: { js: "import{createRequire as xzRequire}from'node:module';const require=xzRequire(import.meta.url);" },
  });
  return outfile;
}
