// send_notice: a teammate tells the lead or another teammate something; it starts no work.
import { Type } from 'typebox';
import type { Mailbox } from '../../../mailbox/mailbox.ts';
import { derivedId } from '../../../store/ids.ts';
import type { Sessions } from '../../../store/sessions/sessions.ts';
import { defineTool, type Tool } from './tool.ts';

export interface SendNoticeDeps {
  readonly mailbox: Mailbox;
  readonly sessions: Sessions;
  readonly name: string;
  readonly leadEpoch: string;
  readonly onSent: (to: string, file: string) => void;
}

export function createSendNotice({ mailbox, sessions, name, leadEpoch, onSent }: SendNoticeDeps): Tool {
  return defineTool({
    name: 'send_notice',
    description:
      'Tells your lead ("Lead") or another teammate something it should know while it works. It starts no work and gets no answer; your result is handed in by your last message, not by this.',
    parameters: Type.Object({ to: Type.String(), message: Type.String({ minLength: 1 }) }),
    readOnly: false,
    keyed: true,
    run({ to, message }, { origin }) {
      const at = sessions.messageTime(origin.row) ?? 0;
      const base = at.toString(36).padStart(9, '0') + origin.index.toString(36).padStart(3, '0');
      const id = derivedId(base, origin.session, String(origin.row), String(origin.index), to);
      const sent = mailbox.send({ id, type: 'notice', from: name, to, body: message, ...(to === 'Lead' && { epoch: leadEpoch }) });
      onSent(to, sent.file);
      return Promise.resolve({ text: `Told ${to}.` });
    },
  });
}
