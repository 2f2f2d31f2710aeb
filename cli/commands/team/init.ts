// `xz team init`: writes `.worktrees/setup.toml` from the example that the package brings. Never over an existing one.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { XzError } from '../../../store/errors.ts';
import { createFileExclusive, readText } from '../../../store/files.ts';
import { ensureStore } from '../../../store/layout.ts';
import type { RunCommand } from '../../table/command.ts';

export const runTeamInit: RunCommand = async (app) => {
  const { print, text } = app;
  const layout = app.layout();
  const here = dirname(fileURLToPath(import.meta.url));
  const example = readText(join(here, '..', '.worktrees.example', 'setup.toml'));
  if (example === undefined) throw new XzError('internal', 'the package lacks .worktrees.example/setup.toml', { hint: 'install xz again' });
  app.processName();
  ensureStore(layout, 'worktrees');
  if (!createFileExclusive(layout.worktreeSetup, example)) {
    throw new XzError('conflict', text.team.setupThere(layout.worktreeSetup), { hint: text.team.setupThereHint });
  }
  if (print.json) print.value({ path: layout.worktreeSetup });
  else print.line(text.team.setupWritten(layout.worktreeSetup));
  return 0;
};
