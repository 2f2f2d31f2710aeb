// Who may send what. The sender is the channel's, not the body's: whoever opens a channel (a tool, the command line)
// sets `from`, and these rules decide. A guard against mistakes: a shell of the same user can write the folder.
import type { MailType } from './message.ts';

/** The lead's own name; its box always exists. */
export const LEAD = 'Lead';

/** The sender of everything that comes from the command line. */
export const USER = 'user';

const BY_USER: readonly MailType[] = ['notice', 'task', 'review'];
const BY_TEAMMATE: readonly MailType[] = ['result', 'notice'];
const BY_LEAD: readonly MailType[] = ['task', 'review', 'end', 'notice'];

/** Why this mail may not be sent, in plain English, or undefined when it may. */
export function refusalOf(mail: { readonly from: string; readonly to: string; readonly type: MailType }): string | undefined {
  const allowed = mail.from === USER ? BY_USER : mail.from === LEAD ? BY_LEAD : BY_TEAMMATE;
  if (!allowed.includes(mail.type)) return `${mail.from} may send ${allowed.join(', ')}, not ${mail.type}`;
  if (mail.type === 'result' && mail.to !== LEAD) return 'a result goes to Lead only';
  if (mail.type === 'end' && mail.to === LEAD) return 'the lead ends with its session, not by mail';
  return undefined;
}
