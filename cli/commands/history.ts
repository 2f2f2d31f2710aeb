// `xz history`: what was said, found and read again.
import type { CommandSpec, OptionSpec } from '../table/command.ts';

const limit = (shownDefault: string): OptionSpec => ({ flags: '-l, --limit <n>', help: (t) => t.history.limit, shownDefault });
const page: OptionSpec = { flags: '-p, --page <n>', help: (t) => t.history.page, shownDefault: '1' };

export const historyCommand: CommandSpec = {
  name: 'history',
  help: (t) => t.history.help,
  commands: [
    {
      name: 'search',
      help: (t) => t.history.search,
      arguments: [{ name: 'query', required: true, help: (t) => t.history.query }],
      options: [
        limit('10'),
        page,
        { flags: '--session <id>', help: (t) => t.history.inSession },
        { flags: '--date-from <date>', help: (t) => t.history.dateFrom },
        { flags: '--date-to <date>', help: (t) => t.history.dateTo },
        { flags: '--semantic', help: (t) => t.history.semantic },
        { flags: '--keyword', help: (t) => t.history.keyword },
      ],
      load: async () => (await import('./history/search.ts')).runHistorySearch,
    },
    {
      name: 'session',
      help: (t) => t.history.session,
      arguments: [{ name: 'id', required: true, help: (t) => t.history.id }],
      options: [limit('20'), { flags: '-o, --offset <n>', help: (t) => t.history.offset, shownDefault: '0' }],
      load: async () => (await import('./history/session.ts')).runHistorySession,
    },
    {
      name: 'list',
      help: (t) => t.history.list,
      options: [limit('10'), page, { flags: '--all', help: (t) => t.history.all }],
      load: async () => (await import('./history/list.ts')).runHistoryList,
    },
    {
      name: 'export',
      help: (t) => t.history.export,
      arguments: [{ name: 'id', required: true, help: (t) => t.history.id }],
      load: async () => (await import('./history/export.ts')).runHistoryExport,
    },
  ],
};
