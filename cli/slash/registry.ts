// The one registry of slash commands, and how a line that begins with `/` is run. Skills are commands by their names.
import { XzError } from '../../store/errors.ts';
import { slashName } from '../screen/completion.ts';
import type { SlashHint } from '../screen/state.ts';
import type { Text } from '../text/text.ts';
import type { SlashCommand, SlashContext, SlashOutcome } from './command.ts';
import { diffCommand } from './diff.ts';
import type { StorePorts } from './ports.ts';
import { sessionCommands } from './session.ts';
import { crontabCommand, memoryCommand, skillCommand, taskCommand } from './stores.ts';
import { teamCommand } from './team.ts';

const helpCommand: SlashCommand = {
  name: 'help',
  help: (t) => t.slash.help.help,
  async run({ app, stores, say }) {
    const words = app.text.slash;
    const line = (name: string, args: string, help: string) => `- \`/${name}${args === '' ? '' : ` ${args}`}\` ${help}`;
    const commands = slashCommands.map((one) => {
      const also = (one.aliases ?? []).map((alias) => `\`/${alias}\``).join(', ');
      return line(one.name, one.args ?? '', `${one.help(app.text)}${also === '' ? '' : ` (= ${also})`}`);
    });
    // The commands come last: that is the part which stands on the screen when the answer is longer than it.
    const skills = (stores.skills?.list() ?? []).filter(({ name }) => !isSlashCommand(name)).map((skill) => `\`/${skill.name}\``);
    const keys = words.keyList.map((key) => `- ${key}`);
    const parts = [`**${words.keys}**`, keys.join('\n'), `**${words.commands}**`, commands.join('\n')];
    if (skills.length > 0) parts.unshift(`**${words.skills}** (\`/skill\`): ${skills.join(', ')}`);
    say(parts.join('\n\n'));
    return 'stay';
  },
};

/** All commands, in the order of the help. */
export const slashCommands: readonly SlashCommand[] = [
  helpCommand,
  taskCommand,
  teamCommand,
  memoryCommand,
  crontabCommand,
  skillCommand,
  ...sessionCommands,
  diffCommand,
];

function commandNamed(name: string): SlashCommand | undefined {
  return slashCommands.find((one) => one.name === name || one.aliases?.includes(name));
}

/** True when `/name` is a command of xz: a skill of that name can only be used by the model. */
export function isSlashCommand(name: string): boolean {
  return commandNamed(name.toLowerCase()) !== undefined;
}

/** Runs a line such as `/task show lexer`. Throws `not_found` for a name that is neither a command nor a skill. */
export async function runSlash(context: SlashContext, line: string): Promise<SlashOutcome> {
  const name = slashName(line.trim()) ?? '';
  const rest = line
    .trim()
    .slice(name.length + 1)
    .trim();
  const command = commandNamed(name);
  if (command !== undefined) return command.run(context, rest === '' ? [] : rest.split(/\s+/), rest);
  const { skills } = context.stores;
  const skill = skills?.list().find((one) => one.name.toLowerCase() === name);
  if (skills !== undefined && skill !== undefined) {
    context.conversation.submit(skills.prompt(skill.name, rest));
    return 'stay';
  }
  const words = context.app.text.slash;
  const near = nearNames(name);
  throw new XzError('not_found', words.unknown(name), {
    hint: near.length > 0 ? words.near(near.map((one) => `/${one}`).join(', ')) : words.seeHelp,
  });
}

function nearNames(name: string): string[] {
  const names = slashCommands.flatMap((one) => [one.name, ...(one.aliases ?? [])]);
  return names.filter((one) => one.startsWith(name.slice(0, 2)) || name.startsWith(one)).slice(0, 3);
}

/** What the completion of the input offers: the commands, then the skills. */
export function slashHints(text: Text, stores: StorePorts): SlashHint[] {
  const commands = slashCommands.map(
    (one): SlashHint => ({
      ...{ name: one.name, help: one.help(text), aliases: one.aliases ?? [] },
      ...{ args: one.args ?? '', choices: one.choices ?? [] },
    }),
  );
  const skills = (stores.skills?.list() ?? [])
    .filter((skill) => !isSlashCommand(skill.name))
    .map((skill): SlashHint => ({ name: skill.name.toLowerCase(), help: skill.description, aliases: [], args: '…', choices: [] }));
  return [...commands, ...skills];
}
