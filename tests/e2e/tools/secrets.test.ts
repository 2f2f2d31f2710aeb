// No secret of the person reaches the model or the disk, whatever a command prints (G6): the whole way through `xz once`.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { inOrder, modelEnv, startModelServer } from '../../helpers/model-server.ts';
import { runXz } from '../../helpers/run.ts';
import { tempWorkspace } from '../../helpers/temp.ts';

test('values from the environment, the settings and the Kimi login are masked everywhere', async () => {
  const ws = tempWorkspace();
  const put = (file: string, text: string) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
  };
  put(join(ws.home, '.xz/config.toml'), '[web]\ntavily_api_key = "tvly-fake-in-file-01"\n');
  put(
    join(ws.home, '.kimi/credentials/kimi-code.json'),
    '{"access_token":"fake-access-token-02","refresh_token":"fake-refresh-token-03","expires_at":99999999999}',
  );
  const secrets = ['tvly-fake-in-file-01', 'fake-access-token-02', 'fake-refresh-token-03', 'sk-fake-openai-04', 'ghp-fake-github-05'];
  const server = await startModelServer(
    inOrder(
      {
        calls: [
          { name: 'bash', args: { command: 'env; cat ~/.xz/config.toml; cat ~/.kimi/credentials/kimi-code.json' } },
          { name: 'read_file', args: { path: '../home/.kimi/credentials/kimi-code.json' } },
          { name: 'bash', args: { command: 'cat /proc/$PPID/environ /proc/$(ps -o ppid= -p $PPID | tr -d " ")/environ | tr "\\0" "\\n"' } },
        ],
      },
      { text: 'done' },
    ),
  );
  const env = { ...modelEnv(server), OPENAI_API_KEY: 'sk-fake-openai-04', GITHUB_TOKEN: 'ghp-fake-github-05' };
  const run = await runXz(ws, ['once', 'look around', '--yes', '--json'], { env });
  await server.stop();
  expect(run.code).toBe(0);
  const sent = JSON.stringify(server.requests.map((request) => request.body));
  expect(sent).toContain('access_token');
  expect(sent).toContain('[secret]');
  const stored = filesBelow(join(ws.dir, '.agents')).map((file) => readFileSync(file, 'latin1'));
  for (const secret of secrets) {
    expect(sent, secret).not.toContain(secret);
    for (const text of [...stored, run.out, run.err]) expect(text.includes(secret), secret).toBe(false);
  }
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
}
