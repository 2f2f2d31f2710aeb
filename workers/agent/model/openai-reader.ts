// Reads a streamed chat completion. Calls are told apart by what servers really send: own, shared or missing indexes,
// ids only at first or in every piece, names in pieces. They go on to pi-ai each under an index of its own, and the
// finish reason only at the end, since some servers send two.

import { jsonOf, type Loose, listOf, numberOf, recordOf, textOf } from './loose.ts';
import { errorText, kindOfStreamError } from './model-error.ts';
import type { SseEvent } from './sse.ts';
import { callIds, checkArguments, type Finish, isWholeObject, StreamFault, type WireCall, type WireReader } from './wire-reply.ts';

interface OpenCall {
  /** Index given by the server. */
  readonly wireIndex: number | undefined;
  /** Id given by the server, "" so far when none came. */
  wireId: string;
  name: string;
  args: string;
}

const FINISH: Readonly<Record<string, Finish>> = {
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'calls',
  function_call: 'calls',
  tool_use: 'calls',
};
const RANK: readonly Finish[] = ['stop', 'calls', 'length'];

export function openAiReader(): WireReader {
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
    if (reason === 'content_filter') throw new StreamFault('bad_request', 'the reply was stopped by the provider (content_filter)');
    if (reason === 'network_error' || reason === 'insufficient_system_resource' || reason === 'error')
      throw new StreamFault('server', `the reply was stopped by the server (${reason})`);
    const next = FINISH[reason] ?? 'stop';
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
    const error = fields.error ?? (textOf(fields.object) === 'error' ? fields.message : undefined);
    if (error !== undefined && error !== null)
      throw new StreamFault(kindOfStreamError(error), errorText(JSON.stringify({ error })) || 'the server reported an error');
    head = { id: textOf(fields.id) ?? 'reply', created: 0, model: textOf(fields.model) ?? '' };
    return takeChoice(fields);
  };

  // Ids are settled once, at the end: a call's own id may come in a later piece than its name.
  const calls = (): WireCall[] => {
    const idOf = callIds();
    return open.map(({ wireId, name, args }) => ({ id: idOf(wireId), name, args }));
  };

  return {
    take({ data }: SseEvent) {
      if (data.trim() === '') return '';
      if (data.trim() === '[DONE]') {
        done = true;
        return '';
      }
      const value = jsonOf(data);
      if (value === undefined) throw new StreamFault('malformed', `a piece of the stream is no JSON: ${data.slice(0, 2_000)}`);
      return takeFields(value);
    },
    takeWhole(json) {
      done = true;
      return takeFields(json);
    },
    done: () => done,
    finished: () => finish !== undefined,
    end() {
      if (finish === undefined) throw new StreamFault('cut', 'the stream ended without a finish reason');
      const all = calls();
      if (finish !== 'length') checkArguments(all);
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

/** Adds one streamed piece to the call that it belongs to. */
function takeCall(open: OpenCall[], piece: Loose): void {
  const fields = recordOf(piece.function) ?? {};
  const wireIndex = numberOf(piece.index);
  const wireId = textOf(piece.id) ?? '';
  const name = textOf(fields.name) ?? '';
  const args = textOf(fields.arguments) ?? (recordOf(fields.arguments) ? JSON.stringify(fields.arguments) : '');
  let call = callFor(open, wireIndex, wireId, name, args);
  if (call === undefined) {
    call = { wireIndex, wireId, name: '', args: '' };
    open.push(call);
  }
  if (call.wireId === '') call.wireId = wireId;
  // A repeated whole name is not another piece of it.
  if (name !== '' && name !== call.name && call.args === '') call.name += name;
  call.args += args;
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
