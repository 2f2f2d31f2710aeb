// `xz once`: one request to its end.
import type { CommandSpec } from '../table/command.ts';

export const onceCommand: CommandSpec = {
  name: 'once',
  help: (t) => t.once.help,
  arguments: [{ name: 'prompt', required: false, help: (t) => t.once.prompt }],
  options: [
    { flags: '--resume', help: (t) => t.once.resume },
    { flags: '--session <id>', help: (t) => t.once.session },
    { flags: '--stream-json', help: (t) => t.once.streamJson },
    { flags: '--yes', help: (t) => t.once.yes },
    { flags: '--timeout <seconds>', help: (t) => t.once.timeout },
    { flags: '--max-cost <usd>', help: (t) => t.once.maxCost },
    { flags: '--max-rounds <n>', help: (t) => t.once.maxRounds },
  ],
  load: async () => (await import('./once/run.ts')).runOnce,
};
