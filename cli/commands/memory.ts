// `xz memory`: what the workspace knows, found and read.
import type { ArgumentSpec, CommandSpec, OptionSpec } from '../table/command.ts';

const limit: OptionSpec = { flags: '-l, --limit <n>', help: (t) => t.memory.limit, shownDefault: '10' };
const page: OptionSpec = { flags: '-p, --page <n>', help: (t) => t.memory.page, shownDefault: '1' };

/** Of the short lists, which are shown whole by default. */
const pages: readonly OptionSpec[] = [{ ...limit, shownDefault: '0' }, page];

const search: CommandSpec = {
  name: 'search',
  help: (t) => t.memory.search,
  arguments: [{ name: 'query', required: true, help: (t) => t.memory.query }],
  options: [
    limit,
    page,
    { flags: '--semantic', help: (t) => t.memory.semantic },
    { flags: '--keyword', help: (t) => t.memory.keyword },
    { flags: '--date <date>', help: (t) => t.memory.date },
    { flags: '--tag <tag>', help: (t) => t.memory.tag },
  ],
  load: async () => (await import('./memory/search.ts')).runMemorySearch,
};

const get: CommandSpec = {
  name: 'get',
  help: (t) => t.memory.get,
  arguments: [{ name: 'file', required: true, help: (t) => t.memory.file }],
  options: [
    { flags: '-s, --start-line <n>', help: (t) => t.memory.startLine },
    { flags: '-e, --end-line <n>', help: (t) => t.memory.endLine },
  ],
  load: async () => (await import('./memory/get.ts')).runMemoryGet,
};

const list: CommandSpec = {
  name: 'list',
  help: (t) => t.memory.list,
  options: [limit, page, { flags: '--date <date>', help: (t) => t.memory.date }],
  load: async () => (await import('./memory/list.ts')).runMemoryList,
};

const topic = { name: 'topic', help: (t) => t.memory.topic } as const satisfies Omit<ArgumentSpec, 'required'>;

const show: CommandSpec = {
  name: 'show',
  help: (t) => t.memory.show,
  arguments: [{ ...topic, required: false }],
  options: pages,
  load: async () => (await import('./memory/topics.ts')).runMemoryShow,
};

const forget: CommandSpec = {
  name: 'forget',
  help: (t) => t.memory.forget,
  arguments: [{ ...topic, required: true }],
  load: async () => (await import('./memory/topics.ts')).runMemoryForget,
};

const organize: CommandSpec = {
  name: 'organize',
  help: (t) => t.memory.organize,
  load: async () => (await import('./memory/organize.ts')).runMemoryOrganize,
};

const resolve: CommandSpec = {
  name: 'resolve',
  help: (t) => t.memory.resolve,
  arguments: [{ name: 'id', required: false, help: (t) => t.memory.conflictId }],
  options: [...pages, { flags: '--keep <which>', help: (t) => t.memory.keep, choices: ['new', 'old', 'merge'] }],
  load: async () => (await import('./memory/resolve.ts')).runMemoryResolve,
};

const undo: CommandSpec = {
  name: 'undo',
  help: (t) => t.memory.undo,
  load: async () => (await import('./memory/topics.ts')).runMemoryUndo,
};

export const memoryCommand: CommandSpec = {
  name: 'memory',
  help: (t) => t.memory.help,
  commands: [search, get, list, show, forget, organize, resolve, undo],
};
