// From the command table to commander and back to a plain call: which command, its arguments, its options.
import { Argument, Command, CommanderError, Option } from 'commander';
import type { Text } from '../text/text.ts';
import { VERSION } from '../version.ts';
import type { CommandCall, CommandSpec, OptionSpec } from './command.ts';
import { commandTable, globalOptions, rootOptions } from './table.ts';

/** Of a command that has commands: the words that it takes for itself are only there to be refused by name. */
const USAGE = '[options] [command]';

export type Parsed =
  | { readonly kind: 'command'; readonly spec: CommandSpec; readonly path: string; readonly call: CommandCall }
  | { readonly kind: 'root'; readonly call: CommandCall }
  /** Help or version: `text` goes to stdout, exit 0. */
  | { readonly kind: 'shown'; readonly text: string }
  /** Wrong use: `text` goes to stderr, exit 2. */
  | { readonly kind: 'wrong'; readonly text: string };

/** Parses a command line (without node and script) against the table. */
export async function parseCommandLine(given: readonly string[], text: Text): Promise<Parsed> {
  const asked = helpAsked(given);
  if (asked !== undefined && !('words' in asked)) return { kind: 'wrong', text: text.table.unknownCommand(asked.unknown, asked.near) };
  return parseArguments(asked?.words ?? given, text);
}

/** `help task list` as `task list --help`: the parser itself looks one word deep. Undefined for any other command line. */
function helpAsked(
  args: readonly string[],
): { readonly words: readonly string[] } | { unknown: string; near: string | undefined } | undefined {
  const takesValue = (word: string | undefined) => globalOptions.some(({ flags }) => flags.includes('<') && flags.split(' ')[0] === word);
  const at = args.findIndex((word, index) => !word.startsWith('-') && !takesValue(args[index - 1]));
  if (args[at] !== 'help') return undefined;
  const path: string[] = [];
  let specs: readonly CommandSpec[] = commandTable;
  for (const word of args.slice(at + 1)) {
    if (word.startsWith('-') || word === 'help') break;
    const spec = specs.find(({ name }) => name === word);
    if (spec === undefined) return { unknown: [...path, word].join(' '), near: nearest(word, commandNames(specs)) };
    path.push(word);
    specs = spec.commands ?? [];
  }
  return { words: [...args.slice(0, at), ...path, '--help', ...args.slice(at + 1 + path.length)] };
}

async function parseArguments(args: readonly string[], text: Text): Promise<Parsed> {
  let found: Parsed | undefined;
  let shown = '';
  const program = new Command('xz');
  const prepare = (command: Command) =>
    command
      .exitOverride()
      .helpOption('-h, --help', text.table.help)
      .configureOutput({
        writeOut: (out) => {
          shown += out;
        },
        writeErr: () => {},
      })
      .configureHelp({
        styleTitle: (title) => titleIn(title, text),
        showGlobalOptions: false,
        optionDescription: (option) => described(option, text),
        argumentDescription: (argument) => described(argument, text),
      });
  prepare(program)
    .enablePositionalOptions()
    .description(text.table.about)
    .version(VERSION, '-v, --version', text.table.version)
    .helpCommand('help [command]', text.table.helpCommand)
    .addHelpText('after', `\n${text.table.footer}`)
    .usage(USAGE)
    .argument('[command...]')
    .action((words: string[]) => {
      const [unknown] = words;
      if (unknown !== undefined) {
        found = { kind: 'wrong', text: text.table.unknownCommand(unknown, nearest(unknown, commandNames(commandTable))) };
        return;
      }
      found = { kind: 'root', call: { args: {}, options: optionsOf(program.opts()) } };
    });
  for (const spec of [...rootOptions, ...globalOptions]) program.addOption(optionOf(spec, text));

  // Most of the time goes into options, and a command whose name was not given cannot be called: its name is enough then,
  // unless help shows what it takes.
  const given = new Set(args);
  const isHelp = ['-h', '--help', 'help'].some((word) => given.has(word));
  const addAll = (parent: Command, specs: readonly CommandSpec[], path: string, showsAll: boolean): void => {
    for (const spec of specs) {
      if (isHelp || showsAll || given.has(spec.name)) add(parent, spec, `${path}${spec.name}`);
      else parent.addCommand(new Command(spec.name));
    }
  };
  const add = (parent: Command, spec: CommandSpec, path: string): void => {
    const command = prepare(new Command(spec.name)).description(spec.help(text)).allowExcessArguments(false);
    for (const argument of spec.arguments ?? []) {
      const shape = new Argument(argument.required ? `<${argument.name}>` : `[${argument.name}]`, argument.help(text));
      command.addArgument(argument.choices ? shape.choices(argument.choices) : shape);
    }
    const own = new Set((spec.options ?? []).map(longName));
    for (const option of spec.options ?? []) command.addOption(optionOf(option, text));
    for (const option of globalOptions) if (!own.has(longName(option))) command.addOption(optionOf(option, text).hideHelp());
    const children = spec.commands ?? [];
    // A group called without one of its commands answers with its help.
    addAll(command, children, `${path} `, !children.some((child) => given.has(child.name)));
    if (spec.load === undefined) {
      command
        .usage(USAGE)
        .argument('[command...]')
        .action(([word]: string[]) => {
          found =
            word === undefined
              ? { kind: 'wrong', text: command.helpInformation().trimEnd() }
              : { kind: 'wrong', text: text.table.unknownCommand(`${path} ${word}`, nearest(word, commandNames(spec.commands ?? []))) };
        });
    } else {
      command.action((...values: unknown[]) => {
        const named = (spec.arguments ?? []).map((argument, i) => [argument.name, asText(values[i])] as const);
        found = { kind: 'command', spec, path, call: { args: Object.fromEntries(named), options: optionsOf(command.optsWithGlobals()) } };
      });
    }
    parent.addCommand(command);
  };
  addAll(program, commandTable, '', false);

  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'shown', text: shown };
    return { kind: 'wrong', text: usageError(error, text) };
  }
  return found ?? { kind: 'wrong', text: program.helpInformation() };
}

