// A picture is shown to a model that takes pictures; any other is told so, and nothing of it is kept.
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modelEnv, sentText, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The messages after `read_file` of a picture, as they were sent. */
async function afterLooking(settings: string): Promise<string> {
  const ws = tempWorkspace();
  writeFileSync(ws.path('p.png'), Buffer.from(PNG, 'base64'));
  const server = await startModelServer(({ messages }) =>
    messages.length < 4 ? { calls: [{ name: 'read_file', args: { path: 'p.png' } }] } : { text: 'seen' },
  );
  ws.write('config.toml', settings);
  await runXz(ws, ['once', 'look'], { env: { ...modelEnv(server), XZ_HOME: ws.dir } });
  const sent = server.requests.at(-1)?.body.messages ?? [];
  return JSON.stringify(sent.slice(2)) + sent.map(sentText).join('');
}

test('to one that takes no pictures', async () => {
  const sent = await afterLooking('');
  expect(sent).toContain('the present model takes no images');
  expect(sent).not.toContain(PNG.slice(0, 40));
});

test('to one that is said to take them', async () => {
  expect(await afterLooking('[models."scripted"]\nimages = true\n')).toContain(PNG.slice(0, 40));
});
