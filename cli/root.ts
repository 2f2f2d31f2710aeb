// `xz` without a command: the screen at a terminal, else all of stdin as one prompt.
import type { RunCommand } from './table/command.ts';

export const runRoot: RunCommand = async (app, call) => {
  if (call.options.daemon === true) return (await import('./daemon/run.ts')).runDaemon(app, { all: call.options.all === true });
  const atTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  if (call.options.demo === true && (!atTerminal || call.options.repl === true)) return (await import('./demo/plain.ts')).runPlainDemo(app);
  if (call.options.demo === true) return (await import('./demo/screen.ts')).runScreenDemo(app, call);
  // Lines from a pipe are a conversation of their own when the REPL is asked for by name.
  if (atTerminal || call.options.repl === true) return (await import('./talk.ts')).runTalk(app, call);
  const { runOnce } = await import('./commands/once/run.ts');
  return runOnce(app, call);
};