function optionOf(spec: OptionSpec, text: Text): Option {
  const help = spec.shownDefault === undefined ? spec.help(text) : `${spec.help(text)} (${spec.shownDefault})`;
  const option = new Option(spec.flags, help);
  return spec.choices ? option.choices(spec.choices) : option;
}

/** What an option or argument is, and which values it may have. */
function described({ description, argChoices }: Option | Argument, text: Text): string {
  return argChoices === undefined ? description : `${description} (${text.table.choices(argChoices.map((one) => `"${one}"`))})`;
}

function longName(spec: OptionSpec): string {
  return /--[a-z-]+/.exec(spec.flags)?.[0] ?? spec.flags;
}

function commandNames(specs: readonly CommandSpec[]): string[] {
  return specs.map((spec) => spec.name);
}

function optionsOf(values: Record<string, unknown>): Record<string, string | true | undefined> {
  const out: Record<string, string | true | undefined> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === true || typeof value === 'string') out[name] = value;
    // commander turns `--no-color` into color: false; a call holds only what was given.
    if (name === 'color' && value === true) delete out[name];
    if (name === 'color' && value === false) out.noColor = true;
  }
  return out;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function titleIn(title: string, text: Text): string {
  const titles: Record<string, string> = text.table.titles;
  return titles[title] ?? title;
}

/** commander's own sentence, in the person's language where its kind is known. */
function usageError(error: CommanderError, text: Text): string {
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  const suggestion = /Did you mean (?:one of )?([^?]*)\?/.exec(error.message)?.[1];
  switch (error.code) {
    case 'commander.unknownOption':
      return text.table.unknownOption(quoted, suggestion);
    case 'commander.unknownCommand':
      return text.table.unknownCommand(quoted, suggestion);
    case 'commander.missingArgument':
      return text.table.missingArgument(quoted);
    case 'commander.optionMissingArgument':
      return text.table.missingValue(quoted);
    case 'commander.invalidArgument': {
      const { where, value, choices } = choiceIn(error.message);
      return text.table.badChoice(where, value, choices.join(', '), nearest(value, choices));
    }
    case 'commander.excessArguments': {
      const [expected = 0, got = 0] = (/Expected (\d+) arguments? but got (\d+)/.exec(error.message)?.slice(1) ?? []).map(Number);
      return text.table.tooManyWords(quoted, expected, got);
    }
    default:
      return text.table.wrongUse(error.message.replace(/^error: /, ''));
  }
}

/** What commander says of a value that is none of the choices: of which option or argument, the value, the choices. */
function choiceIn(message: string): { readonly where: string; readonly value: string; readonly choices: readonly string[] } {
  const [, option, given] = /option '([^']*)' argument '([\s\S]*)' is invalid\./.exec(message) ?? [];
  const [, word, argument] = /argument value '([\s\S]*)' is invalid for argument '([^']*)'\./.exec(message) ?? [];
  const choices = /Allowed choices are ([^\n]*)\.$/.exec(message)?.[1] ?? '';
  return { where: option ?? argument ?? '', value: given ?? word ?? '', choices: choices.split(', ') };
}

/** The known word nearest to a mistyped one, when it is near at all. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((name) => ({ name, far: editDistance(word, name) })).sort((a, b) => a.far - b.far);
  const [best] = ranked;
  return best !== undefined && best.far <= Math.max(2, Math.floor(word.length / 3)) ? best.name : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
