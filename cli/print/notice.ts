// What happens in a run without a screen and a person should know, as lines on stderr.
import type { LeadEvent } from '../../lead/events.ts';
import { LEAD } from '../../mailbox/senders.ts';
import type { Text } from '../text/text.ts';
import type { Printer } from './printer.ts';

/** Prints notices and the ends of merges; nothing for any other event. */
export function printNotice(print: Printer, { screen }: Text, event: LeadEvent): void {
  if (event.type === 'notice') print.warn(`xz: ${event.agent === LEAD ? '' : `${event.agent}: `}${event.text}`);
  else if (event.type === 'merge' && event.outcome !== 'queued')
    print.warn(
      `xz: merge ${event.name}: ${screen.merge[event.outcome] ?? event.outcome}${event.detail ? ` — ${event.detail.split('\n')[0]}` : ''}`,
    );
}
