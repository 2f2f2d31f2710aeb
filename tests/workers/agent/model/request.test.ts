// E1, E4: whatever is stored, what is sent is well-formed.
import { describe, expect, it } from 'vitest';
import { type AssistantContent, type Content, callsOf, NO_USAGE, type Part, type ToolContent } from '../../../../store/sessions/message.ts';
import { openModel } from '../../../../workers/agent/model/model.ts';
import { INTERRUPTED, isMistral, NO_OUTPUT, NOT_EXECUTED, type RequestRow, wellFormed } from '../../../../workers/agent/model/request.ts';
import { pairingFault, type SentBody, sentText, startModelServer } from '../../../helpers/model-server.ts';
import { ask, settingsFor, user } from './asking.ts';

const TARGET = { provider: 'custom', model: 'scripted', api: 'openai-completions' } as const;
const call = (id: string, args: Record<string, unknown> = {}): Part => ({ type: 'call', id, name: 'grep', arguments: args });
const text = (words: string): Part => ({ type: 'text', text: words });
const reply = (parts: Part[], more: Partial<AssistantContent> = {}): AssistantContent => ({
  role: 'assistant',
  parts,
  ...TARGET,
  finish: parts.some((part) => part.type === 'call') ? 'calls' : 'stop',
  usage: NO_USAGE,
  costUsd: null,
  ...more,
});
const result = (callRow: number, callIndex: number, words = 'found', more: Partial<ToolContent> = {}): ToolContent => ({
  role: 'tool',
  callRow,
  callIndex,
  callId: 'any',
  name: 'grep',
  text: words,
  isError: false,
  ...more,
});
const rows = (...contents: Content[]): RequestRow[] => contents.map((content, at) => ({ id: at + 1, content }));
const shape = (contents: readonly Content[]) =>
  contents.map((content) =>
    content.role === 'assistant' ? content.parts.map((part) => (part.type === 'call' ? part.id : part.text)) : content.text,
  );

describe('pictures', () => {
  const picture = (size = 10) => ({ data: 'A'.repeat(size), mediaType: 'image/png' });
  const shown = (pictures: ReturnType<typeof picture>[]) => {
    const list = pictures.map((image, at): Content => ({ role: 'user', text: `look ${at}`, images: [image] }));
    const sent = wellFormed(rows(...list.flatMap((content) => [content, reply([text('seen')])])), TARGET);
    return sent.flatMap((content) => (content.role === 'user' ? [content.images?.length ?? 0] : []));
  };

  it('are sent again up to a number, the oldest left out in steps and with a word', () => {
    expect(shown(Array.from({ length: 20 }, () => picture()))).toEqual([...Array(20).fill(1), 0]);
    for (const count of [21, 25, 30]) {
      const sent = shown(Array.from({ length: count }, () => picture()));
      expect(sent.slice(0, 11)).toEqual([...Array(10).fill(0), 1]);
    }
    const many = rows(...Array.from({ length: 25 }, (): Content => ({ role: 'user', text: 'look', images: [picture()] })));
    const sent = wellFormed(many, TARGET);
    expect(sent).toMatchObject([{ role: 'user', text: expect.stringContaining('the picture is not sent again') }]);
  });

  it('are left out before they make the request too large, the newest never', () => {
    expect(shown([picture(9e6), picture(9e6), picture(9e6)])).toEqual([0, 1, 1, 0]);
    expect(shown([picture(5), picture(3e7)])).toEqual([0, 1, 0]);
  });
});

