export const skillText = {
  help: 'instructions for kinds of work (SKILL.md)',
  list: 'list all skills, also hidden and broken ones',
  create: 'start a new skill in .agents/skills',
  reload: 'read all skills anew and say what was found',
  check: 'say what is wrong with skills; exit 1 if one is broken',
  limit: 'how many at once; 0 for all',
  page: 'which page',
  name: 'letters, digits, - _ . (the folder and /name)',
  checkName: 'only this one',
  fromTemplate: 'a fuller one: steps, arguments, further files',
  columns: ['Name', 'Source', 'Status', 'Description'] as readonly string[],
  isCommand: (name: string) => `/${name} is a command of xz; the model can still use the skill. Rename it to call it yourself`,
  statusNames: { ok: 'ok', shadowed: 'shadowed', broken: 'broken' },
  unknown: (name: string) => `no skill "${name}"`,
  seeList: 'see xz skill list',
  counted: (all: number, broken: number) => `${all} skills, ${broken} broken`,
  loaded: (count: number) => `${count} skills in force; a running xz notices changes by itself`,
  badName: (name: string) => `"${name}" cannot be the name of a skill`,
  nameHint: 'up to 64 letters, digits, "-", "_" or ".", beginning with a letter or digit',
  exists: (path: string) => `${path} is there already; nothing was changed`,
  existsHint: 'edit it, or choose another name',
  created: (path: string) => `made ${path}`,
  hides: (source: string) => `note: it now hides the skill of that name in ${source}`,
  skeleton: (name: string) => `---
name: ${name}
description: What this skill does, and when to use it.
---
Write here what to do, step by step.
`,
  template: (name: string) => `---
name: ${name}
description: What this skill does in one sentence. Use it when … (name the words and situations that call for it).
argument-hint: <what it takes>
# Uncomment to let only a person call it, as /${name}:
# disable-model-invocation: true
---
# ${name}

Asked for: $ARGUMENTS

## Steps

1. Look before you act: which files, which state.
2. Do the work. Name the exact commands, such as \`npm test\`.
3. Check it, and say what you saw.

## Further files

Put scripts in \`scripts/\` and longer material in \`references/\` beside this file, and say here when each is needed. They
are read only then.

## When it does not work

Say what was tried and what is missing, and stop.
`,
};
