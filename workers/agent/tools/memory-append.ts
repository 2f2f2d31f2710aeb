// memory_append: the day's log, or a topic of a category. Date and time are those of the message that made the call, so
// the same call executed again writes the same words, and words that are there already are not written twice.
import { type Static, Type } from 'typebox';
import type { Clock } from '../../../store/clock.ts';
import { XzError } from '../../../store/errors.ts';
import type { Layout } from '../../../store/layout.ts';
import type { Locks } from '../../../store/lock.ts';
import { CategorySchema } from '../../../store/memory/categories.ts';
import type { Memory } from '../../../store/memory/memory.ts';
import { looksSecret } from '../../../store/memory/secrets.ts';
import { defineTool, type ToolContext, type ToolResult, toolError } from './tool.ts';

const parameters = Type.Object({
  content: Type.String({
    minLength: 1,
    description: 'What to remember, in Markdown. Say it so that it is understood without this conversation.',
  }),
  category: Type.Optional(CategorySchema),
  topic: Type.Optional(Type.String({ description: 'Heading it belongs under, such as "Deployment"; with a category it is needed.' })),
  tags: Type.Optional(Type.Array(Type.String(), { description: 'Tags of a log entry, such as ["deploy"].' })),
});

export interface MemoryAppendSetup {
  readonly layout: Layout;
  readonly locks: Locks;
  /** Opened at first use: reading Markdown needs a parser. */
  readonly memory: () => Promise<Memory>;
  readonly clock: Clock;
  /** When the message with this row was stored, ms since the epoch. */
  readonly messageTime: (row: number) => number | undefined;
  readonly secrets: () => readonly string[];
}

export function createMemoryAppend(setup: MemoryAppendSetup) {
  return defineTool({
    name: 'memory_append',
    description:
      "Keeps something for later conversations. Without a category it is added to today's log: what was done, decided or found out. " +
      'With a category and a topic it is added to that topic, which later requests recall when they are about it: lasting facts, decisions, preferences. ' +
      'Categories: long (facts that hold for years), short (for days or weeks), work (the project and how it is worked on), ' +
      'personal_prefer (what the person likes), general (all else). ' +
      'Never keep passwords, keys or tokens, nor what matters only now.',
    parameters,
    readOnly: false,
    keyed: true,
    async run(args, context) {
      if (looksSecret([args.content, args.topic, ...(args.tags ?? [])].join('\n'), setup.secrets()))
        return toolError('Not kept: this looks like a secret. Leave the value out and say where it is kept instead.');
      try {
        return args.category === undefined ? await toLog(setup, args, context) : await toTopic(setup, args, context);
      } catch (error) {
        if (error instanceof XzError && error.code === 'refused') return toolError(`Not kept: ${error.message}.`);
        throw error;
      }
    },
  });
}

async function toLog(setup: MemoryAppendSetup, args: Static<typeof parameters>, context: ToolContext): Promise<ToolResult> {
  const { appendToLog, logSource } = await import('../../../store/memory/daily-log.ts');
  const at = setup.messageTime(context.origin.row) ?? setup.clock.now();
  const tags = (args.tags ?? []).map((tag) => tag.replace(/[[\]\s,]+/gu, ' ').trim()).filter((tag) => tag !== '');
  const title = args.topic ?? args.content.trim().split('\n')[0] ?? '';
  const entry = { at, tags: tags.length === 0 ? ['note'] : tags, title, content: args.content };
  const added = await appendToLog(setup.layout, setup.locks, entry, context.signal);
  return { text: added ? `Added to ${logSource(at)}.` : `${logSource(at)} holds this entry already.` };
}

async function toTopic(setup: MemoryAppendSetup, args: Static<typeof parameters>, context: ToolContext): Promise<ToolResult> {
  const { category, topic, content } = args;
  if (category === undefined) return toolError('A category is missing.');
  if (topic === undefined || topic.trim() === '') return toolError('With a category a topic is needed: name the heading it belongs under.');
  const at = setup.messageTime(context.origin.row) ?? setup.clock.now();
  const { state, name } = await (await setup.memory()).append(
    { category, topic, content, session: context.origin.session, at },
    context.signal,
  );
  return { text: state === 'added' ? `Added to ${name}.` : `${name} says this already.` };
}
