// `xz mail`: looking at the mail of an agent, sending to it as the person, giving a dead letter another chance.
import type { CommandSpec } from '../table/command.ts';

export const mailCommand: CommandSpec = {
  name: 'mail',
  help: (t) => t.mail.help,
  commands: [
    {
      name: 'list',
      help: (t) => t.mail.list,
      arguments: [{ name: 'agent', required: true, help: (t) => t.mail.agent }],
      options: [
        { flags: '-l, --limit <n>', help: (t) => t.mail.limit, shownDefault: '0' },
        { flags: '-p, --page <n>', help: (t) => t.mail.page, shownDefault: '1' },
      ],
      load: async () => (await import('./mail/list.ts')).runMailList,
    },
    {
      name: 'show',
      help: (t) => t.mail.show,
      arguments: [{ name: 'id', required: true, help: (t) => t.mail.id }],
      load: async () => (await import('./mail/show.ts')).runMailShow,
    },
    {
      name: 'send',
      help: (t) => t.mail.send,
      arguments: [
        { name: 'agent', required: true, help: (t) => t.mail.agent },
        { name: 'text', required: true, help: (t) => t.mail.text },
      ],
      options: [{ flags: '--type <type>', help: (t) => t.mail.type, choices: ['notice', 'task', 'review'], shownDefault: 'notice' }],
      load: async () => (await import('./mail/send.ts')).runMailSend,
    },
    {
      name: 'requeue',
      help: (t) => t.mail.requeue,
      arguments: [{ name: 'id', required: true, help: (t) => t.mail.id }],
      load: async () => (await import('./mail/requeue.ts')).runMailRequeue,
    },
  ],
};
