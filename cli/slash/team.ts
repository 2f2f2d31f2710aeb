// `/team`: the person's own switch of the team, and what is done with a teammate's work.
import { reasonOf } from '../../lead/team/landing.ts';
import { XzError } from '../../store/errors.ts';
import { dollars, shortCount } from '../screen/panes/figures.ts';
import type { SlashCommand, SlashContext } from './command.ts';
import { markdownTable } from './table.ts';

export const teamCommand: SlashCommand = {
  name: 'team',
  help: (t) => t.slash.help.team,
  args: '[on|off|status|merge NAME|release NAME]',
  choices: ['on', 'off', 'status', 'merge', 'release'],
  async run(context, [action = 'status', name]) {
    const { conversation, say } = context;
    const words = context.app.text.slash;
    switch (action) {
      case 'on':
        await conversation.team.on();
        say(words.team.on);
        return 'stay';
      case 'off': {
        const kept = await conversation.team.off();
        say(kept.length === 0 ? words.team.off : `${words.team.off} ${words.team.kept(kept.join(', '))}`);
        return 'stay';
      }
      case 'status':
        say(await teamStatus(context));
        return 'stay';
      case 'merge':
      case 'release': {
        const chosen = name ?? (await pickTeammate(context));
        if (chosen === undefined) return 'stay';
        say(context.app.text.errors.told(await conversation.team[action](chosen)));
        return 'stay';
      }
      default:
        throw new XzError('bad_input', words.usage('/team [on|off|status|merge NAME|release NAME]'));
    }
  },
};

async function pickTeammate(context: SlashContext): Promise<string | undefined> {
  const team = context.conversation.team.status();
  if (team.length === 0) {
    context.say(await teamStatus(context));
    return undefined;
  }
  const items = team.map((mate) => ({ value: mate.name, label: mate.name, detail: [mate.task, mate.branch].filter(Boolean).join(' · ') }));
  return context.pick(context.app.text.screen.team.title, items);
}

async function teamStatus({ app, conversation }: SlashContext): Promise<string> {
  const words = app.text.slash.team;
  const team = await conversation.team.standings();
  if (team.length === 0) return conversation.team.enabled() ? words.nobody : words.isOff;
  const table = markdownTable(
    words.head,
    team.map((mate) => [
      mate.name,
      `${app.text.screen.team.states[mate.state] ?? mate.state}${mate.unfinished ? `, ${words.unfinished}` : ''}`,
      mate.task ?? '—',
      mate.branch ?? '—',
      mate.files.length === 0 ? '—' : fewNames(mate.files),
      shortCount(mate.tokens),
      mate.costUsd === null ? '—' : dollars(mate.costUsd),
    ]),
  );
  const kept = team.flatMap((mate) =>
    mate.kept === undefined ? [] : [`- ${app.text.team.keeps(mate.name, mate.kept.worktree, app.text.errors.told(reasonOf(mate.kept)))}`],
  );
  return kept.length === 0 ? table : `${table}\n\n${kept.join('\n')}`;
}

/** The first few names of a list. */
function fewNames(names: readonly string[]): string {
  return names.slice(0, 4).join(', ') + (names.length > 4 ? ` +${names.length - 4}` : '');
}
