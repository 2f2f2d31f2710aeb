// Server-sent events from bytes. One decoder lives for the whole stream, so a character, a line ending or a field name
// may be split over any chunks; comments and heartbeats are dropped.
import { jsonOf } from './loose.ts';

export interface SseEvent {
  /** The `event:` field, or "" when there was none. */
  readonly event: string;
  readonly data: string;
}

/**
 * The JSON values in the data of one event. Some servers leave out the empty line between two events, whose data then
 * arrive as one, a line each.
 */
export function valuesIn(data: string): readonly string[] {
  return data.includes('\n') && jsonOf(data) === undefined ? data.split('\n').filter((line) => line.trim() !== '') : [data];
}

export interface SseDecoder {
  push(bytes: Uint8Array): SseEvent[];
  /** What was still open when the stream ended. */
  end(): SseEvent[];
}

export function sseDecoder(): SseDecoder {
  const decoder = new TextDecoder();
  let rest = '';
  let event = '';
  let data: string[] = [];
  const flush = (out: SseEvent[]) => {
    if (data.length > 0) out.push({ event, data: data.join('\n') });
    event = '';
    data = [];
  };
  const line = (text: string, out: SseEvent[]) => {
    if (text === '') return flush(out);
    if (text.startsWith(':')) return;
    const colon = text.indexOf(':');
    const field = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
  };
  const lines = (text: string, last: boolean): SseEvent[] => {
    const out: SseEvent[] = [];
    rest += text;
    // A "\r" at the end may be half of "\r\n": it waits for the next chunk.
    const held = !last && rest.endsWith('\r') ? '\r' : '';
    const parts = (held === '' ? rest : rest.slice(0, -1)).split(/\r\n|\n|\r/);
    rest = (parts.pop() ?? '') + held;
    for (const part of parts) line(part, out);
    return out;
  };
  return {
    push: (bytes) => lines(decoder.decode(bytes, { stream: true }), false),
    end() {
      const out = lines(decoder.decode(), true);
      if (rest !== '') line(rest, out);
      rest = '';
      flush(out);
      return out;
    },
  };
}
