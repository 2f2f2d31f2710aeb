// Runs the tests on several Nodes from the one lock file: `npm run nodes -- [--versions 20,22,24] [--nodes FOLDER] [--keep] [-- FILTER…]`.
// Each Node gets a clean clone of HEAD and an install by an npm that itself runs on it, since SQLite's version depends on
// it. The npm package `node` brings those that are not the running one; `--nodes` keeps them for the next time.
import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values, positionals } = readArguments();
const versions = values.versions.split(',');
const base = mkdtempSync(join(realpathSync(tmpdir()), 'xz-nodes-'));
const nodes = values.nodes ?? join(base, 'nodes');
const rows = [];
try {
  if (git('status', '--porcelain') !== '') console.error('what is not committed is not tested: the clones are of HEAD');
  for (const version of versions) rows.push(await testOn(version));
} finally {
  const allPassed = rows.length === versions.length && rows.every((row) => row.ok);
  if (values.keep || !allPassed) console.log(`clones and logs are kept in ${base}`);
  else rmSync(base, { recursive: true, force: true, maxRetries: 3 });
  process.exitCode = allPassed ? 0 : 1;
}
print(rows);

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        versions: { type: 'string', default: '20,22,24' },
        nodes: { type: 'string' },
        keep: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    console.error(`${error.message}\nusage: npm run nodes -- [--versions 20,22,24] [--nodes FOLDER] [--keep] [-- FILTER…]`);
    process.exit(2);
  }
}

/** Clones, installs and tests; a row of the table. */
async function testOn(version) {
  const node = nodeOf(version);
  const clone = join(base, `node-${version}`);
  git('clone', '--quiet', '--no-hardlinks', root, clone);
  const log = join(base, `node-${version}.log`);
  const env = environmentOf(node);
  console.log(`node ${node.version}: installing; the log is ${log}`);
  const install = await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: clone, env, log });
  const test = install.code === 0 ? await run('npm', ['test', '--silent', '--', ...positionals], { cwd: clone, env, log }) : undefined;
  const counts = /^(\d+ passed, \d+ failed, \d+ skipped)$/m.exec(readFileSync(log, 'utf8'))?.[1] ?? 'no result';
  const row = { node: node.version, install: install.seconds, tests: counts, seconds: test?.seconds ?? 0, ok: test?.code === 0, log };
  console.log(lineOf(row));
  return row;
}

/** The running Node where its major is asked for; else the one that the npm package `node` holds. */
function nodeOf(version) {
  if (process.versions.node.split('.')[0] === version) return { version: process.versions.node, bin: process.execPath };
  const folder = join(nodes, version);
  const bin = join(folder, 'node_modules/node/bin/node');
  if (!existsSync(bin)) {
    mkdirSync(folder, { recursive: true });
    console.log(`node ${version}: fetching the npm package node@${version}`);
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', `node@${version}`], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return { version: execFileSync(bin, ['--version'], { encoding: 'utf8' }).trim().slice(1), bin };
}

/** As a shell of a person who has only this Node: it comes first on the PATH, and native code is built with its headers, where some must be. */
function environmentOf({ version, bin }) {
  const { NODE_OPTIONS: _options, NODE_PATH: _path, ...env } = process.env;
  for (const name of Object.keys(env)) if (/^npm_(lifecycle|package|config_prefix|execpath|node_execpath)/.test(name)) delete env[name];
  const headers = Number.parseInt(version, 10) < 22 ? headersBeside(bin) : undefined;
  return {
    ...env,
    PATH: `${dirname(bin)}${delimiter}${process.env.PATH}`,
    ...(headers !== undefined && { npm_config_nodedir: headers }),
  };
}

/** The npm package `node` keeps the headers in the package of the platform, below its own node_modules or beside it. */
function headersBeside(bin) {
  const own = join(dirname(bin), '..');
  const places = [own, ...[join(own, 'node_modules'), join(own, '..')].flatMap(packagesIn)];
  return places.find((place) => existsSync(join(place, 'include/node/node.h')));
}

function packagesIn(folder) {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

/** Runs a program whose output goes to the end of a log. */
function run(command, args, { cwd, env, log }) {
  const out = createWriteStream(log, { flags: 'a' });
  const began = Date.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.pipe(out, { end: false });
    child.stderr.pipe(out, { end: false });
    child.once('error', reject);
    child.once('close', (code) => out.end(() => resolve({ code, seconds: Math.round((Date.now() - began) / 1000) })));
  });
}

function lineOf({ node, install, tests, seconds, ok }) {
  return `${ok ? '✓' : '✗'}  ${node.padEnd(10)}  ${`${install} s`.padStart(8)}  ${`${seconds} s`.padStart(8)}  ${tests}`;
}

function print(all) {
  console.log(`\n   ${'Node'.padEnd(10)}  ${'install'.padStart(8)}  ${'tests'.padStart(8)}  result`);
  for (const row of all) console.log(lineOf(row) + (row.ok ? '' : `  (${row.log})`));
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}
