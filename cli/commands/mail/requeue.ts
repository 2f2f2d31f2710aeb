// `xz mail requeue ID`: a dead letter goes back into its queue.
import type { RunCommand } from '../../table/command.ts';
import { openedMailbox } from './open.ts';

export const runMailRequeue: RunCommand = async (app, call) => {
  app.processName();
  const mail = openedMailbox(app).requeue(call.args.id ?? '');
  if (app.print.json) app.print.value(mail);
  else app.print.line(app.text.mail.requeued(mail.id, mail.to));
  return 0;
};
