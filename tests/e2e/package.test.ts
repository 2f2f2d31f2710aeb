// What `npm pack` would publish: only what runs, and enough to run in an empty HOME beside its own dependencies. A real
// `npm install -g` compiles SQLite for a minute and more, so it is done with XZ_TEST_FULL=1.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type RunResult, runXz } from '../helpers/run.ts';
import { tempFolder } from '../helpers/temp.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const FULL = process.env.XZ_TEST_FULL === '1';
/** What the tarball may weigh, bytes: a stray source map or a second copy of the bundle would be more. */
const MOST = 2_000_000;

let tarball = '';
let files: readonly string[] = [];

/** npm as a person with nothing of his own runs it; how it reaches its registry stays as it is here. */
function npm(home: string, cwd: string, ...args: string[]): string {
  const reach = Object.entries(process.env).filter(([name]) => /^(NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy)$/i.test(name));
  const headers = join(process.execPath, '..', '..');
  const building = existsSync(join(headers, 'include/node/node.h')) ? { npm_config_nodedir: headers } : {};
  const env = { PATH: process.env.PATH, HOME: home, ...Object.fromEntries(reach), ...building };
  return execFileSync('npm', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1e8 });
}

beforeAll(() => {
  const home = tempFolder();
  // The program is built already (tests/helpers/global-setup.ts), and other tests run it: nothing is built here.
  const packed: Array<{ filename: string; files: Array<{ path: string }> }> = JSON.parse(
    npm(home, ROOT, 'pack', '--ignore-scripts', '--json', '--pack-destination', home),
  );
  tarball = join(home, packed[0]?.filename ?? '');
  files = (packed[0]?.files ?? []).map(({ path }) => path);
});

/** The package as npm lays it out, with links to the dependencies it names, and to nothing else of this checkout. */
function unpack(): string {
  const prefix = tempFolder();
  const place = join(prefix, 'node_modules', 'xz-agent');
  mkdirSync(place, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', place]);
  const {
    dependencies,
    optionalDependencies,
  }: Record<'dependencies' | 'optionalDependencies', Record<string, string>> = JSON.parse(
    readFileSync(join(place, 'package.json'), 'utf8'),
  );
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const there = join(ROOT, 'node_modules', name);
    if (existsSync(there)) symlinkSync(there, join(prefix, 'node_modules', name));
  }
  return join(place, 'dist', 'main.js');
}

/** The first things a person does after the install, in an empty HOME. */
async function firstSteps(main: string): Promise<void> {
  const home = tempFolder();
  const place = { dir: home, env: { PATH: process.env.PATH ?? '', HOME: home, LANG: 'en_US.UTF-8' } };
  const xz = (...args: string[]): Promise<RunResult> => runXz(place, args, { main, timeoutMs: 120_000 });
  expect((await xz('--version')).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  const doctor = await xz('doctor', '--json');
  expect([doctor.code, JSON.parse(doctor.out).ok], doctor.err).toEqual([0, true]);
  expect((await xz('skill', 'list')).out).toContain('history-search');
  const demo = await xz('--demo', '--repl');
  expect(demo.code, demo.err).toBe(0);
  expect(demo.out).toContain('After, on the merged tree: node --test: 6 pass, 0 fail');
  expect(readdirSync(home).filter((name) => name !== '.xz')).toEqual([]);
}

describe('the package', () => {
  test('holds what runs and no sources, tests, scripts or maps', () => {
    const strange = files.filter(
      (path) =>
        !/^(dist\/(main|teammate|chunk-\w+|[\w-]+)\.js|dist\/bin\/xz|demo\/|skills\/|\.worktrees\.example\/)/.test(path) &&
        !['package.json', 'README.md', 'README.zh-CN.md', 'CHANGELOG.md', 'LICENSE'].includes(path),
    );
    expect(strange).toEqual([]);
    for (const needed of ['dist/main.js', 'dist/teammate.js', 'dist/bin/xz']) expect(files).toContain(needed);
    expect(statSync(tarball).size).toBeLessThan(MOST);
  });

  test('names no path of the machine it was built on', () => {
    const own = [ROOT, process.env.HOME ?? '/root'].filter((path) => path.length > 1);
    const found = files.filter((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return own.some((folder) => text.includes(`${folder}/`));
    });
    expect(found).toEqual([]);
  });

  test('runs beside its own dependencies alone, in an empty HOME', () => firstSteps(unpack()), 180_000);

  test.skipIf(!FULL)(
    'is installed by npm with an empty HOME, and runs',
    async () => {
      const home = tempFolder();
      const prefix = tempFolder();
      npm(home, home, 'install', '--global', '--prefix', prefix, tarball);
      await firstSteps(join(prefix, 'lib', 'node_modules', 'xz-agent', 'dist', 'main.js'));
      expect(execFileSync(join(prefix, 'bin', 'xz'), ['--version'], { encoding: 'utf8' })).toMatch(/^\d/);
    },
    900_000,
  );
});
