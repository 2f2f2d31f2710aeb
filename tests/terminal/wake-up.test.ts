// A due task in the full screen and in the REPL: it shows as the system's, is answered, and what was typed stays.
import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { MAIN, runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';
import { HAS_TMUX, startTmux } from '../helpers/tmux.ts';
import { until } from '../helpers/until.ts';

test.skipIf(!HAS_TMUX).each([[[]], [['--repl']]])('a due task wakes the conversation at a terminal (xz %j)', async (args) => {
  const ws = tempWorkspace();
  const server = await startModelServer(() => ({ text: 'the backup is done' }));
  const env = { ...ws.env, ...modelEnv(server) };
  const command = ['exec', 'env', '-i', ...Object.entries(env).map(([name, value]) => `${name}=${value}`), process.execPath, MAIN, ...args];
  const quoted = command.map((part) => (part === 'exec' ? part : `'${part}'`)).join(' ');
  const terminal = startTmux(`(${quoted}); sleep 600`, { cwd: ws.dir, columns: 110, rows: 40 });
  onTestFinished(() => terminal.close());
  await terminal.shows('scripted');
  terminal.type('half a tho');
  await terminal.shows('half a tho');
  const locks = () => readdirSync(ws.path('.agents/data/locks')).filter((name) => name.startsWith('scheduler-'));
  await until(() => locks().length > 0, 'a screen that looks after the schedule');
  const added = await runXz(ws, ['schedule', 'add', 'daily backup', 'in 1 second', '--json']);
  expect([added.err, JSON.parse(added.out).running]).toEqual(['', true]);
  await terminal.shows('[Scheduled Task: daily backup');
  await terminal.shows('the backup is done');
  // The REPL's prompt gives way to the answer, and comes back with what was typed.
  await terminal.shows('half a tho');
  const log = await until(async () => {
    const { items } = JSON.parse((await runXz(ws, ['schedule', 'log', '--json'])).out);
    return items[0]?.status === 'success' && items;
  }, 'the record');
  expect(log[0]).toMatchObject({ output: 'the backup is done' });
  terminal.keys('C-u');
  terminal.type('/exit');
  terminal.keys('Enter');
  await until(() => locks().length === 0, 'the end of xz');
});
