// From the command table to commander and back to a plain call: which command, its arguments, its options.
import { Argument, Command, CommanderError, Option } from 'commander';
import type { Text } from '../text/text.ts';
import { VERSION } from '../version.ts';
import type { CommandCall, CommandSpec, OptionSpec } from './command.ts';
import { commandTable, globalOptions, rootOptions } from './table.ts';
import { nearest, usageError } from './wrong-use.ts';

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
  const given = new Set(args);
  const program = programOf({
    ...{ text, given, isHelp: ['-h', '--help'].some((word) => given.has(word)) },
    found(parsed) {
      found = parsed;
    },
    shown(out) {
      shown += out;
    },
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'shown', text: shown };
    return { kind: 'wrong', text: usageError(error, text) };
  }
  return found ?? { kind: 'wrong', text: program.helpInformation() };
}

interface Building {
  readonly text: Text;
  /** The words of the command line. */
  readonly given: ReadonlySet<string>;
  readonly isHelp: boolean;
  found(parsed: Parsed): void;
  /** Help or version that is to be printed. */
  shown(out: string): void;
}

function programOf(building: Building): Command {
  const { text } = building;
  const program = prepared(new Command('xz'), building)
    .enablePositionalOptions()
    .description(text.table.about)
    .version(VERSION, '-v, --version', text.table.version)
    .helpCommand('help [command]', text.table.helpCommand)
    .addHelpText('after', `\n${text.table.footer}`)
    .usage(USAGE)
    .argument('[command...]')
    .action(([unknown]: string[]) => {
      if (unknown === undefined) building.found({ kind: 'root', call: { args: {}, options: optionsOf(program.opts()) } });
      else building.found({ kind: 'wrong', text: text.table.unknownCommand(unknown, nearest(unknown, commandNames(commandTable))) });
    });
  for (const spec of [...rootOptions, ...globalOptions]) program.addOption(optionOf(spec, text));
  addCommands(program, commandTable, '', false, building);
  return program;
}

function prepared(command: Command, { text, shown }: Building): Command {
  return command
    .exitOverride()
    .helpOption('-h, --help', text.table.help)
    .configureOutput({ writeOut: shown, writeErr: () => {} })
    .configureHelp({
      styleTitle: (title) => titleIn(title, text),
      showGlobalOptions: false,
      optionDescription: (option) => described(option, text),
      argumentDescription: (argument) => described(argument, text),
    });
}

/**
 * Most of the time goes into options, and a command whose name was not given cannot be called: its name is enough then,
 * unless help shows what it takes.
 */
function addCommands(parent: Command, specs: readonly CommandSpec[], path: string, showsAll: boolean, building: Building): void {
  for (const spec of specs) {
    const isWanted = building.isHelp || showsAll || building.given.has(spec.name);
    parent.addCommand(isWanted ? commandOf(spec, `${path}${spec.name}`, building) : new Command(spec.name));
  }
}

function commandOf(spec: CommandSpec, path: string, building: Building): Command {
  const { text, found, given } = building;
  const command = prepared(new Command(spec.name), building).description(spec.help(text)).allowExcessArguments(false);
  for (const argument of spec.arguments ?? []) {
    const shape = new Argument(argument.required ? `<${argument.name}>` : `[${argument.name}]`, argument.help(text));
    command.addArgument(argument.choices ? shape.choices(argument.choices) : shape);
  }
  const own = new Set((spec.options ?? []).map(longName));
  for (const option of spec.options ?? []) command.addOption(optionOf(option, text));
  for (const option of globalOptions) if (!own.has(longName(option))) command.addOption(optionOf(option, text).hideHelp());
  const children = spec.commands ?? [];
  // A group called without one of its commands answers with its help.
  addCommands(command, children, `${path} `, !children.some((child) => given.has(child.name)), building);
  if (spec.load !== undefined)
    return command.action((...values: unknown[]) => {
      const named = (spec.arguments ?? []).map((argument, i) => [argument.name, asText(values[i])] as const);
      found({ kind: 'command', spec, path, call: { args: Object.fromEntries(named), options: optionsOf(command.optsWithGlobals()) } });
    });
  return command
    .usage(USAGE)
    .argument('[command...]')
    .action(([word]: string[]) => {
      if (word === undefined) found({ kind: 'wrong', text: command.helpInformation().trimEnd() });
      else found({ kind: 'wrong', text: text.table.unknownCommand(`${path} ${word}`, nearest(word, commandNames(children))) });
    });
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
