// A process that may open no more files: a tool that needs some says so, and nothing else happens.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildProgram } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';

test('without files to open, commands and searches fail with a word and work again later', async () => {
  const program = await buildProgram('few-files');
  const root = tempFolder();
  writeFileSync(join(root, 'a.txt'), 'x\n');
  // Stands for ripgrep: it only has to be started.
  const programs = tempFolder();
  writeFileSync(join(programs, 'rg'), "#!/bin/sh\nprintf './a.txt\\0001:1:x\\n'\n", { mode: 0o755 });
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', 'ulimit -n 200; exec "$@"', 'bash', process.execPath, program, root, programs],
    {
      encoding: 'utf8',
    },
  );
  expect([status, stderr]).toEqual([0, '']);
  const results = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(results).toMatchObject([
    { isError: true, text: expect.stringContaining('too many open files') },
    { isError: true, text: expect.stringContaining('EMFILE') },
    { text: 'hi' },
    { text: 'a.txt:1: x' },
  ]);
});
