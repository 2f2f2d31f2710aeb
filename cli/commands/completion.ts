// `xz completion`: a script made from the command table.
import type { CommandSpec } from '../table/command.ts';

export const completionCommand: CommandSpec = {
  name: 'completion',
  help: (t) => t.completion.help,
  arguments: [{ name: 'shell', required: true, help: (t) => t.completion.shell, choices: ['bash', 'zsh', 'fish'] }],
  load: async () => (await import('./completion/run.ts')).runCompletion,
};
