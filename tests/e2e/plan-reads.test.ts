// A planner reads the workspace and nothing else, whatever stands in front of a command: the whole way, with real links and git.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inOrder, modelEnv, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

const commands = [
  'timeout 9 env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0="touch PWNED; false" git status',
  'nice env PATH=.:/bin ls',
  'cat < link',
  'cat [l]ink',
  'cat ou?/secret.txt',
  'grep -h TOP *',
  'echo "$(<link)"',
  `x='a[$(touch PWNED)]'; echo $((x))`,
];

test('nothing is run or read that should not be, and what is inside is read', async () => {
  const ws = tempWorkspace({ files: { 'f.txt': 'plainly readable\n' } });
  const elsewhere = join(ws.home, 'elsewhere');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'secret.txt'), 'TOP SECRET\n');
  symlinkSync(join(elsewhere, 'secret.txt'), join(ws.dir, 'link'));
  symlinkSync(elsewhere, join(ws.dir, 'out'));
  writeFileSync(join(ws.dir, 'ls'), '#!/bin/sh\ntouch PWNED\n', { mode: 0o755 });
  const calls = [...commands, 'cat < f.txt', 'cat f.t*'].map((command) => ({ name: 'bash', args: { command } }));
  const server = await startModelServer(inOrder({ calls }, { text: 'done' }));
  const run = await runXz(ws, ['once', 'look', '--mode', 'plan'], { env: modelEnv(server) });
  expect(run.code, run.err).toBe(0);
  const results = (server.requests[1]?.body.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  expect(results).toHaveLength(calls.length);
  for (const [at, text] of results.slice(0, commands.length).entries()) expect(text, commands[at]).toMatch(/refused|plan mode/);
  for (const text of results.slice(commands.length)) expect(text).toContain('plainly readable');
  expect(JSON.stringify(server.requests[1]?.body)).not.toContain('TOP SECRET');
  expect(ws.has('PWNED')).toBe(false);
});
