// Servers without a parser of their own leave the reasoning in the text; it is not what the model said.
import { describe, expect, it, test } from 'vitest';
import type { Delta } from '../../../../workers/agent/model/model.ts';
import { openModel } from '../../../../workers/agent/model/model.ts';
import { thinkingFilter } from '../../../../workers/agent/model/think-text.ts';
import { inOrder, sentText, startModelServer } from '../../../helpers/model-server.ts';
import { ask, askServer, settingsFor, user } from './asking.ts';

const said = (deltas: readonly Delta[], type: Delta['type']) => deltas.flatMap((one) => (one.type === type ? [one.delta] : [])).join('');

test('a leading <think> is reasoning when it is streamed, stored and sent again', async () => {
  const server = await startModelServer(
    inOrder(
      { text: '\n<think>\n先想一想 <b>\n</think>\n\n答案是 42。', chunk: 1, calls: [{ name: 'grep', args: { pattern: 'x' }, id: 'c1' }] },
      { text: 'ok' },
    ),
  );
  const model = openModel(settingsFor(server));
  const { content, deltas } = await ask(model, [user('hi')]);
  expect(content.parts).toMatchObject([
    { type: 'thinking', text: '先想一想 <b>' },
    { type: 'text', text: '答案是 42。' },
    { type: 'call' },
  ]);
  expect([said(deltas, 'thinking').trim(), said(deltas, 'text')]).toEqual(['先想一想 <b>', '答案是 42。']);
  await ask(model, [user('hi'), content, user('go on')]);
  const sent = server.requests[1]?.body.messages.find(({ role }) => role === 'assistant');
  expect(sentText(sent)).toBe('答案是 42。');
  expect(JSON.stringify(sent)).not.toContain('先想一想');
});

describe('what only looks like it stays text', () => {
  it.each([
    'Use <think> and </think> around it.',
    '<thinking about it> is no tag',
    '<think> is how reasoning begins; this one is never closed',
    '<',
    '<thin',
  ])('%s', async (text) => {
    const server = await startModelServer(inOrder({ text, chunk: 3 }));
    const { content, deltas } = await askServer(server);
    expect(content.parts).toEqual([{ type: 'text', text }]);
    expect(said(deltas, 'text')).toBe(text);
  });

  it('also where the API has a field for reasoning', async () => {
    const server = await startModelServer(inOrder({ text: '<think>a</think>b' }, { reasoning: 'r', text: '<think>a</think>b' }));
    expect((await askServer(server, { api: 'anthropic-messages' })).content.parts).toEqual([{ type: 'text', text: '<think>a</think>b' }]);
    const { content, deltas } = await askServer(server);
    expect(content.parts).toMatchObject([
      { type: 'thinking', text: 'r' },
      { type: 'text', text: '<think>a</think>b' },
    ]);
    expect(said(deltas, 'text')).toBe('<think>a</think>b');
  });
});

test('every split of the pieces tells the same', () => {
  const text = ' <think>a < b </thin c</think> \n d <think>e';
  for (let first = 0; first <= text.length; first++)
    for (let second = first; second <= text.length; second++) {
      const deltas: Delta[] = [];
      const filter = thinkingFilter((delta) => void deltas.push(delta));
      for (const piece of [text.slice(0, first), text.slice(first, second), text.slice(second)]) filter.write(piece);
      filter.end();
      expect([said(deltas, 'thinking'), said(deltas, 'text')], `${first} ${second}`).toEqual(['a < b </thin c', 'd <think>e']);
    }
});
