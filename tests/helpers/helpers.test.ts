import { describe, expect, it } from 'vitest';
import { sleep } from '../../store/clock.ts';
import { fakeClock } from './clock.ts';
import { inOrder, pairingFault, startModelServer } from './model-server.ts';
import { tempWorkspace } from './temp.ts';
import { until } from './until.ts';

describe('the test helpers', () => {
  it('make a repository with one commit and a private home', () => {
    const ws = tempWorkspace({ files: { 'a/b.txt': 'hello\n' } });
    expect(ws.git('log', '--format=%an %s')).toBe('Test start\n');
    expect(ws.read('a/b.txt')).toBe('hello\n');
    expect(ws.git('status', '--porcelain')).toBe('');
    expect(ws.env.HOME).toBe(ws.home);
  });

  it('fire timers in order, also one that the woken code sets', async () => {
    const clock = fakeClock(0);
    const seen: string[] = [];
    const work = async () => {
      await sleep(clock, 100);
      seen.push(`first ${clock.now()}`);
      await sleep(clock, 50);
      seen.push(`second ${clock.now()}`);
    };
    const done = work();
    clock.after(120, () => seen.push('between'));
    await clock.advance(200);
    await done;
    expect(seen).toEqual(['first 100', 'between', 'second 150']);
    expect(clock.now()).toBe(200);
  });

  it('serve a streamed completion over real HTTP and record the request', async () => {
    const server = await startModelServer(inOrder({ text: 'hello', calls: [{ name: 'grep', args: { pattern: 'x' }, id: 'c1' }] }));
    const body = { model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] };
    const response = await fetch(`${server.url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
    const text = await response.text();
    expect(text).toContain('"content":"hello"');
    expect(text).toContain('"finish_reason":"tool_calls"');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(server.requests[0]?.body.messages[0]?.content).toBe('hi');
    expect(server.peak()).toBe(1);
    await until(() => server.inFlight() === 0);
  });

  it('name what is wrong with a request whose calls are not answered', () => {
    const call = { id: 'c1', function: { name: 'grep', arguments: '{}' } };
    expect(pairingFault({ model: 'm', messages: [{ role: 'assistant', tool_calls: [call] }] })).toContain('no result');
    expect(pairingFault({ model: 'm', messages: [{ role: 'tool', tool_call_id: 'c1' }] })).toContain('orphan');
    expect(
      pairingFault({
        model: 'm',
        messages: [
          { role: 'assistant', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c1' },
        ],
      }),
    ).toBe('');
  });
});
