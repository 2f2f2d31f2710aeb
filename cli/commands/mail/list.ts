// `xz mail list AGENT`: what is in hand, waiting and dead.
import { XzError } from '../../../store/errors.ts';
import { columnLines } from '../../print/columns.ts';
import { pageOf, printPageLines, wholeNumber } from '../../print/page.ts';
import type { RunCommand } from '../../table/command.ts';
import { gistOf, openedMailbox, whenOf } from './open.ts';

export const runMailList: RunCommand = async (app, call) => {
  const mailbox = openedMailbox(app);
  const agent = call.args.agent ?? '';
  const known = mailbox.boxes();
  if (!known.includes(agent)) {
    const names = known.join(', ');
    throw new XzError('not_found', `there is no mailbox of "${agent}"`, {
      hint: `known: ${names}`,
      data: { kind: 'agent', given: agent, known: names },
    });
  }
  const page = pageOf(mailbox.list(agent), wholeNumber(call, 'limit', 0), wholeNumber(call, 'page', 1, 1));
  printPageLines(app.print, app.text, page, () =>
    columnLines(
      app.print,
      app.text.mail.columns,
      page.items.map((mail) =>
        [mail.id, app.text.mail.boxes[mail.box], mail.type, mail.from, whenOf(mail), gistOf(mail)].map((text) => ({ text })),
      ),
    ),
  );
  return 0;
};
