export const setupText = {
  title: 'xz · first steps',
  typeToSearch: 'type to search',
  yes: 'Yes',
  no: 'No',
  chooseProvider: 'Which model should xz work with?',
  providers: {
    kimi: { label: 'Kimi Code (recommended)', needs: 'kimi-for-coding, 256K context; a Kimi login or a key' },
    openai: { label: 'OpenAI', needs: 'an API key' },
    anthropic: { label: 'Anthropic (Claude)', needs: 'an API key, or the token Claude Code uses' },
    custom: { label: 'Custom, OpenAI-compatible', needs: 'base URL, key, model' },
  },
  foundLogin: 'a login was found on this machine',
  foundVariable: (name: string) => `${name} is set`,
  askAddress: 'Base URL',
  notAnAddress: 'an http:// or https:// address, please',
  kimiHow: 'How do you log in to Kimi?',
  kimiLogin: "This machine's Kimi login",
  kimiLoginHow: 'none found yet: `kimi login` makes one',
  kimiKeyWhere: 'from the Kimi Code console',
  kimiLoginSteps: 'In another terminal run:\n\n  kimi login\n\nxz reads ~/.kimi/credentials and ~/.kimi-code/credentials.',
  whenLoggedIn: 'Press Enter when you are logged in',
  stillNoLogin: 'No login found in ~/.kimi/credentials or ~/.kimi-code/credentials yet.',
  keyHow: 'Which key?',
  useVariable: (name: string) => `Use ${name} from the environment`,
  variableHint: 'nothing is stored',
  typeKey: 'Type an API key',
  noKey: 'No key',
  noKeyHint: 'the server asks for none',
  askKey: 'API key (not shown)',
  notAKey: 'a key is printable ASCII without blanks',
  listing: 'Asking which models there are',
  listed: (count: number) => `${count} models`,
  notListed: (why: string) => `The endpoint does not list its models (${why})`,
  recommended: 'recommended',
  chooseModel: 'Which model?',
  otherModel: 'another one…',
  askModel: 'Model id',
  notAModel: 'a model id, please',
  testing: (model: string) => `One real request to ${model}`,
  tested: (ms: number) => `It answers: first token after ${ms} ms.`,
  noToolCall: 'It made no tool call, though; as an agent it may be of little use.',
  testFailed: 'The request failed. What now?',
  failedChoices: { again: 'Try again', change: 'Change my answers', keep: 'Save them anyway' },
  askIdentity: (names: string) => `Make ${names} in .agents/? They tell xz who it is, who you are, and what to remember.`,
  identityMade: (paths: string) => `Made:\n${paths}`,
  identityStarted: (names: string) =>
    `Made ${names} in .agents/: who xz is, who you are, what to remember. Write in them what you like; they are read at each session's start.`,
  identityFailed: (why: string) => `The files about you and xz in .agents/ could not be made: ${why}`,
  saved: 'Saved',
  savedNote: (path: string, provider: string, model: string) =>
    `${provider} · ${model}\n${path}\nonly you can read it; \`xz config\` shows every setting`,
  overridden: (names: string) => `${names} in your environment win over what was saved.`,
  pressEnter: 'Press Enter to start',
  ready: 'Ready.',
  later: 'All is set up; `xz` starts it.',
  cancelled: 'Nothing was saved. `xz config setup` starts again.',
  chooseSetting: 'Which setting?',
  newValue: (key: string, expects: string) => `${key}: ${expects}`,
  identity: {
    'SOUL.md': `# Soul

How this agent should be. xz reads this file at the start of each session; change it as you like.

- Say what is so, shortly; name what you do not know.
- Look before changing; change as little as the task needs; show that it works.
- Ask when a choice is the person's to make.
`,
    'USER.md': `# User

Who you work with. Fill in what helps; delete what does not.

- Name:
- Language:
- Work:
- Likes and dislikes in code and in answers:
`,
    'MEMORY.md': `# Memory

What should be known in every session: decisions, conventions, where things are. Keep it short; daily notes are in \`memory/\`.
`,
  },
};
