// What happens in a run and a person should know: in their language, and without a screen as lines on stderr.
import type { LeadEvent } from '../../lead/events.ts';
import { LEAD } from '../../mailbox/senders.ts';
import type { Text } from '../text/text.ts';
import type { Printer } from './printer.ts';

/** A notice in the person's language, by what it says in data or in a sentence that is known; all other events as they are. */
export function inWords({ common, errors }: Text, event: LeadEvent): LeadEvent {
  if (event.type !== 'notice') return event;
  if (event.retry === undefined) return { ...event, text: errors.told(event.text) };
  const { why, seconds, number } = event.retry;
  return { ...event, text: common.retrying(errors.say(why).text, seconds, number) };
}

/** Prints notices and the ends of merges; nothing for any other event. */
export function printNotice(print: Printer, { screen }: Text, event: LeadEvent): void {
  if (event.type === 'notice') print.warn(`xz: ${event.agent === LEAD ? '' : `${event.agent}: `}${event.text}`);
  else if (event.type === 'merge' && event.outcome !== 'queued')
    print.warn(
      `xz: merge ${event.name}: ${screen.merge[event.outcome] ?? event.outcome}${event.detail ? ` — ${event.detail.split('\n')[0]}` : ''}`,
    );
}
