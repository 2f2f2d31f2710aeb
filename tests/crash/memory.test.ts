// A person in an editor, two processes of xz and the facts of a conversation, at the same moment and in one file.
import { spawn } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createMemoryModel } from '../../lead/memory/ask.ts';
import { keepFacts } from '../../lead/memory/upkeep.ts';
import { systemClock } from '../../store/clock.ts';
import { ensureStore } from '../../store/layout.ts';
import { openLocks } from '../../store/lock.ts';
import { parseDocument } from '../../store/memory/document.ts';
import { openMemory } from '../../store/memory/memory.ts';
import { openScripted } from '../../workers/agent/model/scripted.ts';
import { testLayout } from '../helpers/layout.ts';
import { buildProgram } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

const FACTS = 12;
let program = '';
beforeAll(async () => {
  program = await buildProgram('memory-writer');
});

function start(root: string, who: string): Promise<number | null> {
  const child = spawn(process.execPath, [program, root, who, String(FACTS)], { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
}

test('all of them survive', async () => {
  const root = tempFolder();
  const layout = testLayout(root, join(root, 'home'));
  ensureStore(layout, 'memory');
  const path = join(layout.memory, 'work.md');
  const hand = '# Work\n\n## By hand\n\n```sh\n# no heading\n```\n';
  writeFileSync(path, hand);
  const running = [start(root, 'one'), start(root, 'two')];
  const locks = openLocks(layout.locks, 'test', systemClock);
  const memory = openMemory({ layout, locks: () => locks, clock: systemClock });
  const answer = { facts: [{ category: 'work', topic: 'Shared', fact: 'Deploys go out from main.', quote: 'deploys go out from main' }] };
  const model = openScripted({ agents: { Lead: [{ plain: true, text: JSON.stringify(answer) }] } }, 'Lead');
  const conversation = keepFacts(
    {
      memory,
      model: createMemoryModel({ model: async () => model, session: () => 'test', clock: systemClock }),
      maxEntries: 1_000,
      secrets: () => [],
      now: Date.now,
      notice: () => {},
    },
    '2026-03-03-abc123',
    [{ role: 'user', text: 'By the way, deploys go out from main.' }],
    new AbortController().signal,
  );
  const edits: string[] = [];
  const person = until(() => {
    const line = `by hand ${edits.length}`;
    const opened = readFileSync(path, 'utf8');
    writeFileSync(`${path}.editor`, opened.replace('# Work\n', `# Work\n\n${line}\n`));
    // As an editor does: not over a file that has changed since it was opened.
    if (readFileSync(path, 'utf8') !== opened) return false;
    renameSync(`${path}.editor`, path);
    edits.push(line);
    return edits.length >= 6;
  });
  expect(await Promise.all(running)).toEqual([0, 0]);
  await Promise.all([conversation, person]);
  const text = readFileSync(path, 'utf8');
  const missing = ['one', 'two']
    .flatMap((who) => Array.from({ length: FACTS }, (_, n) => `${who} fact ${n} `))
    .filter((fact) => !text.includes(fact));
  expect(missing).toEqual([]);
  for (const line of [...edits, 'Deploys go out from main.']) expect(text).toContain(line);
  expect(parseDocument(Buffer.from(text)).topics.map(({ title }) => title)).toEqual(['By hand', 'Shared']);
  expect(JSON.parse(readFileSync(join(layout.memory, 'index.json'), 'utf8')).topics).toHaveLength(2);
  locks.close();
});
