// `xz auth`: the login in use.
import type { CommandSpec } from '../table/command.ts';

export const authCommand: CommandSpec = {
  name: 'auth',
  help: (t) => t.auth.help,
  commands: [{ name: 'check', help: (t) => t.auth.check, load: async () => (await import('./auth/check.ts')).runAuthCheck }],
};
