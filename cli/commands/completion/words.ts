// What may be typed after each command, read out of the table: the words of the three shells' scripts.
import type { ArgumentSpec, CommandSpec, OptionSpec } from '../../table/command.ts';
import type { Text } from '../../text/text.ts';

export interface Word {
  readonly word: string;
  readonly help: string;
}

export interface Place {
  /** Words typed so far, such as `task update`; empty at the top. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  /** Values of a first argument with fixed choices. */
  readonly values: readonly string[];
  /** Options that take a value, with the choices where they are fixed. */
  readonly valued: ReadonlyArray<{ readonly flags: readonly string[]; readonly choices: readonly string[] }>;
}

/** Every place of the command line, the top first. */
export function placesOf(
  table: readonly CommandSpec[],
  globals: readonly OptionSpec[],
  root: readonly OptionSpec[],
  text: Text,
): readonly Place[] {
  const place = (path: string, commands: readonly CommandSpec[], options: readonly OptionSpec[], args: readonly ArgumentSpec[]): Place => {
    const all = [...options, ...globals, { flags: '-h, --help', help: (t: Text) => t.table.help }];
    return {
      path,
      commands: commands.map((spec) => ({ word: spec.name, help: spec.help(text) })),
      options: all.flatMap((option) => flagsOf(option).map((word) => ({ word, help: option.help(text) }))),
      values: args[0]?.choices ?? [],
      valued: all.filter(({ flags }) => /<[^>]+>/.test(flags)).map((option) => ({ flags: flagsOf(option), choices: option.choices ?? [] })),
    };
  };
  const below = (spec: CommandSpec, path: string): Place[] => [
    place(path, spec.commands ?? [], spec.options ?? [], spec.arguments ?? []),
    ...(spec.commands ?? []).flatMap((child) => below(child, `${path} ${child.name}`)),
  ];
  return [place('', table, root, []), ...table.flatMap((spec) => below(spec, spec.name))];
}

function flagsOf({ flags }: { readonly flags: string }): string[] {
  return flags.match(/(?<![\w-])--?[a-zA-Z][a-z-]*/g) ?? [];
}
