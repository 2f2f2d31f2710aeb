// A rule that forbids to read a file holds for every tool that would show it unasked.
import { expect, test } from 'vitest';
import { modelEnv, sentText, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

test('neither read_file nor grep nor a command shows what [permissions] deny keeps from being read', async () => {
  const ws = tempWorkspace({ files: { 'secret/key.txt': 'the-hidden-word\n', 'a.txt': 'nothing\n' } });
  ws.write('home/config.toml', '[permissions]\ndeny = ["read_file(secret/*)"]\n');
  const calls = [
    { name: 'read_file', args: { path: 'secret/key.txt' } },
    { name: 'grep', args: { pattern: 'the-' } },
    { name: 'grep', args: { pattern: 'the-', path: 'secret/key.txt' } },
    { name: 'bash', args: { command: 'cat secret/key.txt' } },
    { name: 'bash', args: { command: 'grep -r the- .' } },
    { name: 'bash', args: { command: 'git log -p' } },
  ];
  const server = await startModelServer(({ messages }) => (messages.at(-1)?.role === 'tool' ? { text: 'over' } : { calls }));
  await runXz(ws, ['once', 'look'], { env: { ...modelEnv(server), XZ_HOME: ws.path('home') } });
  const results = server.requests.at(-1)?.body.messages.filter(({ role }) => role === 'tool') ?? [];
  expect(results).toHaveLength(calls.length);
  expect(results.map(sentText).join('\n')).not.toContain('hidden-word');
});
