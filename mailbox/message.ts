// The vocabulary of mail: what one message file holds, and how its name orders the queue.
import { type Static, Type } from 'typebox';
import { parserOf } from '../store/schema.ts';

export const MailTypeSchema = Type.Union([
  Type.Literal('task'),
  Type.Literal('review'),
  Type.Literal('end'),
  Type.Literal('result'),
  Type.Literal('notice'),
]);

export const MailSchema = Type.Object({
  id: Type.String({ minLength: 1 }),
  type: MailTypeSchema,
  from: Type.String(),
  to: Type.String(),
  /** Which spawning of the recipient it is for; absent means the current one (hand-written mail). */
  epoch: Type.Optional(Type.String()),
  /** ISO 8601 with offset. */
  at: Type.String(),
  taskId: Type.Optional(Type.String()),
  /** Token of the task claim the mail speaks for. */
  claim: Type.Optional(Type.String()),
  replyTo: Type.Optional(Type.String()),
  subject: Type.Optional(Type.String()),
  body: Type.String(),
  data: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

export type MailType = Static<typeof MailTypeSchema>;
export type Mail = Static<typeof MailSchema>;

export const mailParser = parserOf(MailSchema, 'mail');

/** Lower comes first. A result is urgent to the lead, which is the only one to get any. */
export function mailPriority(type: MailType): number {
  switch (type) {
    case 'end':
      return 0;
    case 'review':
    case 'result':
      return 1;
    case 'task':
      return 2;
    case 'notice':
      return 3;
  }
}

/** `<priority>-<sortable id>-<type>.json`: a sorted listing is the queue. */
export function mailFileName(mail: Pick<Mail, 'id' | 'type'>): string {
  return `${mailPriority(mail.type)}-${mail.id}-${mail.type}.json`;
}
