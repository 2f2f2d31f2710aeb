// Output through a pipe is complete, however slowly it is read (L4).
import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { testDatabase } from '../helpers/database.ts';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
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

test('what a model, a mail or a command line says reaches nobody as a control code (G5)', async () => {
  const ws = tempWorkspace();
  const hostile = 'seen\u001b[2J\u001b]0;title\u0007 too\n\tnext';
  const server = await startModelServer((_body, n) =>
    n === 0 ? { text: hostile } : { status: 400, body: { error: { message: `refused ${hostile}` } } },
  );
  const env = modelEnv(server);
  expect(await runXz(ws, ['once', 'hi'], { env })).toMatchObject({ code: 0, out: 'seen too\n\tnext\n', err: '' });
  const error = await runXz(ws, ['once', 'hi'], { env });
  expect(error).toMatchObject({ code: 1, out: '', err: expect.stringContaining('seen too') });
  const sent = await runXz(ws, ['mail', 'send', 'Lead', hostile, '--json']);
  const { id } = JSON.parse(sent.out);
  const shown = await runXz(ws, ['mail', 'show', id]);
  expect(shown.out).toContain('seen too\n\tnext');
  const unknown = await runXz(ws, ['\u001b[2Jnope']);
  expect(unknown).toMatchObject({ code: 2, err: expect.stringContaining('nope') });
  const missing = await runXz(ws, ['task', 'show', '\u001b[2Jnope']);
  expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('nope') });
  const steering = /(?![\n\t])\p{Cc}/u;
  for (const { out, err } of [error, sent, shown, unknown, missing]) expect(out + err).not.toMatch(steering);
});

test.skipIf(!existsSync('/dev/full'))('output that cannot be written is one line and a hint, exit 1', async () => {
  const ws = tempWorkspace();
  const server = await startModelServer(() => ({ text: 'answer' }));
  const env = { ...ws.env, ...modelEnv(server) };
  for (const args of ['task list --json', 'history list --json', 'once hi', 'once hi --stream-json', '--help', '--version']) {
    const failed = await run('bash', ['-c', `'${process.execPath}' '${MAIN}' ${args} >/dev/full`], { cwd: ws.dir, env }).catch(
      (error: { code: number; stderr: string }) => error,
    );
    expect(failed, args).toMatchObject({ code: 1, stderr: expect.stringMatching(/^xz: .*\(ENOSPC\).*\nhint: .*\n$/) });
  }
  expect(await run('bash', ['-c', `'${process.execPath}' '${MAIN}' once hi 2>/dev/full`], { cwd: ws.dir, env })).toMatchObject({
    stdout: 'answer\n',
  });
});

test('a folder that is gone is one line and a hint, exit 2', async () => {
  const ws = tempWorkspace();
  for (const args of ['once hi', 'task list', 'config']) {
    const command = `mkdir gone && cd gone && rmdir ../gone && '${process.execPath}' '${MAIN}' ${args}`;
    const failed = await run('bash', ['-c', command], { cwd: ws.dir, env: { ...ws.env } }).catch((error: unknown) => error);
    expect(failed, args).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^xz: the folder .*\nhint: .*\n$/) });
  }
});
