export const configText = {
  help: 'settings: each value and where it comes from',
  set: 'change one setting (without a key: asks)',
  key: 'a key such as ui.theme',
  value: 'its new value; a list as ["a", "b"] or separated by commas',
  provider: 'choose the provider',
  providerName: 'kimi, openai, anthropic, custom, …',
  model: 'choose the model',
  modelName: "the model's id",
  verify: 'one real request: time to first token, tool call, embedding',
  trust: 'trust a folder: its .env, scripts and gate may run',
  trustDir: 'the folder (default: the workspace)',
  trustEnv: 'also approve the lines of its .env that set keys, addresses, the mode or the team',
  setup: 'the first-time wizard',
  reset: 'run it again',
  envIgnored: (names: string) =>
    `.env: not used without your approval: ${names} (they decide where requests go, who pays, or what runs unasked; approve with \`xz config trust --env\`)`,
  noFile: 'not there yet: defaults',
  inForce: (model: string, provider: string, url: string, auth: string) => `model in force: ${model} (${provider}) at ${url}, ${auth}`,
  authKinds: {
    key: (from: string) => `key from ${from}`,
    login: "with this machine's Kimi login",
    none: 'without a key',
  },
  origins: { default: 'default', dotenv: (name: string) => `${name} in .env` },
  saved: (key: string, value: string, path: string) => `${key} = ${value}   (${path})`,
  unchanged: (key: string, value: string, path: string) => `${key} is ${value} already   (${path})`,
  alsoRemoved: (key: string) => `${key} removed: it belonged to the other provider`,
  alsoSet: (key: string, value: string) => `${key} = ${value}`,
  overridden: (key: string, by: string) => `${by} is set and wins over ${key} in the file`,
  unknownProvider: (name: string) => `"${name}" is no provider xz knows; nothing was changed`,
  unknownProviderHint: (known: string) => `one of ${known}; any other: custom, with its address in model.base_url`,
  notByAgent: (what: string) => `${what} is not changed by a command that an agent runs`,
  notByAgentHint: 'let the person run this in a terminal',
  trusted: (path: string) => `trusted: ${path}`,
  envApproved: (names: string) => `.env may set: ${names} (until one of these lines changes)`,
  envNotApproved: (names: string) => `.env may not set: ${names} (approve with \`xz config trust --env\`)`,
  askEnv: (names: string) => `Its .env sets ${names}: where requests go, who pays, or what runs unasked. Let it?`,
  asking: (model: string, url: string) => `asking ${model} at ${url}`,
  answered: (first: number, total: number) => `✓ it answers: first token after ${first} ms, done after ${total} ms`,
  toolCalled: '✓ it calls tools',
  toolNotCalled: '! it did not make the tool call it was asked for: as an agent it may be of little use',
  embeddingBuiltIn: '✓ embeddings: the built-in one (no endpoint is configured)',
  embeddingOk: (model: string, width: number) => `✓ embeddings: ${model}, ${width} dimensions`,
  setupDone: (path: string) => `set up already (${path}); \`xz config setup --reset\` runs the wizard again`,
};

export const authText = {
  help: 'the key or login in use',
  check: 'where it is, how long it lasts, how to log in again',
  key: (provider: string, secret: string, from: string) => `${provider}: key ${secret} from ${from}`,
  noneNeeded: (provider: string) => `${provider}: no key is sent`,
  loginUnused: 'a Kimi login is on this machine too; `--use-oauth`, or auth.type = "oauth", uses it',
  login: (path: string) => `Kimi login: ${path}`,
  expires: (at: string, left: string) => `expires ${at}, in ${left}`,
  expired: (at: string) => `expired ${at}`,
  expiryUnknown: 'the file does not say when it expires; a refusal renews it',
  renewable: 'it is renewed by itself',
  notRenewable: 'it cannot be renewed (no refresh token)',
  logIn: (command: string) => `log in again with: ${command}`,
  duration: (seconds: number) => {
    if (seconds < 120) return `${seconds} s`;
    if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
    return seconds < 172_800
      ? `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
      : `${Math.floor(seconds / 86_400)} days`;
  },
};
