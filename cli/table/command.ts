// What a command is. This one table feeds parsing, `--help` in both languages, shell completion and slash commands.
// A spec is cheap data; what runs is imported only when the command is called.
import type { App } from '../compose.ts';
import type { Text } from '../text/text.ts';

/** Picks the words of one thing out of the person's language. */
export type Words = (text: Text) => string;

export interface ArgumentSpec {
  readonly name: string;
  readonly required: boolean;
  readonly help: Words;
  readonly choices?: readonly string[];
}

export interface OptionSpec {
  /** In commander's form: `-l, --limit <n>` takes a value, `--all` does not. An optional value is not supported. */
  readonly flags: string;
  readonly help: Words;
  readonly choices?: readonly string[];
  /** Shown in help only; the command reads absence itself. */
  readonly shownDefault?: string;
}

export interface CommandSpec {
  readonly name: string;
  readonly help: Words;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly commands?: readonly CommandSpec[];
  /** Imports what runs. Absent for a group that only has sub-commands. */
  readonly load?: () => Promise<RunCommand>;
}

export interface CommandCall {
  /** Positional arguments by name. */
  readonly args: Readonly<Record<string, string | undefined>>;
  /** Options by their long name in camelCase: text, true, or absent. */
  readonly options: Readonly<Record<string, string | true | undefined>>;
}

/** Runs a command; resolves to the exit code (0 done, 1 failed, 2 wrong use, 130 interrupted). May throw XzError. */
export type RunCommand = (app: App, call: CommandCall) => Promise<number>;
