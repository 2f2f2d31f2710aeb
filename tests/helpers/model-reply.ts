// How a scripted reply goes over the wire, in the form of either API: the pieces of a server-sent event stream, or one
// whole JSON body. What real servers get wrong is an option of the reply.

/** One call of a reply. Arguments given as a string are sent as they are, also when they are no JSON. */
export interface ReplyCall {
  readonly name: string;
  readonly args?: Readonly<Record<string, unknown>> | string;
  /** Default: a fresh id. */
  readonly id?: string;
}

export interface Reply {
  readonly text?: string;
  /** Sent as `reasoning_content`, or as a thinking block with a signature. */
  readonly reasoning?: string;
  readonly signature?: string;
  readonly calls?: readonly ReplyCall[];
  /** The finish or stop reason; null sends none. Default: what fits. */
  readonly finish?: string | null;
  /** Tokens as that API names them; false sends none. Default: a count of the request's characters. */
  readonly usage?: Readonly<Record<string, unknown>> | false;
  /** An HTTP error instead of a reply. */
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Before the answer begins. */
  readonly delayMs?: number;
  /** Between pieces. */
  readonly chunkMs?: number;
  /** Characters of text in a piece. Default 24. */
  readonly chunk?: number;
  /** Ends the connection half-way: `fin` cleanly, `destroy` by resetting it; `hang` keeps it open and silent. */
  readonly cut?: 'fin' | 'destroy' | 'hang';
  /** Where the cut falls. Default: `text`, half-way through the text; `calls`, after half of the last call's arguments; `end`, just before the finish reason; `start`, before the first piece. */
  readonly cutAt?: 'start' | 'text' | 'calls' | 'end';
  /** Sends the body byte by byte. */
  readonly bytewise?: true;
  /** Line ending of the stream. Default "\n". */
  readonly eol?: string;
  /** Adds comment and heartbeat lines between the pieces. */
  readonly heartbeats?: true;
  /** `index` of streamed calls: each its own, all 0, or left out. */
  readonly index?: 'own' | 'shared' | 'none';
  /** Repeats id and name in every piece of a call. */
  readonly repeatId?: true;
  /** Sends the name in pieces. */
  readonly namePieces?: true;
  /** Sends the finish reason twice. */
  readonly finishTwice?: true;
  /** Leaves out `data: [DONE]`. */
  readonly noDone?: true;
  /** The whole body, piece by piece, instead of a made one. */
  readonly raw?: readonly string[];
  /** Content type of a raw body. Default `text/event-stream`. */
  readonly contentType?: string;
}

/** One piece of a stream, or the place where the connection is to be cut. */
export type WirePiece = string | { readonly cut: true };

let made = 0;
const callId = (call: ReplyCall): string => call.id ?? `call_${Date.now().toString(36)}_${made++}`;
const argsText = (call: ReplyCall): string => (typeof call.args === 'string' ? call.args : JSON.stringify(call.args ?? {}));
const split = (text: string, size: number): string[] => text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'gu')) ?? [];

function openAiUsage(reply: Reply, requestLength: number): Readonly<Record<string, unknown>> | undefined {
  if (reply.usage === false) return undefined;
  const prompt = Math.ceil(requestLength / 4);
  return reply.usage ?? { prompt_tokens: prompt, completion_tokens: 20, total_tokens: prompt + 20 };
}

