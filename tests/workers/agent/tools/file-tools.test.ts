import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../../helpers/temp.ts';
import { type ToolBench, toolBench } from '../../../helpers/tools.ts';

interface Files {
  readonly root: string;
  readonly base: string;
  readonly bench: ToolBench;
  put(name: string, content: string | Uint8Array): void;
  get(name: string): string;
  bytes(name: string): Buffer;
}

function files(more: Partial<Parameters<typeof toolBench>[0]> = {}): Files {
  const base = tempFolder();
  const root = join(base, 'ws');
  mkdirSync(root);
  return {
    root,
    base,
    bench: toolBench({ root, ...more }),
    put(name, content) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), content);
    },
    get: (name) => readFileSync(join(root, name), 'utf8'),
    bytes: (name) => readFileSync(join(root, name)),
  };
}

const edit = (path: string, old_text: string, new_text: string, replace_all?: boolean) => ({
  path,
  old_text,
  new_text,
  ...(replace_all === undefined ? {} : { replace_all }),
});

describe('edit_file', () => {
  test('takes the new text literally, whatever dollars it has (F1)', async () => {
    const { bench, put, get } = files();
    put('a.txt', 'before OLD after\n');
    await bench.call('edit_file', edit('a.txt', 'OLD', "$& $$ $1 $' $`"));
    expect(get('a.txt')).toBe("before $& $$ $1 $' $` after\n");
    put('b.txt', 'x x x');
    await bench.call('edit_file', edit('b.txt', 'x', '$&', true));
    expect(get('b.txt')).toBe('$& $& $&');
  });

  test('keeps CRLF, lone CR, mixed endings and a missing final line break (F3)', async () => {
    const { bench, put, get } = files();
    put('crlf.txt', 'one\r\ntwo\r\nthree\r\n');
    await bench.call('edit_file', edit('crlf.txt', 'one\ntwo\n', 'one\n2\n2b\n'));
    expect(get('crlf.txt')).toBe('one\r\n2\r\n2b\r\nthree\r\n');
    put('mixed.txt', 'a\r\nb\nc\r\nd\n');
    await bench.call('edit_file', edit('mixed.txt', 'a\nb\nc\nd', 'a\nB\nc\nd'));
    expect(get('mixed.txt')).toBe('a\r\nB\nc\r\nd\n');
    put('cr.txt', 'a\rb\rc');
    await bench.call('edit_file', edit('cr.txt', 'a\nb', 'a\nx\ny'));
    expect(get('cr.txt')).toBe('a\rx\ry\rc');
    put('end.txt', 'a\r\nb');
    await bench.call('edit_file', edit('end.txt', 'b', 'c'));
    expect(get('end.txt')).toBe('a\r\nc');
    put('lf.txt', 'a\nb\nc\n');
    await bench.call('edit_file', edit('lf.txt', 'a\r\nb', 'a\r\nX'));
    expect(get('lf.txt')).toBe('a\nX\nc\n');
    put('one.txt', 'a\r\nb\r\n');
    await bench.call('edit_file', edit('one.txt', 'a', 'a1\na2'));
    expect(get('one.txt')).toBe('a1\r\na2\r\nb\r\n');
  });

  test('refuses empty, ambiguous and useless edits and changes nothing (F4)', async () => {
    const { bench, put, get } = files();
    put('a.txt', 'x\nfoo\nfoo\n\nfoo aaaa\n');
    const refusal = async (from: string, to: string, all?: boolean) => {
      const result = await bench.call('edit_file', edit('a.txt', from, to, all));
      expect(result.isError).toBe(true);
      return result.text;
    };
    expect(await refusal('', 'x')).toContain('old_text is empty');
    expect(await refusal('foo', 'bar')).toContain('3 times (lines 2, 3, 5)');
    expect(await refusal('\n', ' ')).toContain('times');
    expect(await refusal('aaa', 'b')).toContain('2 times');
    expect(await refusal('foo', 'foo')).toContain('the same');
    expect(await refusal('nowhere', 'x')).toContain('not in the file');
    expect(await refusal('  foo aaaa', 'x')).toContain('its first line is like line 5');
    expect(get('a.txt')).toBe('x\nfoo\nfoo\n\nfoo aaaa\n');
    expect(await bench.text('edit_file', edit('a.txt', 'aa', 'b', true))).toContain('2 places');
    expect(get('a.txt')).toBe('x\nfoo\nfoo\n\nfoo bb\n');
    expect((await bench.call('edit_file', edit('a.txt', ' ', '_'))).isError).toBeUndefined();
  });

  test('the model reads the diff of an edit, a long one in part', async () => {
    const { bench, put } = files();
    put('a.txt', 'one\ntwo\nthree\n');
    const { text } = await bench.call('edit_file', edit('a.txt', 'two', '2'));
    expect(text).toBe('edited a.txt: line 2\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three');
    await bench.call('read_file', { path: 'a.txt' });
    expect(await bench.text('write_file', { path: 'a.txt', content: 'one\n2\n3\n' })).toContain('-three\n+3');
    put('long.txt', 'x\n'.repeat(1_000));
    const long = await bench.call('edit_file', edit('long.txt', 'x', 'a longer line', true));
    expect(long.text.length).toBeLessThan(4_200);
    expect(long.text).toMatch(/\n\[diff cut here: [\d,]+ more lines\]$/);
    put('wide.txt', 'x');
    expect((await bench.call('edit_file', edit('wide.txt', 'x', 'y'.repeat(9_000)))).text.length).toBeLessThan(4_200);
  });

  test('finds look-alike quotes and blanks when unique, says so, and changes nothing else (F9)', async () => {
    const { bench, put, get } = files();
    put('q.md', 'say \u201chello\u201d and \u2018bye\u2019\ncafe\u0301 x\n');
    const result = await bench.call('edit_file', edit('q.md', 'say "hello" and', 'say "hi" and'));
    expect(result.text).toContain('look-alikes');
    expect(get('q.md')).toBe('say "hi" and \u2018bye\u2019\ncafe\u0301 x\n');
    await bench.call('edit_file', edit('q.md', 'caf\u00e9 x', 'tea'));
    expect(get('q.md')).toBe('say "hi" and \u2018bye\u2019\ntea\n');
    put('two.md', '\u201ca\u201d\n\u201da\u201c\n');
    expect(await bench.text('edit_file', edit('two.md', '"a"', 'b'))).toContain('2 places look like it');
    expect(get('two.md')).toBe('\u201ca\u201d\n\u201da\u201c\n');
  });

  test('keeps mode, link, byte order mark and encoding (F6)', async () => {
    const { root, bench, put, get, bytes } = files();
    put('run.sh', 'echo a\n');
    chmodSync(join(root, 'run.sh'), 0o755);
    put('secret', 'a\n');
    chmodSync(join(root, 'secret'), 0o600);
    await bench.call('edit_file', edit('run.sh', 'a', 'b'));
    await bench.call('edit_file', edit('secret', 'a', 'b'));
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(join(root, 'secret')).mode & 0o777).toBe(0o600);
    symlinkSync('run.sh', join(root, 'link.sh'));
    await bench.call('edit_file', edit('link.sh', 'echo b', 'echo c'));
    expect(get('run.sh')).toBe('echo c\n');
    expect(get('link.sh')).toBe('echo c\n');
    expect(readFileSync(join(root, 'run.sh')).length).toBe(7);
    chmodSync(join(root, 'run.sh'), 0o444);
    const readOnly = await bench.call('edit_file', edit('run.sh', ' c', ' d'));
    expect(readOnly.text).toContain('read-only');
    expect(get('run.sh')).toBe('echo c\n');
    put('bom.txt', '\ufeffhello\r\nworld\r\n');
    await bench.call('edit_file', edit('bom.txt', 'world', 'you'));
    expect(bytes('bom.txt').equals(Buffer.from('\ufeffhello\r\nyou\r\n'))).toBe(true);
    const chinese = '这是一个用国标编码保存的文件，里面有很多汉字，用来检测编码。\r\n第二行：修复了部署脚本的超时问题。\r\n';
    put('gbk.txt', iconv.encode(chinese, 'gbk'));
    expect(await bench.text('read_file', { path: 'gbk.txt' })).toContain('2\t第二行：修复了部署脚本的超时问题。');
    expect((await bench.call('edit_file', edit('gbk.txt', '超时', '重试'))).isError).toBeUndefined();
    expect(iconv.decode(bytes('gbk.txt'), 'gbk')).toBe(chinese.replace('超时', '重试'));
    const before = bytes('gbk.txt');
    expect((await bench.call('edit_file', edit('gbk.txt', '重试', '한국어 ✅ \u{1f600}'))).text).toMatch(/not|does not have|edited/);
    if (!bytes('gbk.txt').equals(before)) expect(iconv.decode(bytes('gbk.txt'), 'gb18030')).toContain('한국어');
    put('u16.txt', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('eins\r\nzwei\r\n', 'utf16le')]));
    await bench.call('edit_file', edit('u16.txt', 'zwei', 'drei'));
    expect(bytes('u16.txt').equals(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('eins\r\ndrei\r\n', 'utf16le')]))).toBe(true);
  });

  test('a file with two names stays one file (F6)', async () => {
    const { root, bench, put, get } = files();
    put('a.txt', 'a long first line\nb\n');
    chmodSync(join(root, 'a.txt'), 0o640);
    linkSync(join(root, 'a.txt'), join(root, 'b.txt'));
    await bench.call('edit_file', edit('a.txt', 'a long first line', 'short'));
    expect(get('b.txt')).toBe('short\nb\n');
    await bench.call('write_file', { path: 'b.txt', content: 'all of it anew, and longer than before\n' });
    expect(get('a.txt')).toBe('short\nb\n');
    await bench.call('read_file', { path: 'b.txt' });
    await bench.call('write_file', { path: 'b.txt', content: 'all of it anew, and longer than before\n' });
    expect(get('a.txt')).toBe('all of it anew, and longer than before\n');
    expect([statSync(join(root, 'a.txt')).nlink, statSync(join(root, 'a.txt')).mode & 0o777]).toEqual([2, 0o640]);
  });

  test('applies all six edits of one reply, and returns the diff (F7)', async () => {
    const { bench, put, get } = files();
    put('six.txt', 'l1\nl2\nl3\nl4\nl5\nl6\n');
    await bench.call('read_file', { path: 'six.txt' });
    for (let i = 1; i <= 6; i++) {
      const result = await bench.call('edit_file', edit('six.txt', `l${i}`, `line ${i}`));
      expect(result.changedFiles).toEqual(['six.txt']);
      expect(result.diff).toContain(`-l${i}\n+line ${i}\n`);
    }
    expect(get('six.txt')).toBe('line 1\nline 2\nline 3\nline 4\nline 5\nline 6\n');
    expect((await bench.call('write_file', { path: 'six.txt', content: 'new\n' })).isError).toBeUndefined();
  });
});

