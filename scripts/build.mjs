// Bundles the program into dist/: two entries with shared chunks, flat, so that a thread's file stands beside the rest.
// What stays outside the bundle is a dependency of the package; all that is bundled is a devDependency.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { joinChunks } from './join-chunks.mjs';
import { addSqlite, sqliteFault, sqlitePackage, sqliteReport } from './sqlite.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(root);
// A package installed from its tarball brings dist/ and no sources: there is nothing to build then.
if (!existsSync('cli/main.ts')) process.exit(0);
if (process.env.XZ_SETUP === undefined) mendSqlite();

const { build } = await import('esbuild');
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
// pi-ai's list of all models (550 kB) is read by code that xz does not use; what xz needs of it is in known-models.ts.
const withoutModelList = {
  name: 'without-model-list',
  setup: (building) => building.onLoad({ filter: /pi-ai.dist.models\.generated\.js$/ }, () => ({ contents: 'export const MODELS = {};' })),
};
// commander takes in child_process (and with it a fifth of a bare start) for subcommands that are programs: xz has none.
const withoutProcesses = {
  name: 'commander-without-processes',
  setup: (building) =>
    building.onLoad({ filter: /commander.lib.command\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        "require('node:child_process')",
        "{ get spawn() { return process.getBuiltinModule('node:child_process').spawn; } }",
      ),
    })),
};
// Helpers of OpenAI's library that read a stream for its user, or run tools for him: pi-ai reads streams itself.
const withoutStreamHelpers = {
  name: 'without-stream-helpers',
  setup: (building) =>
    building.onLoad({ filter: /openai.lib.(AssistantStream|ChatCompletion\w*|responses.ResponseStream)\.mjs$/ }, ({ path }) => ({
      contents: `export class ${basename(path, '.mjs')} {}`,
    })),
};
// As an object, TypeBox's Type brings every kind of schema and a parser of TypeScript (160 kB); as a namespace, what is used.
const typeAsNamespace = {
  name: 'type-as-namespace',
  setup: (building) =>
    building.onLoad({ filter: /\.ts$/, namespace: 'file' }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const contents = text.replace(/^import (?:Type, )?\{[^}]*\} from 'typebox';$/m, "import * as Type from 'typebox/type';");
      return contents === text ? undefined : { contents, loader: 'ts' };
    }),
};
const entryPoints = ['cli/main.ts', 'workers/teammate.ts'].filter((file) => existsSync(file));
rmSync('dist', { recursive: true, force: true });
// Bundled CommonJS packages ask for `require` and the two names that ES modules lack.
const banner =
  "import{createRequire as xzRequire}from'node:module';import{fileURLToPath as xzPath}from'node:url';const require=xzRequire(import.meta.url),__filename=xzPath(import.meta.url),__dirname=xzPath(new URL('.',import.meta.url));";
const external = ['piscina', 'terminal-kit', 'better-sqlite3', 'better-sqlite3-v13', 'sqlite-vec', '@opentelemetry/api'];
const { metafile } = await build({
  metafile: true,
  entryPoints: Object.fromEntries(entryPoints.map((file) => [file.replace(/^.*\/|\.ts$/g, ''), file])),
  outdir: 'dist',
  bundle: true,
  plugins: [withoutModelList, withoutProcesses, withoutStreamHelpers, typeAsNamespace],
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  chunkNames: 'chunk-[hash]',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  define: { XZ_VERSION: JSON.stringify(version) },
  external,
  banner: { js: banner },
});
// The banner costs a third of a millisecond a file, and most files use none of its names.
for (const file of readdirSync('dist').filter((name) => name.endsWith('.js'))) {
  const text = readFileSync(join('dist', file), 'utf8');
  const bare = text.replace(`${banner}\n`, '');
  if (!/\b(require|__filename|__dirname)\b/.test(bare)) writeFileSync(join('dist', file), bare);
}
// The three starts worth it: a small command (a), a request (b), a teammate's thread (c).
const START = ['cli/start.ts', 'cli/program.ts', 'cli/text/en.ts'];
const AGENT = [
  'store/config/config.ts',
  'store/sessions/sessions.ts',
  'store/database/database.ts',
  'store/schemas.ts',
  'mailbox/watch.ts',
  'node_modules/@mariozechner/pi-ai/dist/providers/openai-completions.js',
];
await joinChunks({
  dist: join(root, 'dist'),
  outputs: metafile.outputs,
  external,
  paths: {
    a: [...START, 'cli/commands/task/list.ts', 'store/tasks/tasks.ts'],
    b: [...START, ...AGENT, 'cli/commands/once/run.ts'],
    c: [...AGENT, 'workers/teammate.ts'],
  },
});
if (existsSync('dist/main.js')) chmodSync('dist/main.js', 0o755);
// `xz` for tool shells, whose PATH begins with this folder: a script and no link, since a package keeps no links.
// XZ_NODE is the node that xz itself runs on (workers/agent/shell/environment.ts).
mkdirSync('dist/bin', { recursive: true });
writeFileSync('dist/bin/xz', '#!/bin/sh\nexec "$' + '{XZ_NODE:-node}" "$' + '{0%/*}/../main.js" "$@"\n');
chmodSync('dist/bin/xz', 0o755);

/** After an install in which SQLite failed to build: once more. */
function mendSqlite() {
  if (!existsSync('node_modules')) return;
  let fault = sqliteFault(root);
  let output = '';
  if (fault !== undefined && process.env.npm_lifecycle_event === 'prepare') {
    console.error(`getting ${sqlitePackage} once more`);
    try {
      output = addSqlite(root, process.env);
    } catch (error) {
      output = String(error);
    }
    fault = sqliteFault(root);
  }
  // The program is built all the same, and says so itself when it is started.
  if (fault !== undefined) console.error(`warning: ${sqliteReport(fault, output)}`);
}
