// What happens in a conversation as plain lines, for terminals and pipes without a screen. Pure.
import type { LeadEvent } from '../../lead/events.ts';
import { callSummary, mailParts, observed } from '../screen/panes/entry.ts';
import { shortTime } from '../screen/panes/figures.ts';
import { LEAD } from '../screen/reduce-lead.ts';
import type { Text } from '../text/text.ts';

/** The line that an event is worth; undefined for streamed text and for what a line would not help with. */
export function eventLine(event: LeadEvent, text: Text): string | undefined {
  const words = text.screen;
  const who = 'agent' in event && event.agent !== LEAD ? `${event.agent}: ` : '';
  switch (event.type) {
    case 'turn_start':
      return event.origin === 'wakeup' ? `⏰ ${words.system}   ${event.prompt}` : undefined;
    case 'tool_start':
      return `${who}⚙ ${event.name}(${callSummary(event.name, event.args)})`;
    case 'tool_end': {
      const verdict = event.ok ? '✓' : `✗ ${event.exitCode === undefined ? words.failed : words.exit(event.exitCode)}`;
      const time = event.ms >= 1_000 ? `  ${shortTime(event.ms)}` : '';
      return event.ok && time === '' ? undefined : `${who}  ${verdict} ${event.name}${time}`;
    }
    case 'turn_end':
      return event.stopReason === 'done' ? undefined : `${who}■ ${words.stopped[event.stopReason] ?? event.stopReason}`;
    case 'notice':
      return `${who}· ${event.text}`;
    case 'error': {
      const said = text.errors.say(event);
      return `${who}! ${said.text}${said.hint === undefined ? '' : ` (${said.hint})`}`;
    }
    case 'mail': {
      const { about, claim } = mailParts(event);
      const claimed = claim === undefined ? '' : `\n  ${words.claimed}: "${claim}"`;
      const facts = event.evidence === undefined ? '' : `\n  ${words.observed}: ${observed(event.evidence, text)}`;
      return `⇄ ${event.from} → ${event.to}   ${event.mailType}: ${about}${claimed}${facts}`;
    }
    case 'merge':
      return `⇄ merge ${event.name}: ${words.merge[event.outcome] ?? event.outcome}${event.gate === '' ? '' : ` (${words.gate(event.gate)})`}`;
    case 'text':
    case 'thinking':
    case 'usage':
    case 'task':
    case 'teammate':
    case 'question':
    case 'end':
      return undefined;
  }
}
