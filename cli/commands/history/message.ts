// A stored message as scripts and people see it.
import { isoWithOffset } from '../../../store/clock.ts';
import type { StoredMessage } from '../../../store/sessions/browse.ts';
import { callsOf, visibleText } from '../../../store/sessions/message.ts';

export interface ShownCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ShownMessage {
  readonly messageId: number;
  readonly role: string;
  readonly content: string;
  readonly toolCalls?: readonly ShownCall[];
  /** For a tool's result: which tool, and whether it failed. */
  readonly name?: string;
  readonly isError?: boolean;
  readonly rolledBack?: true;
  readonly timestamp: string;
}

/** The shape of `--json`. A row that cannot be read shows up with empty content rather than not at all. */
export function shownMessage({ id, role, content, createdAt, rolledBack }: StoredMessage): ShownMessage {
  const calls = content?.role === 'assistant' ? callsOf(content).map((call) => ({ name: call.name, arguments: call.arguments })) : [];
  return {
    messageId: id,
    role,
    content: content === undefined ? '' : visibleText(content),
    ...(calls.length > 0 ? { toolCalls: calls } : {}),
    ...(content?.role === 'tool' ? { name: content.name, isError: content.isError } : {}),
    ...(rolledBack ? { rolledBack: true as const } : {}),
    timestamp: isoWithOffset(createdAt),
  };
}

/** A call in one line: `bash(command: npm test)`. */
export function callLine(call: ShownCall, most = 120): string {
  const given = Object.entries(call.arguments)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
    .replace(/\s+/g, ' ');
  return `${call.name}(${given.length > most ? `${given.slice(0, most)}…` : given})`;
}
