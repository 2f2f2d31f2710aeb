// What memory asks its model for is paid like everything else: it is in the cost, and within the limit.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { modelEnv, type Respond, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

const usage = (prompt: number) => ({ prompt_tokens: prompt, completion_tokens: 0, total_tokens: prompt });
/** A dollar for a reply of the lead, ten cents for an answer to memory. */
const respond: Respond = (body) =>
  (body.tools ?? []).length === 0 ? { text: '{"facts": []}', usage: usage(100_000) } : { text: 'ok', usage: usage(1_000_000) };

test('memory is in the cost of a session and stops at its limit', async () => {
  const ws = tempWorkspace();
  const server = await startModelServer(respond);
  const env = { ...modelEnv(server), XZ_MEMORY_ENABLED: 'true' };
  mkdirSync(join(ws.home, '.xz'), { recursive: true });
  writeFileSync(join(ws.home, '.xz', 'config.toml'), `[models."${modelEnv(server).XZ_MODEL}"]\nprice = { input = 1, output = 1 }\n`);
  const once = (...args: string[]) => runXz(ws, ['once', '--json', ...args], { env });
  const first = await once('The build needs Node 22, please remember that.');
  expect(JSON.parse(first.out)).toMatchObject({ text: 'ok', costUsd: 1 });
  expect(server.requests).toHaveLength(2);
  const second = await once('--resume', 'And which one did I say, by the way?', '--max-cost', '1.05');
  expect(second.code).toBe(1);
  expect(JSON.parse(second.out)).toMatchObject({ stopReason: 'budget', costUsd: 1.1 });
  expect(server.requests).toHaveLength(2);
  const third = await once('Another conversation about the build, please.', '--max-cost', '0.5');
  expect(JSON.parse(third.out)).toMatchObject({ text: 'ok', stopReason: 'done', costUsd: 1 });
  // The answer passed the limit: memory leaves the turn for a later run.
  expect(server.requests).toHaveLength(3);
  await once('Yet another one about the build, please.');
  expect(server.requests.length).toBeGreaterThanOrEqual(5);
});
