// What is read from the wire itself, before any library interprets it: the finish reason and each call's raw arguments.

import { jsonOf, recordOf } from './loose.ts';
import type { ModelErrorKind } from './model-error.ts';
import type { SseEvent } from './sse.ts';

export type Finish = 'stop' | 'length' | 'calls';

/** A call as it was streamed. */
export interface WireCall {
  /** The provider's id; made here only when the provider gave none, or the same one twice in a reply. */
  readonly id: string;
  readonly name: string;
  readonly args: string;
  /** What else the provider put on the call and wants back with it. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** A fault found in the stream; the wire adds the endpoint. */
export class StreamFault extends Error {
  readonly kind: ModelErrorKind;

  constructor(kind: ModelErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Reads one reply of one API, and writes it again in the form that pi-ai reads right. */
export interface WireReader {
  /** Takes an event and returns the stream text to pass on. Throws StreamFault. */
  take(event: SseEvent): string;
  /** Takes a whole JSON answer where a stream was asked for. */
  takeWhole(json: unknown): string;
  /** True when nothing more is to come. */
  done(): boolean;
  /** True when the finish reason has been seen: a connection that breaks after that loses nothing but usage. */
  finished(): boolean;
  /** Closes the reply: the last stream text. Throws StreamFault when it is not complete. */
  end(): string;
  finish(): Finish;
  calls(): readonly WireCall[];
}

/** Ids already given in one reply. A provider's own id is echoed unchanged; only a missing or repeated one is replaced. */
export function callIds(): (given: string) => string {
  const used = new Set<string>();
  return (given) => {
    let id = given;
    for (let n = used.size; id === '' || used.has(id); n++) id = given === '' ? `call_${n}` : `${given}_${n}`;
    used.add(id);
    return id;
  };
}

/** The one argument of a call whose arguments were JSON, but no object. */
export const NOT_AN_OBJECT = '(not an object)';

/**
 * The arguments of a call, or undefined when the text is no whole JSON object. No text at all means no arguments. Raw
 * control characters inside strings, and an object that was encoded twice, are what some models write: both are read.
 */
export function parseArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.trim() === '') return {};
  const value = jsonOf(text) ?? jsonOf(escapeControls(text));
  if (value === null) return {};
  const inner = typeof value === 'string' ? (jsonOf(value) ?? value) : value;
  // Whole JSON of another kind is no broken stream: the tool frame tells the model what is wrong with it.
  return inner === undefined ? undefined : (recordOf(inner) ?? { [NOT_AN_OBJECT]: inner });
}

/** True when the text is a whole JSON object already: more text would belong to another call. */
export function isWholeObject(text: string): boolean {
  return text.trimStart().startsWith('{') && text.trimEnd().endsWith('}') && recordOf(jsonOf(text)) !== undefined;
}

/** Throws when a call of a complete reply has half-written arguments. */
export function checkArguments(calls: readonly WireCall[]): void {
  for (const { name, args } of calls)
    if (parseArguments(args) === undefined)
      throw new StreamFault('half_arguments', `the arguments of ${name || 'a call'} broke off: ${args.slice(-60)}`);
}

function escapeControls(text: string): string {
  let inString = false;
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\' && inString) out += char + text.charAt(++at);
    else {
      if (char === '"') inString = !inString;
      out += inString && char < ' ' ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char;
    }
  }
  return out;
}
