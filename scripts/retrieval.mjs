// Prints how well search finds what answers a question, for each way, in one run: `node scripts/retrieval.mjs [FILE]`, by
// default over the Chinese conversations of the tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const file = process.argv[2] ?? join(root, 'tests/fixtures/chinese-conversation.json');
const folder = mkdtempSync(join(tmpdir(), 'xz-retrieval-'));
try {
  const outfile = join(root, 'node_modules', '.xz-retrieval.mjs');
  await build({
    entryPoints: [join(root, 'tests/bench/retrieval.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
    external: ['better-sqlite3', 'better-sqlite3-v13', 'sqlite-vec'],
    banner: { js: "import{createRequire as xzRequire}from'node:module';const require=xzRequire(import.meta.url);" },
  });
  const { measureRetrieval, readConversations } = await import(pathToFileURL(outfile).href);
  const conversations = readConversations(file);
  if (conversations === undefined) console.log(`skipped: ${file} is not there`);
  else {
    console.log('way                        questions  recall@1  recall@5  MRR@10');
    for (const row of await measureRetrieval(conversations, folder))
      console.log(
        `${row.way.padEnd(26)} ${String(row.questions).padStart(9)}  ${row.recall1.toFixed(3).padStart(8)}  ${row.recall5.toFixed(3).padStart(8)}  ${row.mrr.toFixed(3).padStart(6)}`,
      );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
