// Slash commands over the conversation itself: sessions, model, mode, cost, the short list, leaving.
import { XzError } from '../../store/errors.ts';
import { dollars, shortCount, shortMoment } from '../screen/panes/figures.ts';
import type { SlashCommand, SlashContext } from './command.ts';
import { markdownTable } from './table.ts';

function mustBeIdle({ app, conversation }: SlashContext): void {
  if (conversation.running()) throw new XzError('refused', app.text.slash.busy);
}

async function pickSession(context: SlashContext): Promise<string | undefined> {
  const words = context.app.text.slash;
  const now = context.app.clock.now();
  const sessions = context.stores.sessions?.list() ?? [];
  const items = sessions
    .filter((one) => one.messages > 0 && one.id !== context.conversation.session())
    .map((one) => ({
      value: one.id,
      label: one.title || one.id,
      detail: `${shortMoment(one.updatedAt, now)} · ${words.messages(one.messages)} · ${one.id}`,
    }));
  if (items.length === 0) {
    context.say(words.none);
    return undefined;
  }
  return context.pick(words.sessionTitle, items);
}

/** The session whose id alone begins so; else what was given, for the conversation to find or refuse. */
function idMeant({ stores }: SlashContext, given: string): string {
  const ids = (stores.sessions?.list() ?? []).map(({ id }) => id).filter((id) => id.startsWith(given));
  const [only] = ids;
  return ids.length === 1 && only !== undefined ? only : given;
}

async function goOn(context: SlashContext, given: string | undefined): Promise<'stay'> {
  mustBeIdle(context);
  const id = given === undefined ? await pickSession(context) : idMeant(context, given);
  if (id === undefined) return 'stay';
  await context.conversation.resume(id);
  context.sessionChanged();
  context.say(context.app.text.slash.resumed(id));
  return 'stay';
}

export const sessionCommands: readonly SlashCommand[] = [
  {
    name: 'sessions',
    help: (t) => t.slash.help.sessions,
    run: (context) => goOn(context, undefined),
  },
  {
    name: 'resume',
    help: (t) => t.slash.help.resume,
    args: '[ID]',
    run: (context, [id]) => goOn(context, id),
  },
  {
    name: 'new',
    aliases: ['reset'],
    help: (t) => t.slash.help.new,
    async run(context) {
      mustBeIdle(context);
      await context.conversation.startNew();
      context.sessionChanged();
      context.say(context.app.text.slash.newSession);
      return 'stay';
    },
  },
  {
    name: 'compact',
    help: (t) => t.slash.help.compact,
    async run(context) {
      mustBeIdle(context);
      context.say(context.app.text.errors.told(await context.conversation.compact()));
      return 'stay';
    },
  },
  {
    name: 'model',
    help: (t) => t.slash.help.model,
    args: '[MODEL [PROVIDER]]',
    async run(context, [model, provider]) {
      const words = context.app.text.slash;
      if (model === undefined) {
        const facts = context.conversation.model();
        context.say(words.modelIs(facts.provider, facts.model, facts.host));
        return 'stay';
      }
      await context.conversation.setModel(model, provider);
      context.say(words.modelSet(context.conversation.model().model));
      return 'stay';
    },
  },
  {
    name: 'mode',
    help: (t) => t.slash.help.mode,
    args: '[plan|ask|auto-edit|yolo]',
    choices: ['plan', 'ask', 'auto-edit', 'yolo'],
    async run(context, [mode]) {
      const words = context.app.text.slash;
      if (mode === undefined) {
        context.say(words.modeIs(context.conversation.mode()));
        return 'stay';
      }
      if (mode !== 'plan' && mode !== 'ask' && mode !== 'auto-edit' && mode !== 'yolo')
        throw new XzError('bad_input', words.usage('/mode [plan|ask|auto-edit|yolo]'));
      context.conversation.setMode(mode);
      context.say(words.modeSet(mode));
      return 'stay';
    },
  },
  {
    name: 'cost',
    aliases: ['tokens'],
    help: (t) => t.slash.help.cost,
    async run(context) {
      context.say(costTable(context));
      return 'stay';
    },
  },
  {
    name: 'todo',
    help: (t) => t.slash.help.todo,
    async run({ app, conversation, say }) {
      const marks: Readonly<Record<string, string>> = { completed: '- [x]', in_progress: '- [ ] ▶', pending: '- [ ]' };
      const list = conversation.todos().map((todo) => `${marks[todo.state] ?? '-'} ${todo.text}`);
      say(list.length === 0 ? app.text.slash.todoNone : list.join('\n'));
      return 'stay';
    },
  },
  {
    name: 'exit',
    aliases: ['quit'],
    help: (t) => t.slash.help.exit,
    run: async () => 'leave',
  },
];

function costTable({ app, conversation }: SlashContext): string {
  const words = app.text.slash;
  const { price } = conversation.model();
  const shown = (usd: number | null) =>
    usd === null ? (price === 'unknown' ? words.unknownCost : app.text.screen.status.price(price)) : dollars(usd);
  const rows = conversation.cost();
  const known = rows.every((row) => row.costUsd !== null);
  const total = { tokens: rows.reduce((sum, row) => sum + row.tokens, 0), usd: rows.reduce((sum, row) => sum + (row.costUsd ?? 0), 0) };
  const lines = rows.map((row) => [words.costOf(row.agent), shortCount(row.tokens), shown(row.costUsd)]);
  if (rows.length > 1) lines.push([words.total, shortCount(total.tokens), shown(known ? total.usd : null)]);
  return lines.length === 0 ? words.none : markdownTable(words.costHead, lines);
}
