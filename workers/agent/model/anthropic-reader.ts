// Reads a streamed Anthropic message. Events pass on nearly as they came; what is kept is the stop reason and each
// tool use with its raw arguments, and small gaps of compatible servers are filled.

import { jsonOf, type Loose, numberOf, recordOf, textOf } from './loose.ts';
import { errorText, kindOfStreamError } from './model-error.ts';
import { type SseEvent, valuesIn } from './sse.ts';
import { callIds, checkArguments, type Finish, StreamFault, type WireCall, type WireReader } from './wire-reply.ts';

interface OpenUse {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  /** Input that came whole with the block's start. */
  readonly whole: string;
  args: string;
}

const STOP: Readonly<Record<string, Finish>> = { max_tokens: 'length', model_context_window_exceeded: 'length', tool_use: 'calls' };
const STOP_NAME: Readonly<Record<Finish, string>> = { stop: 'end_turn', length: 'max_tokens', calls: 'tool_use' };

/** With `takeBroken`, arguments that are no JSON are no fault. */
export function anthropicReader(takeBroken = false): WireReader {
  const uses: OpenUse[] = [];
  const idOf = callIds();
  let finish: Finish | undefined;
  let done = false;

  const write = (type: string, fields: Loose) => `event: ${type}\ndata: ${JSON.stringify({ ...fields, type })}\n\n`;

  const takeBlock = (fields: Loose): Loose => {
    const block = recordOf(fields.content_block) ?? {};
    if (block.type !== 'tool_use') return fields;
    const id = idOf(textOf(block.id) ?? '');
    const input = recordOf(block.input) ?? {};
    const whole = Object.keys(input).length > 0 ? JSON.stringify(input) : '';
    uses.push({ index: numberOf(fields.index) ?? uses.length, id, name: textOf(block.name) ?? '', whole, args: '' });
    return { ...fields, content_block: { ...block, id, input } };
  };

  const takeStop = (fields: Loose): Loose => {
    const delta = recordOf(fields.delta) ?? {};
    const reason = textOf(delta.stop_reason);
    if (reason === 'refusal' || reason === 'sensitive')
      throw new StreamFault('bad_request', `the reply was stopped by the provider (${reason})`);
    if (reason !== undefined) finish = STOP[reason] ?? 'stop';
    // pi-ai knows a fixed list of reasons and expects usage to be there.
    return {
      ...fields,
      delta: reason === undefined ? delta : { ...delta, stop_reason: STOP_NAME[finish ?? 'stop'] },
      usage: recordOf(fields.usage) ?? {},
    };
  };

  const pass = (type: string, fields: Loose): string => {
    switch (type) {
      case 'message_start': {
        const message = recordOf(fields.message) ?? {};
        return write(type, { ...fields, message: { ...message, usage: recordOf(message.usage) ?? {} } });
      }
      case 'content_block_start':
        return write(type, takeBlock(fields));
      case 'content_block_delta': {
        const delta = recordOf(fields.delta) ?? {};
        const use = delta.type === 'input_json_delta' ? uses.findLast(({ index }) => index === numberOf(fields.index)) : undefined;
        if (use) use.args += textOf(delta.partial_json) ?? '';
        return write(type, fields);
      }
      case 'content_block_stop':
        return write(type, fields);
      case 'message_delta':
        return write(type, takeStop(fields));
      case 'message_stop':
        done = true;
        return '';
      case 'error':
        throw new StreamFault(
          kindOfStreamError(fields.error ?? fields),
          errorText(JSON.stringify(fields)) || 'the server reported an error',
        );
      default:
        return '';
    }
  };

  const takeValue = (event: string, data: string): string => {
    if (data.trim() === '' || data.trim() === '[DONE]') return '';
    const fields = recordOf(jsonOf(data));
    if (fields === undefined) throw new StreamFault('malformed', `a piece of the stream is no JSON object: ${data.slice(0, 2_000)}`);
    return pass(textOf(fields.type) ?? event, fields);
  };

  const calls = (): WireCall[] => uses.map(({ id, name, args, whole }) => ({ id, name, args: args === '' ? whole : args }));

  return {
    take({ event, data }: SseEvent) {
      return valuesIn(data)
        .map((value) => takeValue(event, value))
        .join('');
    },
    takeWhole(json) {
      const fields = recordOf(json) ?? {};
      if (fields.type === 'error' || recordOf(fields.error)) return pass('error', fields);
      throw new StreamFault('malformed', 'the answer is one JSON value instead of a stream');
    },
    done: () => done,
    finished: () => finish !== undefined,
    end() {
      if (finish === undefined) throw new StreamFault('cut', 'the stream ended without a stop reason');
      if (finish !== 'length') {
        if (!takeBroken) checkArguments(calls());
        finish = uses.length > 0 ? 'calls' : 'stop';
      }
      return write('message_stop', {});
    },
    finish: () => finish ?? 'stop',
    calls,
  };
}