test('an edit of a file that somebody changed since it was read is refused until it is read again (F7)', async () => {
  const { bench, put, get, root } = files();
  put('a.txt', 'one\ntwo\n');
  await bench.call('read_file', { path: 'a.txt' });
  const other = toolBench({ root });
  await other.call('edit_file', edit('a.txt', 'two', 'zwei'));
  expect(await bench.text('edit_file', edit('a.txt', 'one', 'eins'))).toContain('changed since you read it');
  expect(get('a.txt')).toBe('one\nzwei\n');
  await bench.call('read_file', { path: 'a.txt' });
  expect((await bench.call('edit_file', edit('a.txt', 'one', 'eins'))).isError).toBeUndefined();
  expect(get('a.txt')).toBe('eins\nzwei\n');
});

describe('write_file', () => {
  test('is refused over what was not read or changed since, judged by content (F7)', async () => {
    const { root, bench, put, get } = files();
    put('a.txt', 'v1\n');
    expect(await bench.text('write_file', { path: 'a.txt', content: 'mine' })).toContain('you have not read it');
    await bench.call('edit_file', edit('a.txt', 'v1', 'v2'));
    expect(await bench.text('write_file', { path: 'a.txt', content: 'mine' })).toContain('you have not read it');
    await bench.call('read_file', { path: 'a.txt' });
    const { atime, mtime } = statSync(join(root, 'a.txt'));
    put('a.txt', 'v3\n');
    utimesSync(join(root, 'a.txt'), atime, mtime);
    expect(await bench.text('write_file', { path: 'a.txt', content: 'mine' })).toContain('changed since you read it');
    expect(get('a.txt')).toBe('v3\n');
    await bench.call('read_file', { path: 'a.txt' });
    utimesSync(join(root, 'a.txt'), new Date(), new Date());
    expect((await bench.call('write_file', { path: 'a.txt', content: 'mine\n' })).changedFiles).toEqual(['a.txt']);
    expect((await bench.call('write_file', { path: 'a.txt', content: 'mine again\n' })).isError).toBeUndefined();
    expect(get('a.txt')).toBe('mine again\n');
  });

  test('makes files with their folders, and keeps line endings of what it replaces', async () => {
    const { bench, put, get, bytes } = files();
    const made = await bench.call('write_file', { path: 'deep/er/new.txt', content: 'a\nb\n' });
    expect(made.text).toBe('made deep/er/new.txt (2 lines, 4 bytes)');
    expect(made.diff).toContain('--- /dev/null\n+++ b/deep/er/new.txt\n');
    put('win.txt', '\ufeffa\r\nb\r\n');
    await bench.call('read_file', { path: 'win.txt' });
    await bench.call('write_file', { path: 'win.txt', content: 'c\nd\n' });
    expect(bytes('win.txt').equals(Buffer.from('\ufeffc\r\nd\r\n'))).toBe(true);
    put('file', 'x');
    const below = await bench.call('write_file', { path: 'file/below', content: 'x' });
    expect([below.isError, below.text]).toEqual([true, expect.stringContaining('a part of its path is a file, not a folder')]);
    expect(get('file')).toBe('x');
  });
});

