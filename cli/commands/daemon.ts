// `xz daemon`: the service around `xz --daemon --all`.
import type { CommandSpec } from '../table/command.ts';

export const daemonCommand: CommandSpec = {
  name: 'daemon',
  help: (t) => t.daemon.help,
  commands: [
    { name: 'install', help: (t) => t.daemon.install, load: async () => (await import('./daemon/service.ts')).runDaemonInstall },
    { name: 'uninstall', help: (t) => t.daemon.uninstall, load: async () => (await import('./daemon/service.ts')).runDaemonUninstall },
    { name: 'status', help: (t) => t.daemon.status, load: async () => (await import('./daemon/service.ts')).runDaemonStatus },
  ],
};
