// `node scripts/pictures.mjs [folder]`: draws the pictures of the README anew, from the built program in a real terminal
// (tmux). Times, commits and token counts in them are those of the run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const outfile = join(root, 'node_modules', '.xz-pictures', 'pictures.mjs');
await build({
  entryPoints: [join(root, 'tests/pictures/main.ts')],
  ...{ outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20.19', logLevel: 'warning', external: ['vitest'] },
});
const { drawPictures } = await import(pathToFileURL(outfile).href);
process.env.XZ_TEST_TEMP = mkdtempSync(join(tmpdir(), 'xz-pictures-'));
try {
  for (const language of ['en', 'zh']) await drawPictures(root, language, process.argv[2] ?? join(root, 'docs', 'pictures'));
} finally {
  rmSync(process.env.XZ_TEST_TEMP, { recursive: true, force: true, maxRetries: 3 });
}
