// Memory beside a conversation: real files and database, a model that plays a script.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryTold } from '../../../cli/text/en/memory-told.ts';
import { createMemoryModel, type MemoryModel } from '../../../lead/memory/ask.ts';
import { createLeadMemory } from '../../../lead/memory/lead-memory.ts';
import { systemClock } from '../../../store/clock.ts';
import { openDatabase } from '../../../store/database/database.ts';
import { ensureStore } from '../../../store/layout.ts';
import { openLocks } from '../../../store/lock.ts';
import { openMemory } from '../../../store/memory/memory.ts';
import { openOwed } from '../../../store/memory/owed.ts';
import { storeSchemas } from '../../../store/schemas.ts';
import { openSessions } from '../../../store/sessions/sessions.ts';
import { openScripted, type Step } from '../../../workers/agent/model/scripted.ts';
import { testLayout } from '../../helpers/layout.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { until } from '../../helpers/until.ts';

function bench() {
  const layout = testLayout(tempFolder());
  ensureStore(layout, 'agents');
  const locks = openLocks(layout.locks, 'test', systemClock);
  const db = openDatabase(layout.database, storeSchemas);
  const sessions = openSessions(db, systemClock);
  const session = sessions.create({ kind: 'lead', agent: 'Lead', title: '' });
  const memory = openMemory({ layout, locks: () => locks, clock: systemClock });
  const said: string[] = [];
  let asked = 0;
  const scripted = (steps: readonly Step[]): MemoryModel => {
    const model = openScripted({ agents: { Lead: steps.map((step) => ({ plain: true, ...step })) } }, 'Lead');
    const counted = createMemoryModel({ model: async () => model, session: () => session.id, clock: systemClock });
    return {
      ask(question) {
        asked++;
        return counted.ask(question);
      },
    };
  };
  const open = (steps: readonly Step[], more: { atOnce?: boolean; later?: number } = {}) =>
    createLeadMemory({
      memory,
      model: scripted(steps),
      search: async () => [],
      settings: { recall: 3, recallChars: 60 },
      session: () => session.id,
      maxEntries: 3,
      secrets: () => [],
      now: () => Date.now() + (more.later ?? 0),
      sessions,
      owed: openOwed(db),
      atOnce: more.atOnce ?? true,
      enabled: () => true,
      emit: (notice) => said.push(memoryTold(notice, ({ text }) => text)),
    });
  const turn = (text: string) => {
    const opened = sessions.openTurn(session.id);
    sessions.append(opened, { role: 'user', text });
    sessions.endTurn(opened.id, 'done', 'done');
    return opened.id;
  };
  const rows = () => sessions.messages(session.id);
  const read = () => readFileSync(join(layout.memory, 'work.md'), 'utf8');
  return { open, turn, rows, said, read, memory, asked: () => asked, session };
}

const fact = (text: string, more: object = {}) =>
  JSON.stringify({ facts: [{ category: 'work', topic: 'Build', fact: text, quote: text, ...more }] });

test('a turn that was not looked at before xz ended is looked at by the next conversation', async () => {
  const { open, turn, read } = bench();
  const first = open([{ text: fact('The build needs Node 22.'), delayMs: 60_000 }]);
  first.turnEnded(turn('The build needs Node 22. Please run it.'));
  await first.stop();
  expect(() => read()).toThrow('ENOENT');
  const next = open([{ text: fact('The build needs Node 22.') }], { later: 300_000 });
  next.start();
  await until(() => read().includes('- The build needs Node 22. ('));
  await next.stop();
  const third = open([{ text: fact('The build needs Node 99.') }], { later: 900_000 });
  third.start();
  await third.background('anything to recall here?', new AbortController().signal);
  await third.stop();
  expect(read()).not.toContain('99');
});

test('at the end of a run it waits a bounded time only', async () => {
  const { open, turn, read } = bench();
  const quick = open([{ text: fact('The build needs Node 22.') }], { atOnce: false });
  quick.turnEnded(turn('The build needs Node 22.'));
  await quick.settle(20_000);
  expect(read()).toContain('Node 22');
  const slow = open([{ text: fact('It takes an hour.'), delayMs: 60_000 }], { atOnce: false });
  slow.turnEnded(turn('It takes an hour.'));
  await slow.settle(10);
  await slow.stop();
  expect(read()).not.toContain('hour');
});

