// A stored assistant reply of one text.
import { type AssistantContent, NO_USAGE } from '../../store/sessions/message.ts';

export function assistantSays(text: string): AssistantContent {
  return {
    role: 'assistant',
    parts: [{ type: 'text', text }],
    provider: 'test',
    model: 'test',
    api: 'test',
    finish: 'stop',
    usage: NO_USAGE,
    costUsd: null,
  };
}
