// Stored rows for tests that need a conversation and no database.
import type { Content } from '../../store/sessions/message.ts';
import { NO_USAGE } from '../../store/sessions/message.ts';
import type { MessageRow } from '../../store/sessions/sessions.ts';

export type ShortMessage = { readonly role: 'user' | 'assistant'; readonly text: string };

/** Rows of one session, a second apart from 2026-03-01 08:00 UTC. */
export function createMessages(session: string, messages: readonly ShortMessage[]): MessageRow[] {
  return messages.map((message, index) => ({
    id: index + 1,
    session,
    turn: 1,
    content: contentOf(message),
    createdAt: Date.UTC(2026, 2, 1, 8, 0, index),
  }));
}

function contentOf(message: ShortMessage): Content {
  if (message.role === 'user') return { role: 'user', text: message.text };
  return {
    role: 'assistant',
    parts: [{ type: 'text', text: message.text }],
    provider: 'custom',
    model: 'scripted',
    api: 'openai-completions',
    finish: 'stop',
    usage: NO_USAGE,
    costUsd: null,
  };
}