test('an unattended run looks at its own turn, then at what is owed, in the time it has', async () => {
  const { open, turn, read } = bench();
  const cut = open([{ text: fact('The build needs Node 22.'), delayMs: 60_000 }], { atOnce: false });
  cut.turnEnded(turn('The build needs Node 22. Please run it.'));
  await cut.settle(10);
  await cut.stop();
  // Stopped in the middle, over and over: that is no try.
  for (let n = 0; n < 4; n++) {
    const short = open([{ text: '', delayMs: 60_000 }], { atOnce: false, later: 300_000 });
    await short.settle(10);
    await short.stop();
  }
  expect(() => read()).toThrow('ENOENT');
  const next = open([{ text: fact('The port is 8080.') }, { text: fact('The build needs Node 22.') }], { atOnce: false, later: 300_000 });
  next.turnEnded(turn('The port is 8080.'));
  await next.settle(20_000);
  await next.stop();
  expect(read()).toMatch(/- The port is 8080\..*\n- The build needs Node 22\./);
});

test('what is about to be summarised is looked at first, once', async () => {
  const { open, turn, rows, read, asked } = bench();
  const lead = open([{ text: fact('The build needs Node 22.') }, { text: fact('Never asked.') }]);
  const ended = turn('The build needs Node 22. Please run it.');
  await lead.beforeSummary(rows(), new AbortController().signal);
  expect(read()).toContain('- The build needs Node 22. (');
  await lead.beforeSummary(rows(), new AbortController().signal);
  lead.turnEnded(ended);
  await lead.settle(20_000);
  await lead.stop();
  expect(asked()).toBe(1);
});

test('recall: nothing is asked without topics or for a greeting; a short follow-up keeps the topics; topics are cut', async () => {
  const { open, memory, asked, session } = bench();
  const signal = new AbortController().signal;
  const lead = open([{ text: '{"topics": ["work/Build", "work/None"]}' }, { text: '{"topics": []}' }]);
  expect(await lead.background('how is the build made, and with which compiler?', signal)).toBe(undefined);
  expect(asked()).toBe(0);
  for (let n = 0; n < 6; n++)
    await memory.append({ category: 'work', topic: 'Build', content: `step ${n} of the build`, session: session.id, at: Date.now() });
  expect(await lead.background('!', signal)).toBe(undefined);
  expect(asked()).toBe(0);
  const told = await lead.background('how is the build made, and with which compiler?', signal);
  expect(told).toContain('From .MEMORY/work.md lines 1-8 (work/Build):\n## Build\n\n- step 0');
  expect(told).toContain('… [cut; `xz memory get .MEMORY/work.md -s 1 -e 8` reads all]');
  expect(lead.recalled()).toEqual(['work/Build']);
  expect(await lead.background('and then?', signal)).toBe(told);
  expect(asked()).toBe(1);
  expect(await lead.background('tell me about the weather in the mountains next week', signal)).toBe(undefined);
  expect(lead.recalled()).toEqual([]);
});

test('a topic that grew too long is condensed when nothing is lost, and the old text can be brought back', async () => {
  const { open, turn, read, memory, session, said } = bench();
  const at = Date.now();
  for (const content of ['Port 3306.', 'The host is db-1.', 'It runs in the cellar.'])
    await memory.append({ category: 'work', topic: 'Build', content, session: session.id, at });
  const lossy = open([{ text: fact('It is slow.') }, { text: '{"entries": ["All in all it is fine."]}' }]);
  lossy.turnEnded(turn('It is slow. Why?'));
  await lossy.settle(20_000);
  expect(read()).toContain('- Port 3306. (');
  const good = open([
    { text: fact('It is old.') },
    { text: '{"entries": ["Host db-1, port 3306, in the cellar.", "It is slow and old."]}' },
  ]);
  good.turnEnded(turn('It is old, I fear.'));
  await good.settle(20_000);
  expect(read()).toBe('## Build\n\n- Host db-1, port 3306, in the cellar.\n- It is slow and old.\n');
  await memory.undo();
  expect(read()).toContain('- Port 3306. (');
  expect(said).toContain('memory: kept in work/Build');
});