describe('a stored conversation becomes a well-formed request', () => {
  it('answers a call that a kill left unanswered, in the order of the calls', () => {
    const healed = wellFormed(
      rows(user('go'), reply([call('a'), call('b'), call('c')]), result(2, 2, 'third'), result(2, 0, 'first'), user('go on')),
      TARGET,
    );
    expect(shape(healed)).toEqual(['go', ['a', 'b', 'c'], 'first', INTERRUPTED, 'third', 'go on']);
    expect(healed[3]).toMatchObject({ callId: 'b', isError: true });
    expect(INTERRUPTED.startsWith('interrupted, outcome unknown')).toBe(true);
  });

  it('drops results of calls that are not there, and second results', () => {
    const healed = wellFormed(
      rows(result(9, 0), user('go'), reply([call('a')]), result(3, 0, 'one'), result(3, 0, 'two'), result(3, 5)),
      TARGET,
    );
    expect(shape(healed)).toEqual(['go', ['a'], 'one']);
  });

  it('says "(no output)" for an empty result and leaves empty replies out', () => {
    const healed = wellFormed(
      rows(
        user('go'),
        reply([text('')]),
        reply([text(' \n\n')]),
        reply([{ type: 'thinking', text: 'hm' }], { finish: 'aborted' }),
        user('again'),
        reply([text('\n'), call('a')]),
        result(6, 0, '  \n'),
      ),
      TARGET,
    );
    expect(shape(healed)).toEqual(['go\n\nagain', ['a'], NO_OUTPUT]);
  });

  it('tells that calls of a reply at the output limit were not executed', () => {
    expect(shape(wellFormed(rows(user('go'), reply([call('a')], { finish: 'length' })), TARGET))).toEqual(['go', ['a'], NOT_EXECUTED]);
  });

  it('keeps the words of an aborted or failed reply, not its calls', () => {
    const healed = wellFormed(rows(user('go'), reply([text('half'), call('a')], { finish: 'error' }), user('go on')), TARGET);
    expect(shape(healed)).toEqual(['go', ['half'], 'go on']);
  });

  it('begins and ends with somebody other than the assistant', () => {
    const healed = wellFormed(rows(reply([text('one')]), reply([text('two')])), TARGET);
    expect(healed.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(wellFormed([], TARGET).map(({ role }) => role)).toEqual(['user']);
  });

  it('has no half of a surrogate pair anywhere, and keeps whole ones', () => {
    const healed = wellFormed(
      rows(user('a\ud800b 🌍'), reply([text('\udc00'), call('a', { 'k\ud800': ['v\udfff', { deep: '\ud83c' }] })]), result(2, 0, '\ud83d')),
      TARGET,
    );
    expect(JSON.stringify(healed)).not.toMatch(/\\ud[89a-f]/i);
    expect(shape(healed)[0]).toBe('a\ufffdb 🌍');
  });

  it('keeps reasoning for the model that thought it and strips it for others', () => {
    const thought = reply([{ type: 'thinking', text: 'hm', signature: 'reasoning_content' }, text('yes')]);
    expect(shape(wellFormed(rows(user('go'), thought, user('on')), TARGET))[1]).toEqual(['hm', 'yes']);
    expect(shape(wellFormed(rows(user('go'), thought, user('on')), { ...TARGET, model: 'other' }))[1]).toEqual(['yes']);
  });

  it('makes ids of another provider fit, and equal ids of one reply different', () => {
    const foreign = { provider: 'kimi', model: 'k' } as const;
    const list = rows(
      user('go'),
      reply([call('read:0'), call('read:0')], foreign),
      result(2, 0, 'one'),
      result(2, 1, 'two'),
      reply([call('read:0')], foreign),
      result(5, 0, 'three'),
    );
    const ids = wellFormed(list, { ...TARGET, api: 'anthropic-messages' }).flatMap((content) =>
      content.role === 'assistant' ? callsOf(content).map(({ id }) => id) : content.role === 'tool' ? [content.callId] : [],
    );
    expect(ids).toEqual(['read_0', 'read_0_1', 'read_0', 'read_0_1', 'read_0_2', 'read_0_2']);
  });
});

/** A small seeded generator, so that a failure can be repeated. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % sides;
  };
}

function randomRows(seed: number): RequestRow[] {
  const roll = dice(seed);
  const words = ['', ' ', '\n\n', 'do it', '你好🌍', '\ud800', 'x'.repeat(30)];
  const word = () => words[roll(words.length)] ?? '';
  const list: RequestRow[] = [];
  const replies: number[] = [];
  for (let id = 1; id <= 24; id++) {
    const kind = roll(10);
    if (kind < 3) list.push({ id, content: { role: 'user', text: word(), ...(roll(3) === 0 ? { background: word() } : {}) } });
    else if (kind < 7) {
      const parts: Part[] = [];
      if (roll(3) === 0) parts.push({ type: 'thinking', text: word(), ...(roll(2) === 0 ? { signature: 'reasoning_content' } : {}) });
      if (roll(2) === 0) parts.push(text(word()));
      for (let n = roll(4); n > 0; n--)
        parts.push({
          type: 'call',
          id: ['', 'a', 'read:0', `c${id}`][roll(4)] ?? '',
          name: roll(9) === 0 ? 'bad name!' : 'grep',
          arguments: { p: word() },
        });
      const finish = (['stop', 'calls', 'length', 'error', 'aborted'] as const)[roll(5)] ?? 'stop';
      list.push({ id, content: reply(parts, { finish, model: roll(3) === 0 ? 'other' : 'scripted' }) });
      replies.push(id);
    } else list.push({ id, content: result(replies[roll(replies.length || 1)] ?? roll(24), roll(4), word()) });
  }
  return list;
}

function faultOf(body: SentBody): string {
  const { messages } = body;
  const roles = messages.filter(({ role }) => role !== 'system').map(({ role }) => role);
  if (roles[0] !== 'user') return `starts with ${roles[0]}`;
  if (roles.at(-1) === 'assistant') return 'ends with the assistant';
  if (roles.some((role, at) => role !== 'tool' && role === roles[at - 1])) return `two ${roles.join(' ')}`;
  for (const message of messages) {
    const empty = sentText(message).trim() === '';
    if (empty && (message.role !== 'assistant' || message.tool_calls === undefined)) return `empty ${message.role}`;
    if (typeof message.content === 'string' && empty) return 'an empty string beside calls';
    for (const each of message.tool_calls ?? [])
      if (each.id === '' || !/^[\w-]{1,64}$/.test(each.function.name)) return `call ${each.id} ${each.function.name}`;
  }
  if (/\\ud[89a-f]/i.test(JSON.stringify(messages))) return 'no valid Unicode';
  return pairingFault(body);
}

it('any history, cut at any index, is sent well-formed; and healing twice changes nothing', async () => {
  const server = await startModelServer();
  const model = openModel(settingsFor(server));
  for (let seed = 1; seed <= 60; seed++) {
    const list = randomRows(seed);
    for (let end = 0; end <= list.length; end++) {
      const healed = wellFormed(list.slice(0, end), TARGET);
      expect(
        wellFormed(
          healed.map((content) => ({ content })),
          TARGET,
        ),
        `seed ${seed} cut at ${end}`,
      ).toEqual(healed);
      if (seed > 8) continue;
      server.requests.length = 0;
      await ask(model, healed);
      const sent = server.requests[0]?.body;
      expect(sent && faultOf(sent), `seed ${seed} cut at ${end}`).toBe('');
    }
  }
});

it('any history is answered call by call for Anthropic too', async () => {
  const server = await startModelServer();
  const model = openModel(settingsFor(server, { api: 'anthropic-messages' }));
  for (let seed = 1; seed <= 40; seed++) {
    server.requests.length = 0;
    await ask(model, wellFormed(randomRows(seed), { ...TARGET, api: 'anthropic-messages' }));
    const messages = server.requests[0]?.body.messages ?? [];
    const blocks = (at: number, type: string, key: string) =>
      (Array.isArray(messages[at]?.content) ? messages[at].content : []).filter((block) => block.type === type).map((block) => block[key]);
    messages.forEach((message, at) => {
      const uses = blocks(at, 'tool_use', 'id');
      expect(blocks(at + 1, 'tool_result', 'tool_use_id'), `seed ${seed} message ${at}`).toEqual(uses);
      expect(new Set(uses).size).toBe(uses.length);
      if (message.role === 'assistant') expect(message.content?.length).toBeGreaterThan(0);
    });
    expect(messages[0]?.role).toBe('user');
    expect(messages.at(-1)?.role).toBe('user');
  }
});

it('what a model of Mistral’s is sent has ids of nine letters and a reply between a result and what the person says', async () => {
  const server = await startModelServer(() => ({ text: 'ok' }));
  const given = [
    user('hi'),
    reply([call('bash:0'), call('bash:1'), call('abcDEF123')]),
    result(1, 0),
    result(1, 1),
    result(1, 2),
    user('go on'),
  ];
  await ask(openModel(settingsFor(server, { provider: 'mistral', model: 'some-latest' })), given);
  const sent = server.requests[0]?.body.messages ?? [];
  expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool', 'tool', 'assistant', 'user']);
  expect(pairingFault({ model: '', messages: sent })).toBe('');
  const ids = sent.flatMap((message) => (Array.isArray(message.tool_calls) ? message.tool_calls : [])).map(({ id }) => id);
  expect(ids).toEqual([expect.stringMatching(/^[a-f0-9]{9}$/), expect.stringMatching(/^[a-f0-9]{9}$/), 'abcDEF123']);
  expect(new Set(ids).size).toBe(3);
  const names = ['mistralai/Devstral-Small-2-24B', 'ministral-8b', 'open-mixtral-8x7b', 'gpt-4o', 'administral'];
  expect(names.map((model) => isMistral({ provider: 'custom', model }))).toEqual([true, true, true, false, false]);
});
