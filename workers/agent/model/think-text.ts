// Reasoning that a server leaves in the answer's text, as `<think>…</think>` at its beginning: it is told, stored and sent
// back as reasoning, not as what the model said. Tags anywhere else, and one that is never closed, are the model's words.
import type { Part } from '../../../store/sessions/message.ts';
import type { Delta } from './model.ts';

const OPEN = '<think>';
const CLOSE = '</think>';

/** The parts of a whole reply, with the reasoning apart. Without a signature it is not sent back to the model. */
export function withThinkingApart(parts: readonly Part[]): Part[] {
  const [first, ...rest] = parts;
  if (first?.type !== 'text') return [...parts];
  const text = first.text.trimStart();
  const end = text.startsWith(OPEN) ? text.indexOf(CLOSE) : -1;
  if (end < 0) return [...parts];
  const thinking = text.slice(OPEN.length, end).trim();
  const said = text.slice(end + CLOSE.length).trimStart();
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking' as const, text: thinking }]),
    ...(said === '' ? [] : [{ type: 'text' as const, text: said }]),
    ...rest,
  ];
}

export interface ThinkingFilter {
  /** Passes on what is known to be text or reasoning; what might be the beginning of a tag waits. */
  write(text: string): void;
  /** The reply is whole: passes on what still waits; reasoning that was never closed is told again, as the text it is. */
  end(): void;
}

/** The same for a text that arrives in pieces. */
export function thinkingFilter(onDelta: (delta: Delta) => void): ThinkingFilter {
  let state: 'start' | 'thinking' | 'after' | 'text' = 'start';
  let held = '';
  let unclosed = '';
  const tell = (type: Delta['type'], delta: string) => {
    if (delta !== '') onDelta({ type, delta });
  };
  const step = (): boolean => {
    switch (state) {
      case 'start': {
        const text = held.trimStart();
        if (text.startsWith(OPEN)) {
          state = 'thinking';
          unclosed = held.slice(0, held.length - text.length) + OPEN;
          held = text.slice(OPEN.length);
          return true;
        }
        if (OPEN.startsWith(text)) return false;
        state = 'text';
        return true;
      }
      case 'thinking': {
        const end = held.indexOf(CLOSE);
        const told = end < 0 ? held.length - startOf(CLOSE, held) : end;
        tell('thinking', held.slice(0, told));
        unclosed += held.slice(0, told);
        held = held.slice(end < 0 ? told : end + CLOSE.length);
        if (end >= 0) state = 'after';
        return end >= 0;
      }
      case 'after':
        held = held.trimStart();
        if (held !== '') state = 'text';
        return held !== '';
      case 'text':
        tell('text', held);
        held = '';
        return false;
    }
  };
  return {
    write(text) {
      held += text;
      while (step());
    },
    end() {
      tell('text', state === 'thinking' ? unclosed + held : held);
      held = '';
    },
  };
}

/** Units at the end of a text that are the beginning of `tag`. */
function startOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) if (tag.startsWith(text.slice(-length))) return length;
  return 0;
}
