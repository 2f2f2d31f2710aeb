// The loop over real HTTP and SQLite: every call answered once, whatever is cut; interrupts roll back and say what stays.
import { Type } from 'typebox';
import { afterEach, describe, expect, test } from 'vitest';
import { defineTool, type Tool } from '../../../workers/agent/tools/tool.ts';
import { testAgent } from '../../helpers/agent.ts';
import { inOrder, type ModelServer, pairingFault, type Respond, sentText, startModelServer } from '../../helpers/model-server.ts';
import { until } from '../../helpers/until.ts';

const servers: ModelServer[] = [];
const serve = async (respond: Respond): Promise<ModelServer> => {
  const server = await startModelServer(respond);
  servers.push(server);
  return server;
};
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

interface Log {
  readonly began: string[];
  readonly ended: string[];
}

/** `look` may run beside others, `act` may not; `hang` waits for the interrupt; `mark` is keyed. */
function tools(log: Log): Tool[] {
  const make = (name: string, readOnly: boolean, keyed = false): Tool =>
    defineTool({
      name,
      description: name,
      parameters: Type.Object({ id: Type.String() }),
      readOnly,
      keyed,
      async run({ id }, { signal }) {
        log.began.push(id);
        if (name === 'hang') await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        else await new Promise((resolve) => setImmediate(resolve));
        log.ended.push(id);
        return { text: `result of ${id}`, changedFiles: name === 'act' ? [`${id}.txt`] : [] };
      },
    });
  return [make('look', true), make('act', false), make('hang', false), make('mark', false, true)];
}

const newLog = (): Log => ({ began: [], ended: [] });

