// What a power cut may take: never what was done without the words that asked for it.
import { Type } from 'typebox';
import { expect, test } from 'vitest';
import type { Sync } from '../../../store/database/database.ts';
import { type Content, callsOf } from '../../../store/sessions/message.ts';
import type { Sessions } from '../../../store/sessions/sessions.ts';
import { defineTool, type Tool } from '../../../workers/agent/tools/tool.ts';
import { testAgent } from '../../helpers/agent.ts';
import { testDatabase } from '../../helpers/database.ts';
import { inOrder, startModelServer } from '../../helpers/model-server.ts';

const tool = (name: string, readOnly: boolean, keyed: boolean): Tool =>
  defineTool({
    name,
    description: name,
    parameters: Type.Object({}),
    readOnly,
    keyed,
    run: () => Promise.resolve(name === 'mail' ? { text: 'm', seen: [{ agent: 'Lead', epoch: 'e', mailId: 'm1' }] } : { text: name }),
  });

test('each round reaches the disk once: before anything is done, and with whatever mail it shows', async () => {
  const call = (...names: string[]) => ({ calls: names.map((name) => ({ name, args: {} })) });
  const server = await startModelServer(
    inOrder(call('look', 'look'), call('act'), call('look', 'act'), call('keyed'), call('mail'), call('nosuch'), { text: 'done' }),
  );
  const tools = [tool('look', true, false), tool('act', false, false), tool('keyed', true, true), tool('mail', false, true)];
  const made = testAgent(server, { tools });
  const stored: string[] = [];
  const note = (content: Content, sync: Sync | undefined) => {
    if (content.role === 'assistant')
      stored.push(
        `reply ${callsOf(content)
          .map(({ name }) => name)
          .join()}: ${sync ?? 'now'}`,
      );
  };
  const sessions: Sessions = {
    ...made.sessions,
    append(turn, content, seen, sync) {
      note(content, sync);
      return made.sessions.append(turn, content, seen, sync);
    },
    together(fn, sync) {
      if (stored.length > 0) stored.push(`results: ${sync ?? 'now'}`);
      return made.sessions.together(fn, sync);
    },
  };
  expect(await made.again({ sessions }).run({ kind: 'user', text: 'go' })).toMatchObject({ stopReason: 'done' });
  expect(stored).toEqual([
    ...['reply look,look: with the next', 'results: now'],
    ...['reply act: now', 'results: with the next'],
    ...['reply look,act: now', 'results: with the next', 'results: with the next'],
    ...['reply keyed: now', 'results: with the next'],
    ...['reply mail: now', 'results: now'],
    ...['reply nosuch: now', 'results: with the next'],
    'reply : now',
  ]);
  expect(made.db.connection.pragma('synchronous', { simple: true })).toBe(2);
});

test('a transaction that waits for the next one is one all the same, and the setting does not stay', () => {
  const { db } = testDatabase();
  const level = () => db.connection.pragma('synchronous', { simple: true });
  expect(db.write(level, 'with the next')).toBe(1);
  expect(db.write(level)).toBe(2);
  expect(() =>
    db.write(() => {
      throw new Error('undone');
    }, 'with the next'),
  ).toThrow('undone');
  expect(level()).toBe(2);
  expect(db.write(() => db.write(level, 'with the next'))).toBe(2);
  db.close();
});
