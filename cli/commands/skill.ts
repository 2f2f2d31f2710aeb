// `xz skill`: what skills there are, what is wrong with them, and a start for a new one.
import type { CommandSpec } from '../table/command.ts';

const list: CommandSpec = {
  name: 'list',
  help: (t) => t.skill.list,
  options: [
    { flags: '-l, --limit <n>', help: (t) => t.skill.limit, shownDefault: '0' },
    { flags: '-p, --page <n>', help: (t) => t.skill.page, shownDefault: '1' },
  ],
  load: async () => (await import('./skill/list.ts')).runSkillList,
};

const create: CommandSpec = {
  name: 'create',
  help: (t) => t.skill.create,
  arguments: [{ name: 'name', required: true, help: (t) => t.skill.name }],
  options: [{ flags: '--from-template', help: (t) => t.skill.fromTemplate }],
  load: async () => (await import('./skill/create.ts')).runSkillCreate,
};

const reload: CommandSpec = {
  name: 'reload',
  help: (t) => t.skill.reload,
  load: async () => (await import('./skill/check.ts')).runSkillReload,
};

const check: CommandSpec = {
  name: 'check',
  help: (t) => t.skill.check,
  arguments: [{ name: 'name', required: false, help: (t) => t.skill.checkName }],
  load: async () => (await import('./skill/check.ts')).runSkillCheck,
};

export const skillCommand: CommandSpec = { name: 'skill', help: (t) => t.skill.help, commands: [list, create, reload, check] };