describe('paths', () => {
  test('cannot leave the root, by name or by link (F5)', async () => {
    const { root, base, bench, put } = files();
    writeFileSync(join(base, 'o.txt'), 'outside');
    mkdirSync(join(base, 'ws-evil'));
    writeFileSync(join(base, 'ws-evil/x.txt'), 'evil');
    symlinkSync('../o.txt', join(root, 'out'));
    symlinkSync('../none.txt', join(root, 'new'));
    symlinkSync(base, join(root, 'up'));
    symlinkSync('loop2', join(root, 'loop1'));
    symlinkSync('loop1', join(root, 'loop2'));
    put('real/inner.txt', 'inner');
    symlinkSync('real', join(root, 'inside'));
    for (const path of [
      '../o.txt',
      'out',
      'up/o.txt',
      join(base, 'o.txt'),
      join(base, 'ws-evil/x.txt'),
      '../ws-evil/x.txt',
      'loop1',
      '/etc/passwd',
      '~/x',
      'a\0b',
      '',
      'real/../../o.txt',
      'nothere/../../o.txt',
    ])
      expect((await bench.call('read_file', { path })).isError, path).toBe(true);
    for (const path of ['../n.txt', 'out', 'new', 'up/n.txt', 'up/ws-evil/n.txt', join(base, 'n.txt'), '~/n', '~', '$HOME/n', 'loop1/x'])
      expect((await bench.call('write_file', { path, content: 'x' })).isError, path).toBe(true);
    expect(existsSync(join(base, 'none.txt'))).toBe(false);
    expect(existsSync(join(root, '~'))).toBe(false);
    expect(readFileSync(join(base, 'o.txt'), 'utf8')).toBe('outside');
    expect(await bench.text('read_file', { path: 'inside/inner.txt' })).toBe('1\tinner');
    expect(await bench.text('read_file', { path: join(root, 'real/inner.txt') })).toBe('1\tinner');
    expect((await bench.call('grep', { pattern: 'x', path: 'up' })).isError).toBe(true);
    expect((await bench.call('glob', { pattern: '*', path: '..' })).isError).toBe(true);
    expect(await bench.text('grep', { pattern: 'outside' })).toContain('no line matches');
  });

  test('work when the root is itself reached through a link (F5)', async () => {
    const { root, base, put } = files();
    put('a.txt', 'a');
    symlinkSync(root, join(base, 'link'));
    const bench = toolBench({ root: join(base, 'link') });
    expect(await bench.text('read_file', { path: 'a.txt' })).toBe('1\ta');
    expect(await bench.text('read_file', { path: join(base, 'link/a.txt') })).toBe('1\ta');
    expect(await bench.text('read_file', { path: join(root, 'a.txt') })).toBe('1\ta');
  });

  test("do not reach xz's database, locks or data, but its outputs", async () => {
    const { bench, put } = files();
    put('.agents/data/agent.db', 'SQLite format 3\0');
    put('.agents/data/agent.db-wal', 'x');
    put('.agents/data/locks/a.holder', 'x');
    put('.agents/data/outputs/o.txt', 'kept');
    for (const path of [
      '.agents/data/agent.db',
      '.agents/data/agent.db-wal',
      '.agents/data/locks/a.holder',
      '.agents/../.agents/data/agent.db',
    ])
      expect(await bench.text('read_file', { path }), path).toContain('belongs to xz itself');
    expect(await bench.text('write_file', { path: '.agents/data/outputs/o.txt', content: 'x' })).toContain('belongs to xz itself');
    expect(await bench.text('read_file', { path: '.agents/data/outputs/o.txt' })).toBe('1\tkept');
    expect(await bench.text('grep', { pattern: 'kept' })).toContain('no line matches');
    expect(await bench.text('grep', { pattern: 'kept', path: '.agents/data/outputs/o.txt' })).toContain('o.txt:1: kept');
  });

  test("do not reach xz's home and credentials, although they are below the root", async () => {
    const { root, put } = files();
    put('.xz/config.toml', 'api_key = "sk-1234567890"\n');
    put('.kimi/credentials/kimi-code.json', '{"access_token":"abc"}');
    put('notes.txt', 'api_key access_token\n');
    symlinkSync('.xz/config.toml', join(root, 'link.toml'));
    const bench = toolBench({ root, closed: [join(root, '.xz'), join(root, '.kimi/credentials/kimi-code.json'), join(root, 'not-there')] });
    for (const path of ['.xz/config.toml', 'link.toml', '.kimi/credentials/kimi-code.json', '.xz/../.xz/config.toml'])
      expect(await bench.text('read_file', { path }), path).toContain('settings or secrets');
    expect((await bench.call('write_file', { path: '.xz/new', content: 'x' })).isError).toBe(true);
    expect(await bench.text('grep', { pattern: 'api_key|access_token' })).toBe('notes.txt:1: api_key access_token');
    expect(await bench.text('glob', { pattern: '**/*.toml' })).toBe('no file fits **/*.toml');
  });

  test('of a teammate in a worktree do not reach the main checkout, but its outputs', async () => {
    const { root, put, bench } = files();
    put('main.txt', 'main');
    put('.worktrees/ann/own.txt', 'own');
    const ann = toolBench({ root: join(root, '.worktrees/ann'), workspace: root, cap: 1_000 });
    expect((await ann.call('read_file', { path: '../../main.txt' })).isError).toBe(true);
    expect((await ann.call('write_file', { path: join(root, 'main.txt'), content: 'x' })).isError).toBe(true);
    expect(await ann.text('read_file', { path: 'own.txt' })).toBe('1\town');
    put('.agents/data/outputs/s-1-0.txt', 'full text');
    expect(await ann.text('read_file', { path: '.agents/data/outputs/s-1-0.txt' })).toBe('1\tfull text');
    expect(await bench.text('read_file', { path: '.worktrees/ann/own.txt' })).toBe('1\town');
  });

  test('find names in another Unicode form when unique, and refuse two (F9)', async () => {
    const { bench, put, get } = files();
    put('cafe\u0301.md', 'decomposed\n');
    put('Screenshot 9.41\u202fAM.txt', 'narrow\n');
    expect(await bench.text('read_file', { path: 'caf\u00e9.md' })).toBe('1\tdecomposed');
    expect(await bench.text('read_file', { path: 'Screenshot 9.41 AM.txt' })).toBe('1\tnarrow');
    await bench.call('edit_file', edit('caf\u00e9.md', 'decomposed', 'changed'));
    expect(get('cafe\u0301.md')).toBe('changed\n');
    put('caf\u00e9.md', 'composed\n');
    expect(await bench.text('read_file', { path: 'caf\u00e9.md' })).toContain('"caf\\u00e9.md"');
    expect((await bench.call('edit_file', edit('caf\u00e9.md', 'composed', 'x'))).isError).toBe(true);
    expect(get('caf\u00e9.md')).toBe('composed\n');
    await bench.call('write_file', { path: '新文件.md', content: '你好\n' });
    expect(get('新文件.md')).toBe('你好\n');
  });
});

