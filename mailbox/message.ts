// The vocabulary of mail: what one message file holds, and how its name orders the queue.
import { type Static, Type } from 'typebox';

const MailTypeSchema = Type.Union([
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
  /** Deliveries that ended without any new stored row; kept in the file so that it survives a restart. */
  deliveries: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Why and when it was set aside in `dead/`. */
  dead: Type.Optional(Type.Object({ reason: Type.String(), at: Type.String() })),
});

export type MailType = Static<typeof MailTypeSchema>;
export type Mail = Static<typeof MailSchema>;

/** A mail to be sent: what the sender leaves out is filled in by `send`. */
export type MailDraft = Omit<Mail, 'id' | 'at' | 'deliveries' | 'dead'> & { readonly id?: string; readonly at?: string };

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

/** True for an id that may be part of a file name and of a key. */
export function isMailId(id: string): boolean {
  return /^[0-9A-Za-z][0-9A-Za-z_-]{0,119}$/.test(id);
}

const FILE_NAME = /^(?<priority>[0-3])-(?<id>[0-9A-Za-z][0-9A-Za-z_-]*)-(?<type>task|review|end|result|notice)\.json$/;

/** The id inside a name that `mailFileName` made, or undefined for any other name. */
export function idOfFileName(name: string): string | undefined {
  const parts = FILE_NAME.exec(name)?.groups;
  return parts?.id !== undefined && isMailId(parts.id) ? parts.id : undefined;
}

/** How a message is written: readable, one field a line. */
export function textOf(mail: Mail): string {
  return `${JSON.stringify(mail, null, 2)}\n`;
}
