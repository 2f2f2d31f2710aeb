import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { findRipgrep } from '../../../workers/agent/search/ripgrep-engine.ts';
import { tempFolder, tempWorkspace } from '../../helpers/temp.ts';
import { toolBench } from '../../helpers/tools.ts';

// Both engines must give the same answers; ripgrep is tried where it is installed (or where XZ_TEST_RG says it is).
const rgPath = [process.env.XZ_TEST_RG, process.env.PATH].filter(Boolean).join(':');
const engines: ReadonlyArray<readonly [string, string | undefined]> = [
  ['node', undefined],
  ...(findRipgrep(rgPath) === undefined ? [] : [['ripgrep', rgPath] as const]),
];

function workspace(files: Readonly<Record<string, string>>, engine: string | undefined, git = true) {
  const made = tempWorkspace({ files, git });
  const bench = toolBench({ root: made.dir, ...(engine === undefined ? {} : { rgPath: engine }) });
  return { ...made, bench };
}

describe.each(engines)('search with %s', (_name, engine) => {
  test('finds lines with their numbers, in the order of paths', async () => {
    const { bench } = workspace({ 'b.ts': 'x\nconst FOO = 1;\r\n', 'a/c.ts': 'FOO\nFOO\n', 'a.md': '# FOO $1\n' }, engine);
    expect((await bench.text('grep', { pattern: 'FOO' })).split('\n').sort()).toEqual([
      'a.md:1: # FOO $1',
      'a/c.ts:1: FOO',
      'a/c.ts:2: FOO',
      'b.ts:2: const FOO = 1;',
    ]);
    expect(await bench.text('grep', { pattern: 'FOO;?$', include: '*.ts', path: 'a' })).toBe('a/c.ts:1: FOO\na/c.ts:2: FOO');
    expect(await bench.text('grep', { pattern: 'FOO', path: 'a/c.ts' })).toBe('a/c.ts:1: FOO\na/c.ts:2: FOO');
    expect(await bench.text('grep', { pattern: '= 1;$' })).toBe('b.ts:2: const FOO = 1;');
    expect(await bench.text('grep', { pattern: 'FOO $1', literal: true })).toBe('a.md:1: # FOO $1');
    expect(await bench.text('grep', { pattern: '^#' })).toBe('a.md:1: # FOO $1');
    expect(await bench.text('grep', { pattern: '(?i)foo$' })).toContain('a/c.ts:1: FOO');
    expect(await bench.text('grep', { pattern: 'nothing' })).toBe('no line matches nothing');
    expect(await bench.text('grep', { pattern: 'FOO', limit: 2 })).toMatch(/\[only the first 2 lines/);
    expect((await bench.text('grep', { pattern: 'FOO', limit: 0 })).split('\n')).toHaveLength(4);
    expect((await bench.call('grep', { pattern: 'x', path: 'nowhere' })).isError).toBe(true);
    expect(await bench.text('grep', { pattern: 'FOO\\nFOO' })).not.toContain('c.ts');
  });

  test('glob lists links to files of the workspace, and follows none', async () => {
    const outside = tempFolder();
    writeFileSync(join(outside, 'secret.txt'), 'x');
    const { dir, bench } = workspace({ '.gitignore': '*.ign.txt\n', 'a.txt': 'x\n', 'sub/b.txt': 'y\n' }, engine);
    const link = (target: string, name: string) => symlinkSync(target, join(dir, name));
    link('a.txt', 'lnk.txt');
    link('../a.txt', 'sub/up.txt');
    link('a.txt', 'x.ign.txt');
    link('nowhere', 'dangling.txt');
    link('loop.txt', 'loop.txt');
    link('.', 'self.txt');
    link('..', 'sub/parent');
    link(join(outside, 'secret.txt'), 'secret.txt');
    link(outside, 'out');
    expect((await bench.text('glob', { pattern: '*.txt' })).split('\n')).toEqual(['a.txt', 'lnk.txt', 'sub/b.txt', 'sub/up.txt']);
    expect(await bench.text('glob', { pattern: 'up.*', path: 'sub' })).toBe('sub/up.txt');
  });

  test('finds Chinese in files of other encodings, and shows their lines as text', async () => {
    const { dir, bench } = workspace({ 'utf8.txt': '数据库在这里\n', '.gitignore': 'ignored.txt\n' }, engine);
    const put = (name: string, encoding: string, text: string) => writeFileSync(join(dir, name), iconv.encode(text, encoding));
    const GBK = '# 配置说明\n数据库的端口是 3306，请不要改动。\n部署之前先运行测试。\n';
    put('gbk.txt', 'gb18030', GBK);
    put('ignored.txt', 'gb18030', GBK);
    put('big5.txt', 'big5', '資料庫的連接埠是三三零六，請不要隨意變更設定。\n');
    writeFileSync(join(dir, 'bin.dat'), Buffer.concat([Buffer.of(0, 1), iconv.encode('数据库', 'gb18030')]));
    writeFileSync(join(dir, 'mixed.txt'), Buffer.concat([Buffer.from('数据库在这里，还有别的中文内容。\nbad '), Buffer.of(0xff, 10)]));
    const both = 'gbk.txt:2: 数据库的端口是 3306，请不要改动。\nmixed.txt:1: 数据库在这里，还有别的中文内容。\nutf8.txt:1: 数据库在这里';
    expect(await bench.text('grep', { pattern: '数据库' })).toBe(both);
    expect(await bench.text('grep', { pattern: '数据库', literal: true })).toBe(both);
    expect(await bench.text('grep', { pattern: '端口.*\\d{4}', include: '*.txt' })).toBe('gbk.txt:2: 数据库的端口是 3306，请不要改动。');
    expect(await bench.text('grep', { pattern: '3306' })).toBe('gbk.txt:2: 数据库的端口是 3306，请不要改动。');
    expect(await bench.text('grep', { pattern: '部署', path: 'gbk.txt' })).toBe('gbk.txt:3: 部署之前先运行测试。');
    expect(await bench.text('grep', { pattern: '資料庫' })).toContain('big5.txt:1: 資料庫的連接埠');
    expect(await bench.text('grep', { pattern: '数据库', limit: 2 })).toBe(
      `${both.split('\n').slice(0, 2).join('\n')}\n[only the first 2 lines; narrow the pattern, the path or include]`,
    );
  });

  test('looks into an ignored folder that is named, and says what was left out when nothing is found', async () => {
    const files = {
      '.gitignore': 'out/\n*.log\n',
      'out/a.js': 'FOO\n',
      'out/deep/b.js': 'FOO\n',
      'node_modules/p/i.js': 'FOO\n',
      'src/c.js': 'BAR\n',
    };
    const { bench } = workspace(files, engine);
    expect(await bench.text('grep', { pattern: 'FOO' })).toMatch(/^no line matches FOO\n\[files that \.gitignore names/);
    expect(await bench.text('glob', { pattern: 'out/*.js' })).toMatch(/^no file fits out\/\*\.js\n\[files that \.gitignore names/);
    expect(await bench.text('grep', { pattern: 'FOO', path: 'out' })).toBe('out/a.js:1: FOO\nout/deep/b.js:1: FOO');
    expect(await bench.text('glob', { pattern: '*.js', path: 'out/deep' })).toBe('out/deep/b.js');
    expect(await bench.text('grep', { pattern: 'FOO', path: 'node_modules/p' })).toBe('node_modules/p/i.js:1: FOO');
    expect(await bench.text('grep', { pattern: 'FOO', path: 'src' })).toBe('no line matches FOO');
  });

  test('does not match over line borders', async () => {
    const { bench } = workspace({ a: 'one\ntwo three\n\n', b: 'x' }, engine);
    expect(await bench.text('grep', { pattern: 'one\\s+two' })).toBe('no line matches one\\s+two');
    expect(await bench.text('grep', { pattern: '[^x]two' })).toBe('no line matches [^x]two');
  });

  test('the main file is listed, copies in worktrees are not (B9)', async () => {
    const { bench } = workspace(
      {
        'src/a.ts': 'FOO\n',
        ...Object.fromEntries(['ann', 'bob', 'cid'].map((name) => [`.worktrees/${name}/src/a.ts`, 'FOO\nFOO\nFOO\n'])),
        'node_modules/p/a.ts': 'FOO\n',
        '.agents/data/outputs/o.txt': 'FOO\n',
        '.agents/SOUL.md': 'FOO\n',
        '.github/x.yml': 'FOO\n',
      },
      engine,
      false,
    );
    expect((await bench.text('grep', { pattern: 'FOO', limit: 3 })).split('\n').sort()).toEqual([
      '.agents/SOUL.md:1: FOO',
      '.github/x.yml:1: FOO',
      'src/a.ts:1: FOO',
    ]);
    expect((await bench.text('glob', { pattern: '**/*' })).split('\n').sort()).toEqual(['.agents/SOUL.md', '.github/x.yml', 'src/a.ts']);
    expect(await bench.text('grep', { pattern: 'FOO', path: 'node_modules/p' })).toBe('node_modules/p/a.ts:1: FOO');
  });

  test('searches the worktree that is its own root', async () => {
    const { dir, write } = workspace({ 'src/a.ts': 'main FOO\n' }, engine);
    write('.worktrees/ann/src/a.ts', 'own FOO\n');
    const bench = toolBench({ root: join(dir, '.worktrees/ann'), workspace: dir, ...(engine === undefined ? {} : { rgPath: engine }) });
    expect(await bench.text('grep', { pattern: 'FOO' })).toBe('src/a.ts:1: own FOO');
    expect(await bench.text('glob', { pattern: '*.ts' })).toBe('src/a.ts');
  });

  test('respects .gitignore at every depth, with or without git', async () => {
    for (const git of [true, false]) {
      const { bench } = workspace(
        {
          '.gitignore': '*.log\n/build\n!keep.log\n',
          'a.log': 'X\n',
          'keep.log': 'X\n',
          'build/b': 'X\n',
          'src/build/c': 'X\n',
          'src/.gitignore': 'd\n',
          'src/d': 'X\n',
          'src/e': 'X\n',
        },
        engine,
        git,
      );
      expect((await bench.text('grep', { pattern: 'X' })).split('\n').sort()).toEqual(['keep.log:1: X', 'src/build/c:1: X', 'src/e:1: X']);
      expect(await bench.text('glob', { pattern: '*', path: 'src' })).not.toContain('src/d');
    }
  });

  test('the pattern is data, whatever it looks like (F8)', async () => {
    const { bench } = workspace({ a: 'use --help or -e now\n(\n', '-e': 'file called -e\n', '--help': 'x\n' }, engine);
    expect(await bench.text('grep', { pattern: '--help' })).toBe('a:1: use --help or -e now');
    expect(await bench.text('grep', { pattern: '-e', path: 'a' })).toBe('a:1: use --help or -e now');
    expect(await bench.text('grep', { pattern: 'called', path: '-e' })).toBe('-e:1: file called -e');
    const invalid = await bench.call('grep', { pattern: '(' });
    expect(invalid.isError).toBe(true);
    expect(invalid.text).toContain('not a regular expression');
    expect(await bench.text('grep', { pattern: '(', literal: true })).toBe('a:2: (');
    expect((await bench.call('grep', { pattern: '' })).isError).toBe(true);
    expect(await bench.text('glob', { pattern: '--help' })).toBe('--help');
  });

  test('a pattern that backtracks for ever answers within the limit, and the thread stays alive (F8)', async () => {
    const { bench } = workspace({ a: `${'a'.repeat(40)}!\n`, b: 'fine\n' }, engine);
    const result = await bench.call('grep', { pattern: '(a+)+$' });
    expect(result.text).toMatch(engine === undefined ? /takes too long on a; nested repetition/ : /no line matches/);
  });

  test('one line of 50 MB, binary files and huge files answer in a bounded way (F8)', async () => {
    const { bench, write, path } = workspace({ small: 'needle\n' }, engine);
    write('long', `${'x'.repeat(25_000_000)}needle${'y'.repeat(25_000_000)}`);
    write('binary', 'needle\0needle\n');
    writeFileSync(path('sparse'), '');
    truncateSync(path('sparse'), 3_000_000_000);
    execFileSync('mkfifo', [path('fifo')]);
    const text = await bench.text('grep', { pattern: 'needle' });
    expect(text).toContain('small:1: needle');
    expect(text).toContain('long:1: ');
    expect(text).not.toContain('binary:');
    expect(text.length).toBeLessThan(3_000);
    if (engine === undefined) expect(text).toContain('needleyyy');
    expect((await bench.call('grep', { pattern: 'x', path: 'fifo' })).isError).toBe(true);
  });

  test('loops of links end (F5)', async () => {
    const { bench, dir } = workspace({ 'd/a': 'X\n' }, engine);
    symlinkSync('..', join(dir, 'd/up'));
    symlinkSync('d', join(dir, 'e'));
    expect(await bench.text('grep', { pattern: 'X' })).toBe('d/a:1: X');
    expect(await bench.text('glob', { pattern: '**/a' })).toBe('d/a');
    expect(await bench.text('grep', { pattern: 'X', path: 'e' })).toBe('d/a:1: X');
  });

  test('reads Chinese and UTF-16', async () => {
    const { bench, path } = workspace({ 'zh.md': '修复了部署脚本\n🌍\n' }, engine);
    writeFileSync(path('w.txt'), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('wide needle\r\n', 'utf16le')]));
    expect(await bench.text('grep', { pattern: '部署' })).toBe('zh.md:1: 修复了部署脚本');
    expect(await bench.text('grep', { pattern: '^.$' })).toBe('zh.md:2: 🌍');
    expect(await bench.text('grep', { pattern: 'wide needle' })).toBe('w.txt:1: wide needle');
  });

  test('an interrupt ends a search', async () => {
    const { bench, dir } = workspace({}, engine);
    for (let i = 0; i < 400; i++) {
      const file = join(dir, `d${i % 20}/f${i}`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, 'x\n'.repeat(20_000));
    }
    // The first call loads what it needs; the second begins at once, and takes longer than a turn of the loop.
    await bench.call('grep', { pattern: 'nowhere', path: 'd0' });
    const abort = new AbortController();
    const result = bench.call('grep', { pattern: 'nowhere' }, { signal: abort.signal });
    await new Promise((resolve) => setImmediate(resolve));
    abort.abort();
    expect((await result).text).toBe('interrupted');
  });
});

test('glob takes the usual patterns', async () => {
  const root = tempFolder();
  for (const file of ['src/a.ts', 'src/deep/b.ts', 'src/c.tsx', 'README.md', 'docs/x.md']) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  const glob = async (pattern: string, path?: string) =>
    (await toolBench({ root }).text('glob', { pattern, ...(path ? { path } : {}) })).split('\n');
  expect(await glob('src/**/*.ts')).toEqual(['src/a.ts', 'src/deep/b.ts']);
  expect(await glob('src/*.ts')).toEqual(['src/a.ts']);
  expect(await glob('*.md')).toEqual(['README.md', 'docs/x.md']);
  expect(await glob('**/*.{ts,tsx}')).toEqual(['src/a.ts', 'src/c.tsx', 'src/deep/b.ts']);
  expect(await glob('**/*.ts', 'src/deep')).toEqual(['src/deep/b.ts']);
  expect(await glob('./src/a.ts')).toEqual(['src/a.ts']);
  expect(await glob('*.py')).toEqual(['no file fits *.py']);
});
