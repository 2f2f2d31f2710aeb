// The files about xz and the person, made at the first start in a trusted folder where somebody sees it said.
import { rmSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { modelEnv, sentText, startModelServer } from '../helpers/model-server.ts';
import { MAIN, runXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';
import { HAS_TMUX, startTmux } from '../helpers/tmux.ts';
import { until } from '../helpers/until.ts';

const FILES = ['SOUL.md', 'USER.md', 'MEMORY.md'].map((name) => `.agents/${name}`);

describe.skipIf(!HAS_TMUX)('an interactive start', () => {
  test('makes the identity files once, in a trusted folder only, and uses them', async () => {
    const server = await startModelServer(() => ({ text: 'the answer' }));
    const ws = tempWorkspace();
    const env = modelEnv(server);
    const start = (args = '--repl') => {
      const terminal = startTmux(`'${process.execPath}' '${MAIN}' ${args}; sleep 600`, { cwd: ws.dir, env: { ...ws.env, ...env } });
      onTestFinished(() => terminal.close());
      return terminal;
    };
    const there = () => FILES.filter(ws.has);
    const talk = async (args?: string): Promise<string> => {
      const terminal = start(args);
      await terminal.shows(/^ ?>/m);
      terminal.type('hello');
      terminal.keys('Enter');
      await terminal.shows('the answer');
      const shown = terminal.history();
      terminal.close();
      return shown;
    };
    expect(await talk()).not.toContain('Made SOUL.md');
    expect(there()).toEqual([]);

    await runXz(ws, ['config', 'trust']);
    await runXz(ws, ['once', 'hello'], { env });
    await runXz(ws, ['--repl'], { env, input: 'hello\n' });
    expect(there()).toEqual([]);

    expect(await talk()).toContain('Made SOUL.md, USER.md, MEMORY.md in .agents/');
    expect(there()).toEqual(FILES);
    expect(sentText(server.requests.at(-1)?.body.messages[0])).toContain('## Who you are (SOUL.md)');
    ws.write('.agents/SOUL.md', 'I am a pirate.');
    rmSync(ws.path('.agents/USER.md'));
    expect(await talk('')).not.toContain('Made ');
    expect([ws.has('.agents/USER.md'), ws.read('.agents/SOUL.md')]).toEqual([false, 'I am a pirate.']);
    for (const file of FILES) rmSync(ws.path(file), { force: true });
    await talk();
    expect(there()).toEqual([]);
    await until(() => server.inFlight() === 0);
  });
});
