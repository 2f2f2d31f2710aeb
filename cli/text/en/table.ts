import type { ErrorFacts } from '../../../store/errors.ts';
import type { SaidError } from '../errors.ts';

const didYouMean = (suggestion: string | undefined) => (suggestion ? `\nhint: did you mean ${suggestion}?` : '\nhint: see xz --help');

export const tableText = {
  about: 'A terminal agent that works like a small team. Without a command: the full screen.',
  footer:
    "Without a terminal, all of stdin is one prompt. A compressor's options and files go to the next xz on the PATH.\nFirst steps: xz config setup · a look without a key: xz --demo (in a clone: npm run demo)",
  help: 'show help',
  version: 'print the version',
  helpCommand: 'help on a command',
  workspace: 'work in this folder',
  provider: 'kimi, openai, anthropic, custom, …',
  model: 'model to use',
  baseUrl: "the provider's address",
  apiKey: "the provider's key",
  useOauth: 'use the Kimi login of this machine',
  mode: 'what may happen without asking',
  team: 'switch the team on for this run',
  lang: 'language',
  noColor: 'no colour',
  json: 'print JSON',
  resume: 'go on with a session (the latest, or the one named)',
  repl: 'a plain prompt instead of the full screen',
  tui: 'the full screen (the default)',
  demo: 'play the offline demo',
  daemon: 'run the schedule without a screen',
  daemonAll: 'with --daemon: all workspaces',
  choices: (quoted: readonly string[]) => `choices: ${quoted.join(', ')}`,
  titles: {
    'Usage:': 'Usage:',
    'Arguments:': 'Arguments:',
    'Options:': 'Options:',
    'Commands:': 'Commands:',
    'Global Options:': 'Global options:',
  },
  unknownCommand: (name: string, suggestion?: string) => `xz: no command "${name}"${didYouMean(suggestion)}`,
  unknownOption: (name: string, suggestion?: string) => `xz: no option ${name}${didYouMean(suggestion)}`,
  missingArgument: (name: string) => `xz: ${name} is missing\nhint: see xz --help`,
  missingValue: (name: string) => `xz: ${name} needs a value\nhint: see xz --help`,
  badChoice: (name: string, value: string, choices: string, suggestion?: string) =>
    `xz: ${name} cannot be "${value}": it is one of ${choices}${suggestion ? `\nhint: did you mean ${suggestion}?` : '\nhint: see xz --help'}`,
  tooManyWords: (command: string, expected: number, got: number) =>
    `xz: ${command} takes ${expected === 1 ? 'one word' : `${expected} words`}, and ${got} were given\nhint: ${expected === 0 ? `see xz ${command} --help` : 'put a text of several words in quotes'}`,
  wrongUse: (what: string) => `xz: ${what}\nhint: see xz --help`,
};

export const besideText = {
  fileAtTerminal: (file: string, compressor: string | undefined) =>
    `xz: "${file}" is no command of this xz; nothing was done\nhint: to compress it (the original is deleted then): ${compressor ?? 'install xz-utils; then'} ${compressor ? JSON.stringify(file) : 'xz'}`,
  noCompressor:
    'xz: this looks like a call of the compressor, and there is no other xz on the PATH\nhint: install xz-utils, or see xz --help',
};

export const errorsText = {
  /** The message is English already. */
  say: ({ text, hint }: ErrorFacts): SaidError => ({ text, hint }),
  /** What stores, the team and threads tell in sentences of their own. */
  told: (text: string) => text,
  diskFull: 'free some space, then try again; nothing was half-written',
  outputLost: (errno: string) => `the output could not be written (${errno}): what was printed is not complete`,
  outputLostHint: 'free some space or send the output elsewhere, then try again',
  folderGone: 'the folder this was started in is gone, or may not be entered',
  folderGoneHint: 'change into a folder that is there: cd',
  notWritable: 'check the owner and mode of that path',
};
