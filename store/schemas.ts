// Every store that keeps tables in agent.db. A database is always opened with all of them.
import type { StoreSchema } from './database/database.ts';
import { memorySchema } from './memory/owed.ts';
import { scheduleSchema } from './schedule/schema.ts';
import { historySchema, knowledgeSchema, vectorsSchema } from './search/schema.ts';
import { sessionsSchema } from './sessions/schema.ts';
import { teamSchema } from './team/events.ts';

export const storeSchemas: readonly StoreSchema[] = [
  sessionsSchema,
  historySchema,
  knowledgeSchema,
  vectorsSchema,
  scheduleSchema,
  teamSchema,
  memorySchema,
];
