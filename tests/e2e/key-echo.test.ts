// A server that says the key it was sent in its error: the key is neither shown nor stored, nor does the error reach the terminal raw.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';

const KEY = 'sk-echo-key-0123456789';
const OTHER = 'tvly-other-key-0123456789';

test('a key in a model’s error is masked in what is printed, stored and logged', async () => {
  const ws = tempWorkspace({ git: false });
  const config = join(ws.home, '.xz/config.toml');
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, `[web]\ntavily_api_key = "${OTHER}"\n`, { mode: 0o600 });
  const server = await startModelServer(() => ({
    status: 400,
    body: { error: { message: `bad \u001b[31mred key ${KEY} and ${OTHER}\u0007\u001b]0;title\u0007` } },
  }));
  const env = { ...modelEnv(server), XZ_API_KEY: KEY };
  await runXz(ws, ['schedule', 'add', 'daily backup', '09:00']);
  const runs = [];
  for (const args of [
    ['once', 'hi'],
    ['once', 'hi', '--json'],
    ['schedule', 'run', 'daily'],
    ['schedule', 'log'],
    ['schedule', 'log', '--json'],
    ['config', 'verify'],
  ])
    runs.push(await runXz(ws, args, { env }));
  const texts = runs.map(({ out, err }) => out + err);
  for (const text of [texts[0], texts[1], texts[2]]) expect(text).toContain('bad red key [secret] and [secret]');
  expect(server.requests.length).toBeGreaterThan(3);
  const stored = filesBelow(dirname(ws.home)).filter((file) => file !== config);
  expect(stored.some((file) => file.endsWith('agent.db'))).toBe(true);
  for (const text of [...texts, ...stored.map((file) => readFileSync(file, 'latin1'))]) {
    expect(text.includes(KEY)).toBe(false);
    expect(text.includes('\u001b[31m')).toBe(false);
  }
  for (const text of [...texts.slice(0, 5), ...stored.map((file) => readFileSync(file, 'latin1'))])
    expect(text.includes(OTHER)).toBe(false);
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}
