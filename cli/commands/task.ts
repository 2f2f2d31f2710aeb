// `xz task`: the shared task graph from the command line.
import type { CommandSpec } from '../table/command.ts';

const STATES = ['pending', 'in_progress', 'completed', 'failed'] as const;
const PRIORITIES = ['high', 'normal', 'low'] as const;

export const taskCommand: CommandSpec = {
  name: 'task',
  help: (t) => t.task.help,
  commands: [
    {
      name: 'list',
      help: (t) => t.task.list,
      options: [
        { flags: '--all', help: (t) => t.task.all },
        { flags: '--state <state>', help: (t) => t.task.state, choices: STATES },
        { flags: '--assignee <name>', help: (t) => t.task.assignee },
        { flags: '--ready', help: (t) => t.task.ready },
        { flags: '-l, --limit <n>', help: (t) => t.task.limit, shownDefault: '0' },
        { flags: '-p, --page <n>', help: (t) => t.task.page, shownDefault: '1' },
      ],
      load: async () => (await import('./task/list.ts')).runTaskList,
    },
    {
      name: 'show',
      help: (t) => t.task.show,
      arguments: [{ name: 'id', required: true, help: (t) => t.task.id }],
      load: async () => (await import('./task/show.ts')).runTaskShow,
    },
    {
      name: 'create',
      help: (t) => t.task.create,
      arguments: [{ name: 'title', required: true, help: (t) => t.task.title }],
      options: [
        { flags: '--description <text>', help: (t) => t.task.description },
        { flags: '--priority <priority>', help: (t) => t.task.priority, choices: PRIORITIES, shownDefault: 'normal' },
        { flags: '--blocked-by <ids>', help: (t) => t.task.blockedBy },
      ],
      load: async () => (await import('./task/create.ts')).runTaskCreate,
    },
    {
      name: 'update',
      help: (t) => t.task.update,
      arguments: [
        { name: 'id', required: true, help: (t) => t.task.id },
        { name: 'value', required: false, help: (t) => t.task.value },
      ],
      options: [
        { flags: '--state <state>', help: (t) => t.task.newState },
        { flags: '--priority <priority>', help: (t) => t.task.priority },
        { flags: '--blocked-by <ids>', help: (t) => t.task.newBlockedBy },
        { flags: '--title <text>', help: (t) => t.task.newTitle },
        { flags: '--description <text>', help: (t) => t.task.description },
        { flags: '--note <text>', help: (t) => t.task.note },
        { flags: '--force', help: (t) => t.task.force },
      ],
      load: async () => (await import('./task/update.ts')).runTaskUpdate,
    },
    {
      name: 'archive',
      help: (t) => t.task.archive,
      arguments: [{ name: 'root', required: true, help: (t) => t.task.root }],
      load: async () => (await import('./task/archive.ts')).runTaskArchive,
    },
    {
      name: 'clear',
      help: (t) => t.task.clear,
      options: [
        { flags: '--yes', help: (t) => t.task.yes },
        { flags: '--force', help: (t) => t.task.forceClear },
      ],
      load: async () => (await import('./task/clear.ts')).runTaskClear,
    },
    {
      name: 'graph',
      help: (t) => t.task.graph,
      options: [{ flags: '--format <format>', help: (t) => t.task.format, choices: ['tree', 'mermaid', 'dot'], shownDefault: 'tree' }],
      load: async () => (await import('./task/graph.ts')).runTaskGraph,
    },
    {
      name: 'watch',
      help: (t) => t.task.watch,
      load: async () => (await import('./task/watch.ts')).runTaskWatch,
    },
  ],
};
