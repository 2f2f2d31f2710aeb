// `xz mail send AGENT "<text>"`: a message from the person. Whoever owns the box takes it at its next boundary.

import { USER } from '../../../mailbox/senders.ts';
import { XzError } from '../../../store/errors.ts';
import type { RunCommand } from '../../table/command.ts';
import { openedMailbox } from './open.ts';

export const runMailSend: RunCommand = async (app, call) => {
  const { agent = '', text = '' } = call.args;
  const type = call.options.type ?? 'notice';
  if (type !== 'notice' && type !== 'task' && type !== 'review')
    throw new XzError('bad_input', `--type "${type}" is not notice, task or review`);
  if (text.trim() === '') throw new XzError('bad_input', 'there is no text to send', { data: { kind: 'no_text' } });
  app.processName();
  const { mail } = openedMailbox(app).send({ type, from: USER, to: agent, body: text });
  if (app.print.json) app.print.value({ ...mail, box: 'new' });
  else app.print.line(app.text.mail.sent(mail.id, mail.type, mail.to));
  return 0;
};
