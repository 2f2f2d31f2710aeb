// The vocabulary of a stored conversation: what a row's content may be. No provider's format appears here;
// workers/agent/model/ converts. The type of each value is derived from its schema.
import { type Static, Type } from 'typebox';
import { parserOf } from '../schema.ts';

/** An image kept with a message: base64 data and its media type. */
const ImageSchema = Type.Object({ data: Type.String(), mediaType: Type.String() });

const UsageSchema = Type.Object({
  /** Tokens sent that were not read from a cache. */
  input: Type.Number(),
  output: Type.Number(),
  cacheRead: Type.Number(),
  cacheWrite: Type.Number(),
  /** All of the above. */
  total: Type.Number(),
});

const UserContentSchema = Type.Object({
  role: Type.Literal('user'),
  text: Type.String(),
  images: Type.Optional(Type.Array(ImageSchema)),
  /** What the person did not write but the model is told with it: recalled topics, open tasks, team state. */
  background: Type.Optional(Type.String()),
  /** Where the text came from, when not typed: a wake-up, a mail, a harness note, a summary. */
  origin: Type.Optional(
    Type.Union([
      Type.Object({ type: Type.Literal('wakeup'), taskId: Type.String() }),
      Type.Object({ type: Type.Literal('mail'), mailIds: Type.Array(Type.String()) }),
      Type.Object({ type: Type.Literal('note') }),
      Type.Object({ type: Type.Literal('summary'), throughMessage: Type.Number() }),
    ]),
  ),
});

const PartSchema = Type.Union([
  Type.Object({ type: Type.Literal('text'), text: Type.String() }),
  Type.Object({
    type: Type.Literal('thinking'),
    text: Type.String(),
    /** What the provider needs to accept the reasoning again; opaque. */
    signature: Type.Optional(Type.String()),
    redacted: Type.Optional(Type.Boolean()),
  }),
  Type.Object({
    type: Type.Literal('call'),
    id: Type.String(),
    name: Type.String(),
    arguments: Type.Record(Type.String(), Type.Unknown()),
    signature: Type.Optional(Type.String()),
  }),
]);

const AssistantContentSchema = Type.Object({
  role: Type.Literal('assistant'),
  parts: Type.Array(PartSchema),
  provider: Type.String(),
  model: Type.String(),
  api: Type.String(),
  /** Why the reply ended, as read from the wire. */
  finish: Type.Union([Type.Literal('stop'), Type.Literal('length'), Type.Literal('calls'), Type.Literal('error'), Type.Literal('aborted')]),
  usage: UsageSchema,
  /** US dollars; null when the price is unknown or a subscription. */
  costUsd: Type.Union([Type.Number(), Type.Null()]),
});

const ToolContentSchema = Type.Object({
  role: Type.Literal('tool'),
  /** The row of the assistant message that made the call, and the call's place in it: together the call's key. */
  callRow: Type.Number(),
  callIndex: Type.Number(),
  /** The provider's own id: echoed to it, never a key. */
  callId: Type.String(),
  name: Type.String(),
  text: Type.String(),
  images: Type.Optional(Type.Array(ImageSchema)),
  isError: Type.Boolean(),
  /** Facts the harness observed: exit code, changed files, ids of results handed out. */
  facts: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

const ContentSchema = Type.Union([UserContentSchema, AssistantContentSchema, ToolContentSchema]);

export type Image = Static<typeof ImageSchema>;
export type Usage = Static<typeof UsageSchema>;
export type UserContent = Static<typeof UserContentSchema>;
export type AssistantContent = Static<typeof AssistantContentSchema>;
export type Part = Static<typeof PartSchema>;
export type CallPart = Extract<Part, { type: 'call' }>;
export type ToolContent = Static<typeof ToolContentSchema>;
export type Content = Static<typeof ContentSchema>;

export const contentParser = parserOf(ContentSchema, 'message content');

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    total: a.total + b.total,
  };
}

/** The visible text of a message: what search indexes and people read. Background and reasoning are left out. */
export function visibleText(content: Content): string {
  switch (content.role) {
    case 'user':
    case 'tool':
      return content.text;
    case 'assistant':
      return content.parts
        .filter((part) => part.type === 'text')
        .map((part) => part.text)
        .join('');
  }
}

/** The tool calls of an assistant message, in order. */
export function callsOf(content: AssistantContent): CallPart[] {
  return content.parts.filter((part) => part.type === 'call');
}
