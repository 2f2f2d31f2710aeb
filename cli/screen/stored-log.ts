// A stored conversation as entries, for drawing it again after a start, a resume or a look at a teammate.
import type { Content } from '../../store/sessions/message.ts';
import type { MessageRow } from '../../store/sessions/sessions.ts';
import { type Entry, type Log, MOST_ENTRIES, type NewEntry } from './entries.ts';

const PREVIEW_LINES = 40;

/** Harness notes, summaries and background stay out of sight. A call without a result is shown as cut. */
export function logFromRows(rows: readonly MessageRow[]): Log {
  const entries: Entry[] = [];
  const calls = new Map<string, number>();
  const push = (entry: NewEntry) => {
    entries.push({ ...entry, id: entries.length + 1 });
  };
  const recent = rows.slice(-MOST_ENTRIES);
  for (const { id, content, createdAt: at } of recent) {
    switch (content.role) {
      case 'user':
        for (const entry of userEntries(content, at)) push(entry);
        break;
      case 'assistant':
        for (const part of content.parts) {
          if (part.type === 'text' && part.text.trim() !== '') push({ kind: 'reply', text: part.text, open: false, at });
          if (part.type === 'thinking' && part.text !== '') push({ kind: 'thinking', text: part.text, open: false, folded: true, at });
        }
        content.parts
          .filter((part) => part.type === 'call')
          .forEach((call, index) => {
            const key = `${id}.${index}`;
            calls.set(key, entries.length);
            const result = { preview: '', lines: 0, ms: 0, folded: true };
            push({ kind: 'tool', key, name: call.name, args: call.arguments, state: 'cut', ...result, at });
          });
        break;
      case 'tool': {
        const index = calls.get(`${content.callRow}.${content.callIndex}`);
        const entry = index === undefined ? undefined : entries[index];
        if (index === undefined || entry?.kind !== 'tool') break;
        const exitCode = content.facts?.exitCode;
        const lines = content.text.split('\n');
        entries[index] = {
          ...entry,
          state: content.isError ? 'failed' : 'ok',
          preview: lines.slice(0, PREVIEW_LINES).join('\n'),
          lines: lines.length,
          ...(typeof exitCode === 'number' ? { exitCode } : {}),
        };
        break;
      }
    }
  }
  const kept = entries.slice(-MOST_ENTRIES);
  return { entries: kept, nextId: entries.length + 1, dropped: rows.length - recent.length + entries.length - kept.length };
}

function userEntries(content: Extract<Content, { role: 'user' }>, at: number): NewEntry[] {
  switch (content.origin?.type) {
    case undefined:
      return [{ kind: 'person', text: content.text, at }];
    case 'wakeup':
      return [{ kind: 'wakeup', text: content.text, at }];
    case 'mail':
      return [{ kind: 'team', text: content.text, at }];
    case 'note':
    case 'summary':
      return [];
  }
}
