// What the mail commands share: the mailbox of the workspace, and how a message is printed.

import { type ListedMail, type Mailbox, openMailbox } from '../../../mailbox/mailbox.ts';
import { isoWithOffset } from '../../../store/clock.ts';
import type { App } from '../../compose.ts';
import { printFinding } from '../../print/finding.ts';

/** The mailbox; files that are no mail are named on stderr. */
export function openedMailbox(app: App): Mailbox {
  return openMailbox({
    layout: app.layout(),
    clock: app.clock,
    report: (finding) => printFinding(app.print, app.text, finding),
  });
}

/** `2026-03-03 14:23` of a message, in the person's zone; what it says itself when that is no date. */
export function whenOf(mail: ListedMail): string {
  const ms = Date.parse(mail.at);
  return Number.isNaN(ms) ? mail.at : isoWithOffset(ms).slice(0, 16).replace('T', ' ');
}

/** The subject, else the first line of the body, without control characters. */
export function gistOf(mail: ListedMail): string {
  const text = mail.subject ?? mail.body;
  return text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
}
