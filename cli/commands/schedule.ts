// `xz schedule`: work that starts by itself.
import type { ArgumentSpec, CommandSpec, OptionSpec } from '../table/command.ts';

const pages: readonly OptionSpec[] = [
  { flags: '-l, --limit <n>', help: (t) => t.schedule.limit, shownDefault: '0' },
  { flags: '-p, --page <n>', help: (t) => t.schedule.page, shownDefault: '1' },
];
const id: ArgumentSpec = { name: 'id', required: true, help: (t) => t.schedule.id };
const when: ArgumentSpec = { name: 'when', required: false, help: (t) => t.schedule.when };
const cron: OptionSpec = { flags: '--cron <expr>', help: (t) => t.schedule.cron };
const tz: OptionSpec = { flags: '--tz <zone>', help: (t) => t.schedule.tz };

export const scheduleCommand: CommandSpec = {
  name: 'schedule',
  help: (t) => t.schedule.help,
  commands: [
    {
      name: 'add',
      help: (t) => t.schedule.add,
      arguments: [{ name: 'description', required: true, help: (t) => t.schedule.description }, when],
      options: [
        cron,
        { flags: '--recurring <rhythm>', help: (t) => t.schedule.recurring, choices: ['daily', 'hourly', 'none'] },
        tz,
        { flags: '--timeout <seconds>', help: (t) => t.schedule.timeout },
        { flags: '--max-cost <usd>', help: (t) => t.schedule.maxCost },
        { flags: '--overlap <policy>', help: (t) => t.schedule.overlap, choices: ['queue', 'skip'], shownDefault: 'queue' },
        { flags: '--missed <policy>', help: (t) => t.schedule.missed, choices: ['run', 'skip'], shownDefault: 'run' },
      ],
      load: async () => (await import('./schedule/add.ts')).runScheduleAdd,
    },
    {
      name: 'list',
      help: (t) => t.schedule.list,
      options: pages,
      load: async () => (await import('./schedule/list.ts')).runScheduleList,
    },
    {
      name: 'remove',
      help: (t) => t.schedule.remove,
      arguments: [id],
      load: async () => (await import('./schedule/change.ts')).runScheduleRemove,
    },
    {
      name: 'enable',
      help: (t) => t.schedule.enable,
      arguments: [id],
      load: async () => (await import('./schedule/change.ts')).runScheduleEnable,
    },
    {
      name: 'disable',
      help: (t) => t.schedule.disable,
      arguments: [id],
      load: async () => (await import('./schedule/change.ts')).runScheduleDisable,
    },
    { name: 'run', help: (t) => t.schedule.run, arguments: [id], load: async () => (await import('./schedule/run.ts')).runScheduleRun },
    {
      name: 'log',
      help: (t) => t.schedule.log,
      arguments: [{ ...id, required: false }],
      options: pages,
      load: async () => (await import('./schedule/log.ts')).runScheduleLog,
    },
    {
      name: 'next',
      help: (t) => t.schedule.next,
      arguments: [when],
      options: [
        cron,
        tz,
        { flags: '--from <iso>', help: (t) => t.schedule.from },
        { flags: '--count <n>', help: (t) => t.schedule.count, shownDefault: '5' },
      ],
      load: async () => (await import('./schedule/next.ts')).runScheduleNext,
    },
  ],
};
