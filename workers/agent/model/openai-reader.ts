// Reads a streamed chat completion. Calls are told apart by what servers really send: own, shared or missing indexes,
// ids only at first or in every piece, names in pieces. They go on to pi-ai each under an index of its own, and the
// finish reason only at the end, since some servers send two.

import { jsonOf, type Loose, listOf, numberOf, recordOf, textOf } from './loose.ts';
import { errorText, kindOfStreamError, type ModelErrorKind } from './model-error.ts';
import { type SseEvent, valuesIn } from './sse.ts';
import { callIds, checkArguments, type Finish, isWholeObject, StreamFault, type WireCall, type WireReader } from './wire-reply.ts';

interface OpenCall {
  /** Index given by the server. */
  readonly wireIndex: number | undefined;
  /** Id given by the server, "" so far when none came. */
  wireId: string;
  name: string;
  args: string;
  extra: Record<string, unknown>;
}

/** Where Gemini behind a server of this kind keeps the seal of a call; without it the next request is refused. */
const SEALS = ['extra_content', 'provider_specific_fields', 'thought_signature', 'thoughtSignature'];

/** By lower-case name: servers that translate from another API pass its words on, some in capitals. */
const FINISH: Readonly<Record<string, Finish>> = {
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  max_completion_tokens: 'length',
  model_length: 'length',
  tool_calls: 'calls',
  function_call: 'calls',
  tool_use: 'calls',
};
/** Reasons that are faults, and what kind they are. */
const FAULTS: Readonly<Record<string, ModelErrorKind>> = {
  content_filter: 'bad_request',
  sensitive: 'bad_request',
  safety: 'bad_request',
  recitation: 'bad_request',
  prohibited_content: 'bad_request',
  blocklist: 'bad_request',
  spii: 'bad_request',
  model_context_window_exceeded: 'overflow',
  malformed_function_call: 'half_arguments',
  network_error: 'server',
  insufficient_system_resource: 'server',
  abort: 'server',
  error: 'server',
};
const RANK: readonly Finish[] = ['stop', 'calls', 'length'];

/** With `takeBroken`, arguments that are no JSON are no fault. */
export function openAiReader(takeBroken = false): WireReader {
  const open: OpenCall[] = [];
  let head: Loose = {};
  let finish: Finish | undefined;
  let usage: unknown;
  // Sealed reasoning is matched to calls by their id, so it goes on together with them.
  const details: unknown[] = [];
  let done = false;

  const chunk = (delta: Loose, finishReason: string | null) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;

  const takeFinish = (reason: string) => {
    const known = reason.toLowerCase();
    const fault = FAULTS[known];
    if (fault !== undefined)
      throw new StreamFault(fault, `the reply was stopped by the ${fault === 'server' ? 'server' : 'provider'} (${reason})`);
    const next = FINISH[known] ?? 'stop';
    if (finish === undefined || RANK.indexOf(next) > RANK.indexOf(finish)) finish = next;
  };

  const takeDelta = (delta: Loose): Loose => {
    const out: Record<string, unknown> = {};
    // A refusal is what the model says instead; without it the reply would look empty.
    const content = contentText(delta.content) || (textOf(delta.refusal) ?? '');
    if (content !== '') out.content = content;
    for (const field of ['reasoning_content', 'reasoning', 'reasoning_text']) {
      const text = textOf(delta[field]);
      if (text !== undefined && text !== '') out[field] = text;
    }
    details.push(...listOf(delta.reasoning_details));
    // Held back: pi-ai takes the first piece of a name for all of it, so calls go on when they are complete.
    for (const call of listOf(delta.tool_calls)) takeCall(open, recordOf(call) ?? {});
    // The form before tool calls, of which a reply holds one.
    if (recordOf(delta.function_call)) takeCall(open, { index: 0, function: delta.function_call });
    return out;
  };

  const takeChoice = (fields: Loose): string => {
    const choice = listOf(fields.choices)
      .map(recordOf)
      .find((each) => (numberOf(each?.index) ?? 0) === 0);
    if (fields.usage ?? choice?.usage) usage = fields.usage ?? choice?.usage;
    if (choice === undefined) return '';
    const delta = takeDelta(recordOf(choice.delta) ?? recordOf(choice.message) ?? {});
    const reason = textOf(choice.finish_reason);
    if (reason !== undefined && reason !== '') takeFinish(reason);
    return Object.keys(delta).length > 0 ? chunk(delta, null) : '';
  };

  const takeFields = (value: unknown): string => {
    const fields = recordOf(value);
    if (fields === undefined) throw new StreamFault('malformed', 'a piece of the stream is no JSON object');
    const error = errorIn(fields);
    if (error !== undefined) throw faultOf(error);
    head = { id: textOf(fields.id) ?? 'reply', created: 0, model: textOf(fields.model) ?? '' };
    return takeChoice(fields);
  };

  const takeValue = (data: string): string => {
    if (data.trim() === '' || done) return '';
    if (data.trim() === '[DONE]') {
      done = true;
      return '';
    }
    const value = jsonOf(data);
    if (value === undefined) throw new StreamFault('malformed', `a piece of the stream is no JSON: ${data.slice(0, 2_000)}`);
    return takeFields(value);
  };

  // Ids are settled once, at the end: a call's own id may come in a later piece than its name.
  const calls = (): WireCall[] => {
    const idOf = callIds();
    return open.map(({ wireId, name, args, extra }) => ({
      id: idOf(wireId),
      name,
      args,
      ...(Object.keys(extra).length > 0 && { extra }),
    }));
  };

  return {
    take({ event, data }: SseEvent) {
      if (event === 'error') throw faultOf(errorIn(recordOf(jsonOf(data)) ?? {}) ?? data);
      return valuesIn(data).map(takeValue).join('');
    },
    takeWhole(json) {
      done = true;
      if (listOf(recordOf(json)?.choices).length === 0) throw faultOf(errorIn(recordOf(json) ?? {}) ?? 'the answer holds no reply');
      return takeFields(json);
    },
    done: () => done,
    finished: () => finish !== undefined,
    end() {
      if (finish === undefined) throw new StreamFault('cut', 'the stream ended without a finish reason');
      const all = calls();
      if (finish !== 'length' && !takeBroken) checkArguments(all);
      if (finish !== 'length') finish = all.length > 0 ? 'calls' : 'stop';
      const toolCalls = all.map(({ id, name, args }, index) => ({ index, id, type: 'function', function: { name, arguments: args } }));
      const sealed = details.length > 0 ? { reasoning_details: details } : {};
      const last = finish === 'calls' ? { tool_calls: toolCalls, ...sealed } : {};
      const counted =
        usage === undefined ? '' : `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage })}\n\n`;
      return `${chunk(last, finish === 'calls' ? 'tool_calls' : finish)}${counted}data: [DONE]\n\n`;
    },
    finish: () => finish ?? 'stop',
    calls,
  };
}