describe('tool calls', () => {
  test('read-only neighbours run side by side, the others alone; results come in call order', async () => {
    const log = newLog();
    const ids = ['look a', 'look b', 'act c', 'look d'];
    const server = await serve(inOrder({ calls: ids.map((id) => ({ name: id.split(' ')[0] ?? '', args: { id } })) }, { text: 'done' }));
    const { agent } = testAgent(server, { tools: tools(log) });
    expect(await agent.run({ kind: 'user', text: 'go' })).toMatchObject({ stopReason: 'done' });
    expect(log.began).toEqual(ids);
    expect(log.ended).toEqual(ids);
    const sent = server.requests[1]?.body.messages.filter((message) => message.role === 'tool').map(sentText);
    expect(sent).toEqual(ids.map((id) => `result of ${id}`));
  });

  test('the same provider id in two turns pairs each result inside its own turn', async () => {
    const log = newLog();
    const again = (id: string) => ({ calls: [{ name: 'look', id: 'read:0', args: { id } }] });
    const server = await serve(inOrder(again('one'), { text: 'first' }, again('two'), { text: 'second' }));
    const { agent } = testAgent(server, { tools: tools(log) });
    await agent.run({ kind: 'user', text: 'a' });
    await agent.run({ kind: 'user', text: 'b' });
    const last = server.requests
      .at(-1)
      ?.body.messages.filter((message) => message.role === 'tool')
      .map(sentText);
    expect(last).toEqual(['result of one', 'result of two']);
  });

  test('a cut stream executes nothing and is asked again; an empty reply leaves no message', async () => {
    const log = newLog();
    const server = await serve(
      inOrder(
        { calls: [{ name: 'act', args: { id: 'x' } }], cut: 'fin', cutAt: 'end' },
        { text: '' },
        { calls: [{ name: 'act', args: { id: 'y' } }] },
        { text: 'ok' },
      ),
    );
    const { agent, sessions, events } = testAgent(server, { tools: tools(log) });
    expect(await agent.run({ kind: 'user', text: 'go' })).toMatchObject({ stopReason: 'done', text: 'ok' });
    expect(log.began).toEqual(['y']);
    expect(events.some((event) => event.type === 'notice' && event.code === 'retry')).toBe(true);
    expect(sessions.messages(agent.session).map((row) => row.content.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  });

  test('empty replies that do not follow one another end no turn', async () => {
    const log = newLog();
    const call = (id: string) => ({ calls: [{ name: 'look', args: { id } }] });
    const server = await serve(inOrder({ text: '' }, call('a'), { text: '' }, call('b'), { text: 'done' }));
    const { agent } = testAgent(server, { tools: tools(log) });
    expect(await agent.run({ kind: 'user', text: 'go' })).toMatchObject({ stopReason: 'done', text: 'done' });
  });

  test('arguments that stay broken are told to the model, which can make the call anew', async () => {
    const log = newLog();
    const broken = { calls: [{ name: 'act', args: '{"id": "a, "x": }' }] };
    const server = await serve(inOrder(broken, broken, broken, { calls: [{ name: 'act', args: { id: 'b' } }] }, { text: 'done' }));
    const { agent } = testAgent(server, { tools: tools(log) });
    expect(await agent.run({ kind: 'user', text: 'go' })).toMatchObject({ stopReason: 'done', text: 'done' });
    expect(log.began).toEqual(['b']);
    const after = server.requests[3];
    expect(pairingFault(after?.body ?? { model: '', messages: [] })).toBe('');
    expect(sentText(after?.body.messages.at(-1))).toContain('nothing was run: the arguments must be a JSON object');
    expect(after?.body.messages.at(-2)?.tool_calls?.[0]?.function.arguments).toContain('(not an object)');
  });

  test('a model that only makes broken calls ends the turn after a few', async () => {
    const log = newLog();
    const server = await serve(() => ({ calls: [{ name: 'act', args: '{"id": ' }] }));
    const { agent } = testAgent(server, { tools: tools(log) });
    expect(await agent.run({ kind: 'user', text: 'go' })).toMatchObject({ stopReason: 'error' });
    expect(log.began).toEqual([]);
    expect(server.requests.length).toBe(12);
  });

  test('a call written as text is no answer: the model is told that nothing ran', async () => {
    const log = newLog();
    const text =
      'I will act.\n<|tool_calls_section_begin|><|tool_call_begin|>functions.act:0<|tool_call_argument_begin|>{"id":"a"}<|tool_call_end|>';
    const server = await serve(inOrder({ text }, { calls: [{ name: 'act', args: { id: 'a' } }] }, { text: 'done' }));
    const { agent } = testAgent(server, { tools: tools(log) });
    expect(await agent.run({ kind: 'user', text: 'go' })).toMatchObject({ stopReason: 'done', text: 'done' });
    expect(log.began).toEqual(['a']);
    expect(sentText(server.requests[1]?.body.messages.at(-1))).toContain('written as text. Nothing was run');
  });

  test('a half-written call at the output limit is not run; the model goes on', async () => {
    const log = newLog();
    const server = await serve(
      inOrder({ text: 'I will', calls: [{ name: 'act', args: '{"id": "x' }], finish: 'length' }, { text: 'in smaller steps' }),
    );
    const { agent } = testAgent(server, { tools: tools(log) });
    expect(await agent.run({ kind: 'user', text: 'go' })).toMatchObject({ stopReason: 'done', text: 'in smaller steps' });
    expect(log.began).toEqual([]);
  });
});

describe('an interrupt', () => {
  test('rolls the turn back; the next turn is told what was asked and what stays', async () => {
    const log = newLog();
    const server = await serve(
      inOrder({ calls: [{ name: 'act', args: { id: 'made' } }] }, { calls: [{ name: 'hang', args: { id: 'h' } }] }, { text: 'next' }),
    );
    const { agent, sessions } = testAgent(server, { tools: tools(log) });
    const running = agent.run({ kind: 'user', text: 'make it' });
    await until(() => log.began.includes('h'), 'the hanging call');
    agent.stop('interrupt');
    expect(await running).toMatchObject({ stopReason: 'interrupted' });
    expect(sessions.lastTurn(agent.session)).toMatchObject({ state: 'rolled_back' });
    expect(await agent.run({ kind: 'user', text: 'what now?' })).toMatchObject({ text: 'next' });
    const sent = server.requests.at(-1)?.body.messages ?? [];
    expect(sent.filter((message) => message.role === 'tool')).toEqual([]);
    expect(sent.map(sentText).join('\n')).toMatch(/make it[\s\S]*made\.txt[\s\S]*what now\?/);
  });

  test('fifty in a row leave no listener behind and no unhandled rejection', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning.message);
    process.on('warning', onWarning);
    const server = await serve(() => ({ text: 'slow', delayMs: 20_000 }));
    const { agent } = testAgent(server);
    for (let i = 0; i < 50; i++) {
      const running = agent.run({ kind: 'user', text: `try ${i}` });
      await until(() => server.requests.length > i, `request ${i}`);
      agent.stop('interrupt');
      expect((await running).stopReason).toBe('interrupted');
    }
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

describe('after a kill', () => {
  test('a keyed call that a stop keeps from being executed again is not said to have never run', async () => {
    const log = newLog();
    const server = await serve(inOrder({ calls: [{ name: 'mark', args: { id: 'm' } }] }, { text: 'over' }));
    const { agent, again, db, sessions } = testAgent(server, { tools: tools(log) });
    await agent.run({ kind: 'user', text: 'go' });
    // As a kill right after the call leaves it: done, and no result stored.
    db.sql("delete from messages where role = 'tool' or id > 2").run();
    db.sql("update turns set state = 'open', stop_reason = null").run();
    const resumed = again();
    const running = resumed.run({ kind: 'resume' });
    resumed.stop('suspend');
    await running;
    const results = sessions.messages(agent.session).flatMap(({ content }) => (content.role === 'tool' ? [content.text] : []));
    expect(results).toEqual([expect.stringContaining('outcome unknown')]);
    expect(log.began).toEqual(['m']);
  });

  test('a keyed call is executed again with its key, every other is answered "outcome unknown"', async () => {
    const log = newLog();
    const server = await serve(
      inOrder(
        {
          calls: [
            { name: 'mark', args: { id: 'm' } },
            { name: 'act', args: { id: 'a' } },
            { name: 'hang', args: { id: 'h' } },
          ],
        },
        { text: 'went on' },
      ),
    );
    const { agent, sessions, db, again } = testAgent(server, { tools: tools(log) });
    const running = agent.run({ kind: 'user', text: 'go' });
    await until(() => log.began.includes('h'), 'the hanging call');
    agent.stop('suspend');
    await running;
    // As a kill leaves it: the results of the batch never reached the database.
    db.sql("delete from messages where role = 'tool'").run();
    log.began.length = 0;
    expect(await again().run({ kind: 'resume' })).toMatchObject({ stopReason: 'done', text: 'went on' });
    expect(log.began).toEqual(['m']);
    const results = sessions.messages(agent.session).flatMap(({ content }) => (content.role === 'tool' ? [content.text] : []));
    expect(results[0]).toBe('result of m');
    expect(results.slice(1).every((text) => text.startsWith('interrupted, outcome unknown'))).toBe(true);
  });

  test('the history cut after any row is gone on with, and every request is well-formed', async () => {
    const script: Respond = (body) => {
      const results = body.messages.filter((message) => message.role === 'tool').length;
      return results >= 4
        ? { text: 'end' }
        : {
            text: `step ${results}`,
            calls: [
              { name: 'look', args: { id: 'a' } },
              { name: 'act', args: { id: 'b' } },
            ],
          };
    };
    const whole = await serve(script);
    const first = testAgent(whole, { tools: tools(newLog()) });
    await first.agent.run({ kind: 'user', text: 'go' });
    const rows = first.sessions.messages(first.agent.session).length;
    for (let kept = 1; kept <= rows; kept++) {
      const server = await serve(script);
      const { agent, sessions, db, again } = testAgent(server, { tools: tools(newLog()) });
      await agent.run({ kind: 'user', text: 'go' });
      const last = sessions.messages(agent.session)[kept - 1]?.id ?? 0;
      db.sql('delete from messages where id > ?').run(last);
      db.sql("update turns set state = 'open', ended_at = null").run();
      expect((await again().run({ kind: 'resume' })).stopReason).toBe('done');
      await again().run({ kind: 'user', text: 'and now?' });
      expect(server.requests.map(({ body }) => pairingFault(body)).filter(Boolean), `cut after ${kept}`).toEqual([]);
    }
  });
});
