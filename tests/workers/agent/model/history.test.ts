// What each API is sent of a conversation: background, images, reasoning, cache marks, limits.
import { describe, expect, it } from 'vitest';
import type { AssistantContent, Content } from '../../../../store/sessions/message.ts';
import { openModel } from '../../../../workers/agent/model/model.ts';
import { inOrder, startModelServer } from '../../../helpers/model-server.ts';
import { ask, settingsFor, user } from './asking.ts';

const answer = (reply: AssistantContent, text = 'found'): Content => ({
  role: 'tool',
  callRow: 0,
  callIndex: 0,
  callId: 'x',
  name: reply.role,
  text,
  isError: false,
});

describe('chat completions', () => {
  it('get reasoning back from the model that thought it, as the field it came in', async () => {
    const server = await startModelServer(
      inOrder({ reasoning: 'step by step', calls: [{ name: 'grep', args: { pattern: 'a' }, id: 'c' }] }),
    );
    const model = openModel(settingsFor(server, { reasoning: true }));
    const { content } = await ask(model, [user('hi')]);
    await ask(model, [user('hi'), content, answer(content)]);
    expect(server.requests[1]?.body.messages[2]).toMatchObject({ role: 'assistant', reasoning_content: 'step by step' });
    await ask(openModel(settingsFor(server, { model: 'other' })), [user('hi'), content, answer(content)], { tools: [] });
    expect(server.requests[2]?.body.tools).toBeUndefined();
    expect(JSON.stringify(server.requests[2]?.body)).not.toContain('step by step');
  });

  it('get background before the text, marked as no request of the person', async () => {
    const server = await startModelServer();
    await ask(openModel(settingsFor(server)), [{ role: 'user', text: 'the request', background: 'recalled topic' }]);
    const sent = server.requests[0]?.body.messages[1]?.content;
    expect(sent).toMatch(/^<background>[\s\S]*recalled topic[\s\S]*<\/background>\n\nthe request$/);
  });

  it('get images only when the model takes them', async () => {
    const server = await startModelServer();
    const message: Content = { role: 'user', text: 'look', images: [{ data: 'aGk=', mediaType: 'image/png' }] };
    await ask(openModel(settingsFor(server, { images: true })), [message]);
    await ask(openModel(settingsFor(server)), [message]);
    expect(JSON.stringify(server.requests[0]?.body)).toContain('data:image/png;base64,aGk=');
    expect(JSON.stringify(server.requests[1]?.body)).not.toContain('aGk=');
    expect(JSON.stringify(server.requests[1]?.body)).toContain('image omitted');
  });

  it('promise no more output than half of the window, and no limit that nobody knows', async () => {
    const server = await startModelServer();
    await ask(openModel(settingsFor(server, { contextWindow: 8_000, maxOutput: 8_000 })), [user('hi')]);
    await ask(openModel(settingsFor(server)), [user('hi')]);
    await ask(openModel(settingsFor(server, { provider: 'kimi', model: 'kimi-for-coding' })), [user('hi')], { maxOutput: 100 });
    expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([4_000, undefined, 100]);
  });

  it('of Kimi carry the cache key, no temperature, and a reasoning field on every reply', async () => {
    const server = await startModelServer(inOrder({ calls: [{ name: 'grep', args: { pattern: 'a' }, id: 'c' }] }));
    const model = openModel(settingsFor(server, { provider: 'kimi', model: 'kimi-for-coding' }));
    const { content } = await ask(model, [user('hi')]);
    await ask(model, [user('hi'), content, answer(content)]);
    const body = server.requests[1]?.body;
    expect(body).toMatchObject({ prompt_cache_key: 's1', max_tokens: 65_536, stream: true });
    expect(body && 'temperature' in body).toBe(false);
    expect(body?.messages[2]).toMatchObject({ role: 'assistant', reasoning_content: '' });
    expect(model.facts).toMatchObject({ window: 262_144, images: true, price: 'subscription' });
    expect(content.costUsd).toBeNull();
  });
});

describe('Anthropic messages', () => {
  it('get thinking back with its signature, results in one user message, and marks for the cache', async () => {
    const server = await startModelServer(
      inOrder({ reasoning: 'hm', signature: 'c2lnbmVk', text: 'I look.', calls: [{ name: 'grep', args: { pattern: 'a' }, id: 'c1' }] }),
    );
    const model = openModel(
      settingsFor(server, { api: 'anthropic-messages', provider: 'anthropic', model: 'claude-sonnet-4-5', effort: 'low' }),
    );
    const { content } = await ask(model, [user('hi')]);
    expect(content.parts[0]).toEqual({ type: 'thinking', text: 'hm', signature: 'c2lnbmVk' });
    await ask(model, [user('hi'), content, answer(content)]);
    const body = server.requests[1]?.body;
    expect(body?.messages[1]).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'c2lnbmVk' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'c1', name: 'grep', input: { pattern: 'a' } },
      ],
    });
    expect(body?.messages[2]).toMatchObject({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'found', cache_control: { type: 'ephemeral' } }],
    });
    expect(body?.system).toMatchObject([{ text: 'You are a test.', cache_control: { type: 'ephemeral' } }]);
    expect(body?.max_tokens).toBe(64_000);
    expect(server.requests[1]?.path).toBe('/v1/messages');
  });

  it('read a tool input that came whole, and an empty id', async () => {
    const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
    const block = { type: 'tool_use', id: '', name: 'grep', input: { pattern: 'whole' } };
    const raw = [
      event('message_start', { message: { id: 'm', role: 'assistant', content: [] } }),
      event('content_block_start', { index: 0, content_block: block }),
      event('content_block_stop', { index: 0 }),
      event('message_delta', { delta: { stop_reason: 'tool_use' } }),
    ];
    const server = await startModelServer(inOrder({ raw }));
    const { content } = await ask(openModel(settingsFor(server, { api: 'anthropic-messages' })), [user('hi')]);
    expect(content).toMatchObject({
      finish: 'calls',
      parts: [{ type: 'call', name: 'grep', arguments: { pattern: 'whole' }, id: expect.stringMatching(/./) }],
    });
  });
});
