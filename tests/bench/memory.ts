// What memory adds before the first token: recall without a model call, over chunks of `.MEMORY/` and the daily logs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createRecall } from '../../lead/memory/recall.ts';
import { systemClock } from '../../store/clock.ts';
import { columnNumber, openDatabase } from '../../store/database/database.ts';
import type { Layout } from '../../store/layout.ts';
import { openLocks } from '../../store/lock.ts';
import { openMemory } from '../../store/memory/memory.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { refreshKnowledge } from '../../store/search/knowledge.ts';
import { searchKnowledge } from '../../store/search/recall.ts';
import { testLayout } from '../helpers/layout.ts';
import { percentile, type Row } from './row.ts';

const WORDS = 'deploy branch parser cache queue worker index token review merge 部署 数据库 超时 recall schedule window'.split(' ');
const REQUESTS = 60;

/** Writes `.MEMORY/` and daily logs of about `chunks` chunks, a fifth of them topics. */
export function fillMemory(layout: Layout, chunks: number): void {
  for (const made of [layout.memory, layout.data, layout.dailyLogs]) mkdirSync(made, { recursive: true });
  const sentence = (seed: number) => Array.from({ length: 40 }, (_, n) => WORDS[(seed * 7 + n * (seed % 11)) % WORDS.length]).join(' ');
  const topics = (category: string) =>
    Array.from({ length: Math.ceil(chunks / 15) }, (_, n) => `## ${category} topic ${n}\n\n- ${sentence(n)}\n`).join('\n');
  for (const category of ['work', 'general', 'long']) writeFileSync(join(layout.memory, `${category}.md`), topics(category));
  const entries = Math.ceil((chunks * 0.8) / 28);
  for (let day = 1; day <= 28; day++) {
    const log = Array.from({ length: entries }, (_, n) => `## 10:00:00 - [day ${n}] entry ${n}\n\n${sentence(day * 300 + n)}\n`);
    writeFileSync(join(layout.dailyLogs, `2026-02-${String(day).padStart(2, '0')}.md`), log.join('\n'));
  }
}

/** Recalls for sixty requests in a workspace below `folder` with about `chunks` chunks. */
export async function benchMemory(folder: string, chunks: number): Promise<Row[]> {
  const layout = testLayout(join(folder, 'ws'));
  fillMemory(layout, chunks);
  const db = openDatabase(layout.database, storeSchemas);
  const locks = openLocks(layout.locks, 'bench', systemClock);
  try {
    refreshKnowledge(db, layout, Date.now());
    const real = columnNumber(db.sql('select count(*) as n from knowledge_chunks').get(), 'n');
    const recall = createRecall({
      memory: openMemory({ layout, locks: () => locks, clock: systemClock }),
      model: { ask: async () => ({ why: 'none is asked here', silent: true, failed: true }) },
      async search(query) {
        refreshKnowledge(db, layout, Date.now());
        return (await searchKnowledge(db, query, { folder: '.MEMORY' }, { limit: 12, offset: 0 })).items;
      },
      settings: { recall: 3, recallChars: 500 },
      session: () => 'bench',
      notice: (told) => process.stderr.write(`${JSON.stringify(told)}\n`),
    });
    const times: number[] = [];
    for (let n = 0; n < REQUESTS; n++) {
      const from = performance.now();
      await recall.background(`how do we deploy topic ${n} when the queue of the worker is full`, new AbortController().signal);
      times.push(performance.now() - from);
    }
    const name = `recall without a model call, p95 over ${real} chunks`;
    return [{ name, measured: percentile(times.slice(1), 0.95), unit: 'ms', goal: { at: 'most', value: 60 } }];
  } finally {
    locks.close();
    db.close();
  }
}
