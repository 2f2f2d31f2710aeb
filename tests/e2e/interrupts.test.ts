// Esc at any moment of a turn (L2): the turn is rolled back, nothing is unhandled, the next request is well-formed.
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../store/clock.ts';
import { openOutputs } from '../../workers/agent/tools/outputs.ts';
import { createShellTools } from '../../workers/agent/tools/shell-tools.ts';
import { testAgent } from '../helpers/agent.ts';
import type { Reply } from '../helpers/model-reply.ts';
import { inOrder, pairingFault, type Respond, sentText, startModelServer } from '../helpers/model-server.ts';
import { tempFolder } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

const slow = (reply: Reply): Reply => ({ chunkMs: 30, chunk: 2, ...reply });
const long = 'word '.repeat(200);

/** Where the turn is when it is stopped: what is answered first, and what is seen by then. */
const MOMENTS: ReadonlyArray<readonly [when: string, first: Reply, seen: (events: readonly string[]) => boolean]> = [
  ['before the first byte', { delayMs: 20_000, text: 'late' }, () => true],
  ['at the first words', slow({ text: long }), (events) => events.includes('text')],
  [
    'in the middle of the arguments of a call',
    slow({ text: 'hm ', calls: [{ name: 'bash', args: { command: `echo ${long}` } }] }),
    (events) => events.includes('text'),
  ],
  ['while a command runs', { calls: [{ name: 'bash', args: { command: 'sleep 60' } }] }, (events) => events.includes('tool_start')],
  ['in the wait before a retry', { status: 429, headers: { 'retry-after': '60' } }, (events) => events.includes('notice')],
];

for (const [when, first, seen] of MOMENTS)
  test(`twice, ${when}: rolled back, nothing unhandled, and the next turn is answered`, async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', onUnhandled);
    onTestFinished(() => void process.off('unhandledRejection', onUnhandled));
    const server = await startModelServer(inOrder(first, { text: 'next' }));
    const root = tempFolder();
    const outputs = openOutputs(`${root}/outputs`);
    const shell = createShellTools({
      ...{ clock: systemClock, env: { PATH: process.env.PATH }, workspace: root, outputs, secrets: () => [], capBytes: () => 10_000 },
      process: { name: 'ptest', hold: () => {} },
    });
    onTestFinished(() => shell.shells.closeAll());
    const { agent, sessions, events } = testAgent(server, { tools: shell.tools });
    const running = agent.run({ kind: 'user', text: 'do something slow' });
    await until(() => server.requests.length > 0 && seen(events.map((event) => event.type)), when);
    agent.stop('interrupt');
    agent.stop('interrupt');
    expect(await running).toMatchObject({ stopReason: 'interrupted' });
    expect(sessions.lastTurn(agent.session)).toMatchObject({ state: 'rolled_back' });
    expect(await agent.run({ kind: 'user', text: 'and now?' })).toMatchObject({ stopReason: 'done', text: 'next' });
    const body = server.requests.at(-1)?.body ?? { model: '', messages: [] };
    expect(pairingFault(body)).toBe('');
    expect(body.messages.map(sentText).join('\n')).toMatch(/do something slow[\s\S]*and now\?/);
    await until(() => shell.shells.running().length === 0, 'the command to end');
    expect(unhandled).toEqual([]);
  });

test('while older messages are summarised: rolled back, and the conversation is as it was', async () => {
  let asked = 0;
  let hold = false;
  const respond: Respond = (body) => {
    if (body.tools === undefined || body.tools.length === 0) {
      asked++;
      return hold ? { delayMs: 20_000, text: 'never' } : { text: 'a summary' };
    }
    return { text: `answer ${long}` };
  };
  const server = await startModelServer(respond);
  const tool = {
    tools: createShellTools({
      ...{ clock: systemClock, env: {}, workspace: tempFolder(), secrets: () => [], capBytes: () => 10_000 },
      outputs: openOutputs(tempFolder()),
      process: { name: 'ptest', hold: () => {} },
    }).tools,
  };
  const { agent, sessions } = testAgent(server, tool);
  for (let n = 0; n < 4; n++) await agent.run({ kind: 'user', text: `question ${n} ${long}` });
  const before = sessions.sent(agent.session).length;
  hold = true;
  const compacting = agent.compact().catch((error: unknown) => error);
  await until(() => asked > 0, 'the summary to be asked for');
  agent.stop('interrupt');
  await compacting;
  expect(sessions.sent(agent.session)).toHaveLength(before);
  expect(await agent.run({ kind: 'user', text: 'and now?' })).toMatchObject({ stopReason: 'done' });
});