/** What a piece says is wrong, in the forms that servers use, also under a status of success; undefined for an ordinary piece. */
function errorIn(fields: Loose): unknown {
  if (fields.error !== undefined && fields.error !== null) return fields.error;
  const own = recordOf(fields.base_resp);
  if ((numberOf(own?.status_code) ?? 0) !== 0) return { message: own?.status_msg };
  const said = textOf(fields.message) ?? textOf(fields.msg) ?? textOf(fields.detail);
  const noReply = fields.choices === undefined || fields.choices === null;
  return said !== undefined && (noReply || fields.object === 'error') ? { message: said, code: fields.code, type: fields.type } : undefined;
}

function faultOf(error: unknown): StreamFault {
  return new StreamFault(kindOfStreamError(error), errorText(JSON.stringify({ error })) || 'the server reported an error');
}

/** Adds one streamed piece to the call that it belongs to. */
function takeCall(open: OpenCall[], piece: Loose): void {
  const fields = recordOf(piece.function) ?? {};
  const wireIndex = numberOf(piece.index);
  const wireId = textOf(piece.id) ?? '';
  const name = textOf(fields.name) ?? '';
  const args = textOf(fields.arguments) ?? (recordOf(fields.arguments) ? JSON.stringify(fields.arguments) : '');
  let call = callFor(open, wireIndex, wireId, name, args);
  if (call === undefined) {
    call = { wireIndex, wireId, name: '', args: '', extra: {} };
    open.push(call);
  }
  if (call.wireId === '') call.wireId = wireId;
  // A repeated whole name is not another piece of it.
  if (name !== '' && name !== call.name && call.args === '') call.name += name;
  call.args += args;
  for (const key of SEALS) if (piece[key] !== undefined && piece[key] !== null) call.extra[key] = piece[key];
}

/** The open call that a piece continues, or undefined when it begins another. */
function callFor(open: readonly OpenCall[], index: number | undefined, id: string, name: string, args: string): OpenCall | undefined {
  const near = index === undefined ? open : open.filter((call) => call.wireIndex === index);
  const last = near.at(-1);
  if (last === undefined) return undefined;
  if (id !== '') {
    const own = near.findLast((call) => call.wireId === id);
    if (own === undefined && last.wireId !== '') return undefined;
    const call = own ?? last;
    return startsAnew(call, id, name, args) ? undefined : call;
  }
  return startsAnew(last, id, name, args) ? undefined : last;
}

/** True when a piece cannot belong to a call: another name begins, or the arguments are whole and more come. */
function startsAnew(call: OpenCall, id: string, name: string, args: string): boolean {
  if (call.args === '') return false;
  if (name !== '' && name !== call.name) return true;
  const begins = args.trimStart().startsWith('{') || (name !== '' && id === '');
  return begins && isWholeObject(call.args);
}

/** Text of a delta's content, which some servers send as a list of parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => textOf(recordOf(part)?.text) ?? '')
    .join('');
}
