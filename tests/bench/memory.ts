// Recall without a model call over ten thousand chunks of memory: what it adds before the first token.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createRecall } from '../../lead/memory/recall.ts';
import { systemClock } from '../../store/clock.ts';
import { openDatabase } from '../../store/database/database.ts';
import { openLocks } from '../../store/lock.ts';
import { openMemory } from '../../store/memory/memory.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { refreshKnowledge } from '../../store/search/knowledge.ts';
import { searchKnowledge } from '../../store/search/recall.ts';
import { testLayout } from '../helpers/layout.ts';
import { tempFolder } from '../helpers/temp.ts';

const layout = testLayout(tempFolder('xz-bench-'));
mkdirSync(layout.memory, { recursive: true });
mkdirSync(layout.data, { recursive: true });
mkdirSync(layout.dailyLogs, { recursive: true });
const words = 'deploy branch parser cache queue worker index token review merge 部署 数据库 超时 recall schedule window'.split(' ');
const sentence = (seed: number) => Array.from({ length: 40 }, (_, n) => words[(seed * 7 + n * (seed % 11)) % words.length]).join(' ');
for (const category of ['work', 'general', 'long'])
  writeFileSync(
    join(layout.memory, `${category}.md`),
    Array.from({ length: 700 }, (_, n) => `## ${category} topic ${n}\n\n- ${sentence(n)}\n`).join('\n'),
  );
for (let day = 1; day <= 28; day++)
  writeFileSync(
    join(layout.dailyLogs, `2026-02-${String(day).padStart(2, '0')}.md`),
    Array.from({ length: 290 }, (_, n) => `## 10:00:00 - [note] entry ${n}\n\n${sentence(day * 300 + n)} ${sentence(n)}\n`).join('\n'),
  );
const db = openDatabase(layout.database, storeSchemas);
refreshKnowledge(db, layout, Date.now());
const chunks = db.sql('select count(*) as n from knowledge_chunks').get();
const locks = openLocks(layout.locks, 'bench', systemClock);
const recall = createRecall({
  memory: openMemory({ layout, locks: () => locks, clock: systemClock }),
  model: { ask: async () => ({ why: 'none here', silent: true, failed: true }) },
  async search(query) {
    refreshKnowledge(db, layout, Date.now());
    return (await searchKnowledge(db, query, { folder: '.MEMORY' }, { limit: 12, offset: 0 })).items;
  },
  settings: { recall: 3, recallChars: 500 },
  session: () => 'bench',
  notice: (text) => console.log(text),
});
const times: number[] = [];
for (let n = 0; n < 60; n++) {
  const from = performance.now();
  await recall.background(`how do we deploy topic ${n} when the queue of the worker is full`, new AbortController().signal);
  times.push(performance.now() - from);
}
times.sort((a, b) => a - b);
console.log(JSON.stringify({ chunks, p50: times[30], p95: times[57] }));
locks.close();
db.close();
