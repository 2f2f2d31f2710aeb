// `xz` without a command: the screen at a terminal, else all of stdin as one prompt.
import type { RunCommand } from './table/command.ts';

export const runRoot: RunCommand = async (app, call) => {
  if (call.options.daemon === true) return (await import('./daemon/run.ts')).runDaemon(app, { all: call.options.all === true });
  const { runOnce } = await import('./commands/once/run.ts');
  return runOnce(app, call);
};
