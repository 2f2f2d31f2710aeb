// Output through a pipe is complete, however slowly it is read (L4).
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { testDatabase } from '../helpers/database.ts';
import { MAIN, runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

const run = promisify(execFile);

test('a long answer has the same size in a slow pipe as in a file, and the exit code of its end', async () => {
  const ws = tempWorkspace();
  // Any command makes the folders of a workspace that has something to store.
  expect(await runXz(ws, ['task', 'create', 'first'])).toMatchObject({ code: 0 });
  const { db, talk } = testDatabase(ws.path('.agents/data/agent.db'));
  const session = talk(
    'a long one',
    Array.from({ length: 400 }, (_, n) => `${n} ${'字 and words '.repeat(80)}`),
  );
  db.close();
  for (const args of [`history session ${session} --limit 0`, `history session ${session} --limit 0 --json`]) {
    const command = `'${process.execPath}' '${MAIN}' ${args}`;
    const options = { cwd: ws.dir, env: { ...ws.env }, shell: false };
    await run('bash', ['-c', `${command} > ../out.txt`], options);
    const { size } = statSync(ws.path('../out.txt'));
    expect(size).toBeGreaterThan(400_000);
    const { stdout } = await run('bash', ['-c', `set -o pipefail; ${command} | (sleep 0.3; wc -c); echo "exit $?"`], options);
    expect(stdout.split('\n').map((line) => line.trim())).toEqual([String(size), 'exit 0', '']);
  }
});
