import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Content } from '../../../../store/sessions/message.ts';
import { openScripted, readScript, type Script } from '../../../../workers/agent/model/scripted.ts';
import { tempFolder } from '../../../helpers/temp.ts';
import { ask, user } from './asking.ts';

const SCRIPT: Script = {
  agents: {
    Lead: [
      { text: 'I look at the files first, all of them.', calls: [{ name: 'grep', arguments: { pattern: 'x' } }] },
      { text: 'Done.' },
      { when: 'once more', text: 'Again, then.' },
      { plain: true, text: 'A title' },
    ],
    '*': [
      { when: 'lexer', text: 'lexer done' },
      { when: 'parser', text: 'parser done' },
    ],
  },
};
const found: Content = { role: 'tool', callRow: 0, callIndex: 0, callId: 'x', name: 'grep', text: 'found', isError: false };
const texts = (content: { parts: ReadonlyArray<{ type: string; text?: string }> }) => content.parts.map((part) => part.text ?? part.type);

describe('the scripted model', () => {
  it('plays its steps in order, in pieces', async () => {
    const model = openScripted(SCRIPT, 'Lead');
    const first = await ask(model, [user('go')]);
    expect(first.content).toMatchObject({
      finish: 'calls',
      parts: [{ type: 'text' }, { type: 'call', name: 'grep', arguments: { pattern: 'x' } }],
    });
    expect(first.deltas.length).toBeGreaterThan(2);
    expect(first.deltas.map(({ delta }) => delta).join('')).toBe('I look at the files first, all of them.');
    const second = await ask(model, [user('go'), first.content, found]);
    expect(texts(second.content)).toEqual(['Done.']);
    expect(second.content.usage.total).toBeGreaterThan(0);
  });

  it('goes on where a stored conversation ends', async () => {
    const { content } = await ask(openScripted(SCRIPT, 'Lead'), [user('go')]);
    const { content: next } = await ask(openScripted(SCRIPT, 'Lead'), [user('go'), content, found]);
    expect(texts(next)).toEqual(['Done.']);
  });

  it('chooses by what the request contains, by agent and by whether tools are offered', async () => {
    const { content: parser } = await ask(openScripted(SCRIPT, 'bob'), [user('write the parser')]);
    expect(texts(parser)).toEqual(['parser done']);
    const lead = openScripted(SCRIPT, 'Lead');
    const { content: title } = await ask(lead, [user('go')], { tools: [] });
    expect(texts(title)).toEqual(['A title']);
    const { content: unwritten } = await ask(lead, [user('summarise this')], { tools: [] });
    expect(texts(unwritten)).toEqual(['summarise this']);
  });

  it('says so when nothing is left to play', async () => {
    await expect(ask(openScripted({ agents: { Lead: [] } }, 'Lead'), [user('go')])).rejects.toMatchObject({
      kind: 'bad_request',
      message: expect.stringContaining('no further step for Lead'),
    });
  });

  it('is read from a file, and a wrong one is named', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'good.json'), JSON.stringify(SCRIPT));
    writeFileSync(join(folder, 'bad.json'), '{"agents": {"Lead": [{"text": 5}]}}');
    expect(readScript(join(folder, 'good.json'))).toEqual(SCRIPT);
    expect(() => readScript(join(folder, 'bad.json'))).toThrow(/script/);
    expect(() => readScript(join(folder, 'none.json'))).toThrow(expect.objectContaining({ code: 'not_found' }));
  });

  it('stops on abort', async () => {
    const stop = new AbortController();
    const slow = openScripted({ chunkMs: 1, agents: { Lead: [{ text: 'word '.repeat(500) }] } }, 'Lead');
    let heard = 0;
    const onDelta = () => {
      if (++heard === 3) stop.abort();
    };
    await expect(ask(slow, [user('go')], { signal: stop.signal, onDelta })).rejects.toMatchObject({ code: 'interrupted' });
    expect(heard).toBe(3);
  });
});
