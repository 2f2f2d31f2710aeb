// `xz team`: who is there, what happened, and acting on teammates' work without a screen.
import type { CommandSpec } from '../table/command.ts';

const name = { name: 'name', required: true, help: (t) => t.team.name } satisfies NonNullable<CommandSpec['arguments']>[number];

export const teamCommand: CommandSpec = {
  name: 'team',
  help: (t) => t.team.help,
  commands: [
    { name: 'status', help: (t) => t.team.status, load: async () => (await import('./team/status.ts')).runTeamStatus },
    {
      name: 'log',
      help: (t) => t.team.log,
      options: [
        { flags: '-l, --limit <n>', help: (t) => t.team.limit, shownDefault: '0' },
        { flags: '-p, --page <n>', help: (t) => t.team.page, shownDefault: '1' },
      ],
      load: async () => (await import('./team/log.ts')).runTeamLog,
    },
    { name: 'merge', help: (t) => t.team.merge, arguments: [name], load: async () => (await import('./team/act.ts')).runTeamMerge },
    { name: 'release', help: (t) => t.team.release, arguments: [name], load: async () => (await import('./team/act.ts')).runTeamRelease },
    { name: 'init', help: (t) => t.team.init, load: async () => (await import('./team/init.ts')).runTeamInit },
  ],
};
