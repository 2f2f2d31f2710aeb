import { execFileSync } from 'node:child_process';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../helpers/temp.ts';
import { toolBench } from '../../helpers/tools.ts';

test('pipes, devices, sockets and huge files answer at once and in few words (F8)', async () => {
  const root = tempFolder();
  const { call, text } = toolBench({ root, cap: 4_000 });
  execFileSync('mkfifo', [join(root, 'p')]);
  symlinkSync('/dev/zero', join(root, 'zero'));
  const server = createServer().listen(join(root, 'sock'));
  writeFileSync(join(root, 'sparse'), '');
  truncateSync(join(root, 'sparse'), 3_000_000_000);
  expect(await text('read_file', { path: 'p' })).toContain('is not a regular file but a named pipe');
  expect((await call('read_file', { path: 'zero' })).isError).toBe(true);
  expect((await call('read_file', { path: 'sock' })).isError).toBe(true);
  expect(await text('read_file', { path: 'sparse' })).toBe('[sparse is binary: unknown format, 3,000,000,000 bytes; not shown]');
  for (const path of ['p', 'zero', 'sock', 'sparse']) {
    expect((await call('write_file', { path, content: 'x' })).isError, path).toBe(true);
    expect((await call('edit_file', { path, old_text: 'a', new_text: 'b' })).isError, path).toBe(true);
  }
  server.close();
});

test('a large text is read in parts, one long line is cut, an offset past the end is an answer (F8)', async () => {
  const root = tempFolder();
  const { text } = toolBench({ root, cap: 4_000 });
  writeFileSync(join(root, 'line'), 'x'.repeat(50_000_000));
  const line = await text('read_file', { path: 'line' });
  expect(line).toContain('characters, cut]');
  expect(Buffer.byteLength(line)).toBeLessThan(4_000);
  writeFileSync(join(root, 'many'), Array.from({ length: 3_000_000 }, (_, at) => `row ${at + 1}`).join('\n'));
  expect(await text('read_file', { path: 'many' })).toMatch(/^1\trow 1\n/);
  expect(await text('read_file', { path: 'many', start_line: 2_000_000, end_line: 2_000_001 })).toMatch(
    /^2000000\trow 2000000\n2000001\trow 2000001\n/,
  );
  expect(await text('read_file', { path: 'many', start_line: 9_000_000 })).toMatch(/line 9000000 is not|there is no line 9000000/);
  expect(await text('grep', { pattern: 'row 2999999$', path: 'many' })).toBe('many:2999999: row 2999999');
});
