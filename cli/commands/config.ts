// `xz config`: what is set, where it comes from, and changing it.
import type { CommandSpec } from '../table/command.ts';

export const configCommand: CommandSpec = {
  name: 'config',
  help: (t) => t.config.help,
  load: async () => (await import('./config/show.ts')).runConfigShow,
  commands: [
    {
      name: 'set',
      help: (t) => t.config.set,
      arguments: [
        { name: 'key', required: false, help: (t) => t.config.key },
        { name: 'value', required: false, help: (t) => t.config.value },
      ],
      load: async () => (await import('./config/change.ts')).runConfigSet,
    },
    {
      name: 'provider',
      help: (t) => t.config.provider,
      arguments: [{ name: 'provider', required: true, help: (t) => t.config.providerName }],
      load: async () => (await import('./config/change.ts')).runConfigProvider,
    },
    {
      name: 'model',
      help: (t) => t.config.model,
      arguments: [{ name: 'model', required: true, help: (t) => t.config.modelName }],
      load: async () => (await import('./config/change.ts')).runConfigModel,
    },
    {
      name: 'verify',
      help: (t) => t.config.verify,
      load: async () => (await import('./config/verify.ts')).runConfigVerify,
    },
    {
      name: 'trust',
      help: (t) => t.config.trust,
      arguments: [{ name: 'dir', required: false, help: (t) => t.config.trustDir }],
      options: [{ flags: '--env', help: (t) => t.config.trustEnv }],
      load: async () => (await import('./config/trust.ts')).runConfigTrust,
    },
    {
      name: 'setup',
      help: (t) => t.config.setup,
      options: [{ flags: '--reset', help: (t) => t.config.reset }],
      load: async () => (await import('./config/setup.ts')).runConfigSetup,
    },
  ],
};
