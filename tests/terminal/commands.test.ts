// Commands at a real terminal: what they print cannot steer it.
import { expect, test } from 'vitest';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { MAIN } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';
import { HAS_TMUX, startTmux } from '../helpers/tmux.ts';

test.skipIf(!HAS_TMUX)('a reply cannot clear the screen or set the title', async () => {
  const ws = tempWorkspace();
  const server = await startModelServer(() => ({ text: 'one\u001b[2J\u001b[H\u001b]0;stolen\u0007\u001b[31m two' }));
  const env = { ...ws.env, ...modelEnv(server) };
  const terminal = startTmux(`echo before; '${process.execPath}' '${MAIN}' once hi; echo after; sleep 60`, { cwd: ws.dir, env });
  try {
    await terminal.shows('after');
    expect(terminal.screen().trimEnd()).toBe('before\none two\nafter');
    expect(terminal.ask('#{pane_title}')).not.toContain('stolen');
    expect(terminal.painted()).not.toContain('\u001b[31m');
  } finally {
    terminal.close();
  }
});