/** A chat completion in one JSON body. */
export function openAiWhole(reply: Reply, model: string, requestLength: number): unknown {
  const calls = reply.calls ?? [];
  const toolCalls = calls.map((call) => ({ id: callId(call), type: 'function', function: { name: call.name, arguments: argsText(call) } }));
  const message = {
    role: 'assistant',
    content: reply.text ?? null,
    ...(reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  const finish = reply.finish === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : reply.finish;
  const usage = openAiUsage(reply, requestLength);
  return {
    id: 'cmpl',
    object: 'chat.completion',
    model,
    choices: [{ index: 0, finish_reason: finish, message }],
    ...(usage ? { usage } : {}),
  };
}

/** A chat completion as server-sent events. */
export function* openAiStream(reply: Reply, model: string, requestLength: number): Generator<WirePiece> {
  const eol = reply.eol ?? '\n';
  const chunk = (delta: unknown, finish: string | null = null, extra: object = {}) =>
    `data: ${JSON.stringify({ id: 'cmpl', object: 'chat.completion.chunk', created: 0, model, choices: [{ index: 0, delta, finish_reason: finish }], ...extra })}${eol}${eol}`;
  const cutAt = reply.cut === undefined ? undefined : (reply.cutAt ?? (reply.text ? 'text' : reply.calls ? 'calls' : 'end'));
  if (cutAt === 'start') yield { cut: true };
  yield chunk({ role: 'assistant', content: '' });
  for (const piece of split(reply.reasoning ?? '', reply.chunk ?? 24)) yield chunk({ reasoning_content: piece });
  const text = split(reply.text ?? '', reply.chunk ?? 24);
  for (const [at, piece] of text.entries()) {
    if (reply.heartbeats) yield `: keep-alive${eol}${eol}:${eol}`;
    yield chunk({ content: piece });
    if (cutAt === 'text' && at + 1 >= text.length / 2) yield { cut: true };
  }
  const calls = reply.calls ?? [];
  for (const [at, call] of calls.entries()) {
    const id = callId(call);
    const place = reply.index === 'none' ? {} : { index: reply.index === 'shared' ? 0 : at };
    const names = reply.namePieces ? split(call.name, 3) : [call.name];
    yield chunk({ tool_calls: [{ ...place, id, type: 'function', function: { name: names[0] ?? '', arguments: '' } }] });
    for (const name of names.slice(1)) yield chunk({ tool_calls: [{ ...place, function: { name } }] });
    const args = split(argsText(call), 12);
    const half = at === calls.length - 1 && cutAt === 'calls' ? Math.ceil(args.length / 2) : undefined;
    for (const piece of args.slice(0, half)) {
      const again = reply.repeatId ? { id, function: { name: call.name, arguments: piece } } : { function: { arguments: piece } };
      yield chunk({ tool_calls: [{ ...place, ...again }] });
    }
  }
  if (cutAt !== undefined) yield { cut: true };
  const finish = reply.finish === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : reply.finish;
  if (finish !== null) yield chunk({}, finish);
  if (finish !== null && reply.finishTwice) yield chunk({}, 'stop');
  const usage = openAiUsage(reply, requestLength);
  if (usage)
    yield `data: ${JSON.stringify({ id: 'cmpl', object: 'chat.completion.chunk', created: 0, model, choices: [], usage })}${eol}${eol}`;
  if (!reply.noDone) yield `data: [DONE]${eol}${eol}`;
}

/** An Anthropic message as server-sent events. */
export function* anthropicStream(reply: Reply, model: string, requestLength: number): Generator<WirePiece> {
  const eol = reply.eol ?? '\n';
  const event = (type: string, fields: object = {}) => `event: ${type}${eol}data: ${JSON.stringify({ type, ...fields })}${eol}${eol}`;
  const cutAt = reply.cut === undefined ? undefined : (reply.cutAt ?? (reply.text ? 'text' : reply.calls ? 'calls' : 'end'));
  const usage = reply.usage === false ? {} : (reply.usage ?? { input_tokens: Math.ceil(requestLength / 4), output_tokens: 20 });
  if (cutAt === 'start') yield { cut: true };
  yield event('message_start', {
    message: { id: 'msg', type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage },
  });
  let index = 0;
  if (reply.reasoning !== undefined) {
    yield event('content_block_start', { index, content_block: { type: 'thinking', thinking: '', signature: '' } });
    for (const thinking of split(reply.reasoning, reply.chunk ?? 24))
      yield event('content_block_delta', { index, delta: { type: 'thinking_delta', thinking } });
    yield event('content_block_delta', { index, delta: { type: 'signature_delta', signature: reply.signature ?? 'c2ln' } });
    yield event('content_block_stop', { index: index++ });
  }
  if (reply.text !== undefined) {
    yield event('content_block_start', { index, content_block: { type: 'text', text: '' } });
    const pieces = split(reply.text, reply.chunk ?? 24);
    for (const [at, text] of pieces.entries()) {
      if (reply.heartbeats) yield `: keep-alive${eol}${eol}${event('ping')}`;
      yield event('content_block_delta', { index, delta: { type: 'text_delta', text } });
      if (cutAt === 'text' && at + 1 >= pieces.length / 2) yield { cut: true };
    }
    yield event('content_block_stop', { index: index++ });
  }
  const calls = reply.calls ?? [];
  for (const [at, call] of calls.entries()) {
    yield event('content_block_start', { index, content_block: { type: 'tool_use', id: callId(call), name: call.name, input: {} } });
    const args = split(argsText(call), 12);
    const half = at === calls.length - 1 && cutAt === 'calls' ? Math.ceil(args.length / 2) : undefined;
    for (const piece of args.slice(0, half))
      yield event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: piece } });
    if (half === undefined) yield event('content_block_stop', { index });
    index++;
  }
  if (cutAt !== undefined) yield { cut: true };
  const stop = reply.finish === undefined ? (calls.length > 0 ? 'tool_use' : 'end_turn') : reply.finish;
  if (stop !== null) yield event('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage });
  if (!reply.noDone) yield event('message_stop');
}

/** Bag-of-words vectors: texts that share words are near, so nearest-neighbour tests have a right answer. */
export function embeddings(input: readonly string[], dimensions: number): number[][] {
  return input.map((text) => {
    const vector = new Array<number>(dimensions).fill(0);
    for (const word of text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]+/gu) ?? []) {
      let hash = 2166136261;
      for (const char of word) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619);
      const at = (hash >>> 0) % dimensions;
      vector[at] = (vector[at] ?? 0) + 1;
    }
    const norm = Math.hypot(...vector) || 1;
    return vector.map((x) => x / norm);
  });
}