describe('read_file', () => {
  test('gives numbered lines, ranges, and says how to go on', async () => {
    const { bench, put } = files({ cap: 2_000 });
    put('a.txt', 'one\ntwo\nthree');
    expect(await bench.text('read_file', { path: 'a.txt' })).toBe('1\tone\n2\ttwo\n3\tthree');
    expect(await bench.text('read_file', { path: 'a.txt', start_line: 2, end_line: 2 })).toBe('2\ttwo\n[lines 2-2 of 3]');
    expect(await bench.text('read_file', { path: 'a.txt', start_line: 9 })).toContain('has 3 lines; there is no line 9');
    expect(await bench.text('read_file', { path: 'a.txt', start_line: 3, end_line: 1 })).toContain('before start_line');
    put('empty', '');
    expect(await bench.text('read_file', { path: 'empty' })).toBe('(empty is empty)');
    put('long.txt', Array.from({ length: 500 }, (_, at) => `line ${at + 1}`).join('\n'));
    const first = await bench.text('read_file', { path: 'long.txt' });
    const next = Number(/go on with start_line=(\d+)/.exec(first)?.[1]);
    expect(await bench.text('read_file', { path: 'long.txt', start_line: next })).toContain(`${next}\tline ${next}\n`);
    expect(await bench.text('read_file', { path: 'none.txt' })).toContain('there is no file none.txt');
    put('crlf.txt', 'a\r\nb\rc\r\n');
    expect(await bench.text('read_file', { path: 'crlf.txt' })).toBe('1\ta\n2\tb\u240dc');
  });

  test('names binary files, shows images only to a model that takes them', async () => {
    const { bench, put, root } = files();
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
    put('p.png', png);
    put('d.bin', Buffer.from([1, 2, 0, 3]));
    put('doc.pdf', Buffer.from('%PDF-1.7\n\0\0'));
    expect(await bench.call('read_file', { path: 'p.png' })).toMatchObject({
      text: '[image p.png: image/png, 70 bytes]',
      images: [{ mediaType: 'image/png', data: png.toString('base64') }],
    });
    const blind = await toolBench({ root, acceptsImages: false }).call('read_file', { path: 'p.png' });
    expect(blind.images).toBeUndefined();
    expect(blind.text).toContain('takes no images');
    expect(await bench.text('read_file', { path: 'd.bin' })).toBe('[d.bin is binary: unknown format, 4 bytes; not shown]');
    expect(await bench.text('read_file', { path: 'doc.pdf' })).toContain('PDF document');
    // Limits of Anthropic: 5 MiB of base64 an image, 8,000 pixels a side. What is refused would end the turn unexplained.
    const wide = Buffer.from(png);
    wide.writeUInt32BE(8_001, 16);
    put('wide.png', wide);
    expect(await bench.call('read_file', { path: 'wide.png' })).toMatchObject({ text: expect.stringContaining('8001x1; too large') });
    put('heavy.png', Buffer.concat([png, Buffer.alloc(3_900_000)]));
    const heavy = await bench.call('read_file', { path: 'heavy.png' });
    expect(heavy).toMatchObject({ text: expect.stringContaining('too large to be shown, make it smaller than 3.9 MB') });
    expect(heavy.images).toBeUndefined();
    expect(await bench.text('read_file', { path: '.' })).toContain('is a folder');
  });

  test('takes control codes out of what it shows (G5)', async () => {
    const { bench, put } = files();
    put('evil.txt', 'a\u001b]52;c;aGk=\u0007b\u001b[2Jc\u0007\n');
    expect(await bench.text('read_file', { path: 'evil.txt' })).toBe('1\tabc');
  });

  test('a hard-linked file is left as one name with the new content', async () => {
    const { root, bench, put, get } = files();
    put('a', 'x\n');
    linkSync(join(root, 'a'), join(root, 'b'));
    await bench.call('edit_file', edit('a', 'x', 'y'));
    expect(get('a')).toBe('y\n');
  });
});

