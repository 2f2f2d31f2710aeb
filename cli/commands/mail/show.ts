// `xz mail show ID`: one message in full.
import type { RunCommand } from '../../table/command.ts';
import { openedMailbox, whenOf } from './open.ts';

export const runMailShow: RunCommand = async (app, call) => {
  const mail = openedMailbox(app).find(call.args.id ?? '');
  const words = app.text.mail;
  if (app.print.json) {
    app.print.value(mail);
    return 0;
  }
  app.print.line(`${mail.id}  ${mail.type}  ${words.boxes[mail.box]}`);
  app.print.line(`${mail.from} → ${mail.to}  ${whenOf(mail)}`);
  if (mail.taskId !== undefined) app.print.line(`${words.task}: ${mail.taskId}`);
  if (mail.replyTo !== undefined) app.print.line(`${words.replyTo}: ${mail.replyTo}`);
  if (mail.dead !== undefined) app.print.line(`${words.dead}: ${mail.dead.reason}`);
  app.print.line();
  if (mail.subject !== undefined) app.print.line(mail.subject);
  app.print.line(mail.body);
  return 0;
};
