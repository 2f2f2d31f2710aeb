// What replies cost that are no message: counted where they belong, once, and never as free.
import { expect, test } from 'vitest';
import { NO_USAGE } from '../../../store/sessions/message.ts';
import { assistantSays } from '../../helpers/assistant.ts';
import { testDatabase } from '../../helpers/database.ts';

const reply = (tokens: number, costUsd: number | null) => ({ usage: { ...NO_USAGE, total: tokens }, costUsd });

test('memory and sub-agents have lines of their own; summaries count with who was summarised; the whole holds all', () => {
  const { db, sessions } = testDatabase();
  const lead = sessions.create({ kind: 'lead', agent: 'Lead', title: '' });
  const mate = sessions.create({ kind: 'teammate', agent: 'ann', parent: lead.id, title: '' });
  const helper = sessions.create({ kind: 'agent', agent: 'agent-1', parent: lead.id, title: '' });
  const says = (session: string, tokens: number, costUsd: number) => {
    const turn = sessions.openTurn(session);
    sessions.append(turn, { ...assistantSays('ok'), ...reply(tokens, costUsd) });
    sessions.endTurn(turn.id, 'done', 'done');
  };
  says(lead.id, 100, 1);
  expect(sessions.spentBeside(lead.id)).toEqual([]);
  expect(sessions.spentByAll(lead.id)).toEqual({ tokens: 100, costUsd: 1, knownUsd: 1 });
  says(mate.id, 200, 2);
  says(helper.id, 40, 0.5);
  sessions.spend(helper.id, 'summary', reply(4, 0.25));
  sessions.spend(lead.id, 'summary', reply(10, 0.25));
  sessions.spend(lead.id, 'memory', reply(7, 0.125));
  sessions.spend(lead.id, 'memory', reply(1, 0.125));
  expect(sessions.spent(lead.id)).toMatchObject({ tokens: 110, costUsd: 1.25 });
  expect(sessions.spent(mate.id)).toMatchObject({ tokens: 200, costUsd: 2 });
  expect(sessions.spentBeside(lead.id)).toMatchObject([
    { agent: '(sub-agents)', tokens: 44, costUsd: 0.75 },
    { agent: '(memory)', tokens: 8, costUsd: 0.25 },
  ]);
  expect(sessions.spentBeside(mate.id)).toEqual([]);
  expect(sessions.spentByAll(lead.id)).toEqual({ tokens: 362, costUsd: 4.25, knownUsd: 4.25 });
  db.close();
});

test('one reply without a price makes the cost unknown, and not nothing', () => {
  const { db, sessions } = testDatabase();
  const lead = sessions.create({ kind: 'lead', agent: 'Lead', title: '' });
  sessions.spend(lead.id, 'memory', reply(5, 0.5));
  sessions.spend(lead.id, 'memory', reply(5, null));
  expect(sessions.spentBeside(lead.id)).toMatchObject([{ tokens: 10, costUsd: null }]);
  expect(sessions.spentByAll(lead.id)).toEqual({ tokens: 10, costUsd: null, knownUsd: 0.5 });
  db.close();
});