test('a file too large to be held ends at its last line, and knows when it was looked through to its end', async () => {
  const root = tempFolder();
  writeFileSync(join(root, 'big.txt'), 'line of text\n'.repeat(1_300_000));
  const { text, call } = toolBench({ root });
  expect(await text('read_file', { path: 'big.txt', start_line: 1_299_999 })).toBe(
    '1299999\tline of text\n1300000\tline of text\n[big.txt has 16,900,000 bytes; lines 1299999-1300000 of 1300000]',
  );
  const past = await call('read_file', { path: 'big.txt', start_line: 1_300_001 });
  expect(past).toMatchObject({ isError: true, text: expect.stringContaining('big.txt has 1300000 lines; there is no line 1300001') });
});

test('grep shows no line of a file that a rule forbids to read', async () => {
  const root = tempFolder();
  for (const name of ['.env', 'a.txt']) writeFileSync(join(root, name), 'KEY=1\n');
  const { text, call } = toolBench({ root, denied: (path) => path === '.env' });
  expect(await text('grep', { pattern: 'KEY' })).toBe('a.txt:1: KEY=1\n[a rule in [permissions] deny forbids to read further files]');
  expect(await call('grep', { pattern: 'KEY', path: '.env' })).toMatchObject({
    isError: true,
    text: 'a rule in [permissions] deny forbids to read .env',
  });
});
