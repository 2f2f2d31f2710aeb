// How well search finds what answers a question: recall@1, recall@5 and MRR@10 on four long conversations (LoCoMo, kept
// outside the project), for words, for hybrid with the built-in embedder, and for plain FTS5 in the same run.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { columnNumber, type Database, openDatabase } from '../../store/database/database.ts';
import { parserOf } from '../../store/schema.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { hashEmbedder } from '../../store/search/hash-embedder.ts';
import { searchHistory } from '../../store/search/history.ts';
import type { Comparing } from '../../store/search/ways.ts';
import { openSessions } from '../../store/sessions/sessions.ts';
import { assistantSays } from '../helpers/assistant.ts';

export const ConversationsSchema = Type.Array(
  Type.Object({
    id: Type.Union([Type.String(), Type.Number()]),
    sessions: Type.Array(
      Type.Object({
        date: Type.String(),
        turns: Type.Array(Type.Object({ id: Type.String(), speaker: Type.String(), text: Type.String() })),
      }),
    ),
    questions: Type.Array(Type.Object({ question: Type.String(), evidence: Type.Array(Type.String()) })),
  }),
);

export type Conversations = Static<typeof ConversationsSchema>;
type Conversation = Conversations[number];

export interface RetrievalRow {
  readonly way: string;
  readonly questions: number;
  readonly recall1: number;
  readonly recall5: number;
  readonly mrr: number;
}

/** What a way puts first for a question: turn ids, best first, at most ten. */
type Ask = (question: string) => Promise<string[]>;

const parser = parserOf(ConversationsSchema, 'conversations.json');

/** The conversations of a file, or undefined when it is not there. */
export function readConversations(path: string): Conversations | undefined {
  return existsSync(path) ? parser.parseJson(readFileSync(path, 'utf8')) : undefined;
}

/** Measures all ways over the conversations; databases are made in `folder`. One turn is one message of history. */
export async function measureRetrieval(conversations: Conversations, folder: string): Promise<RetrievalRow[]> {
  const sums = new Map<string, { questions: number; first: number; five: number; reciprocal: number }>();
  for (const [at, conversation] of conversations.entries()) {
    const db = openDatabase(join(folder, `retrieval-${at}.db`), storeSchemas);
    try {
      for (const [way, ask] of Object.entries(waysOf(db, conversation))) {
        for (const { question, evidence } of conversation.questions) {
          const place = (await ask(question)).findIndex((id) => evidence.includes(id));
          const sum = sums.get(way) ?? { questions: 0, first: 0, five: 0, reciprocal: 0 };
          sum.questions++;
          if (place === 0) sum.first++;
          if (place >= 0 && place < 5) sum.five++;
          if (place >= 0) sum.reciprocal += 1 / (place + 1);
          sums.set(way, sum);
        }
      }
    } finally {
      db.close();
    }
  }
  return Array.from(sums, ([way, { questions, first, five, reciprocal }]) => ({
    way,
    questions,
    recall1: first / questions,
    recall5: five / questions,
    mrr: reciprocal / questions,
  }));
}

function waysOf(db: Database, conversation: Conversation): Record<string, Ask> {
  const turns = store(db, conversation);
  const plain = plainFts(db, conversation);
  const comparing: Comparing = { embedder: hashEmbedder(), weights: { semantic: 0.7, keyword: 0.3 }, now: 0 };
  const search = async (question: string, way: 'keyword' | 'semantic' | 'hybrid') => {
    const { items } = await searchHistory(db, question, {}, { limit: 10, offset: 0 }, way, comparing);
    return items.map((hit) => turns.get(hit.message) ?? '');
  };
  return {
    'plain FTS5': async (question) => plain(question),
    keyword: (question) => search(question, 'keyword'),
    'vectors alone (built-in)': (question) => search(question, 'semantic'),
    'hybrid (built-in)': (question) => search(question, 'hybrid'),
  };
}

/** One turn, one message; the first speaker is the user. Returns the turn of each message. */
function store(db: Database, conversation: Conversation): Map<number, string> {
  const sessions = openSessions(db, { now: () => 0, after: () => () => undefined });
  const turns = new Map<number, string>();
  const person = conversation.sessions[0]?.turns[0]?.speaker;
  db.write(() => {
    for (const { date, turns: said } of conversation.sessions) {
      const session = sessions.create({ kind: 'lead', agent: 'Lead', title: date });
      const turn = sessions.openTurn(session.id);
      for (const { id, speaker, text } of said) {
        const line = `${speaker}: ${text}`;
        const row = sessions.append(turn, speaker === person ? { role: 'user', text: line } : assistantSays(line));
        turns.set(row.id, id);
      }
      sessions.endTurn(turn.id, 'done', 'done');
    }
  });
  return turns;
}

/** The yardstick: porter and unicode61, OR of all words, one turn a row. */
function plainFts(db: Database, conversation: Conversation): (question: string) => string[] {
  const ids: string[] = [];
  db.connection.exec("create virtual table plain using fts5 (text, tokenize = 'porter unicode61')");
  db.write(() => {
    for (const { turns } of conversation.sessions)
      for (const { id, speaker, text } of turns) {
        ids.push(id);
        db.sql('insert into plain (rowid, text) values (?, ?)').run(ids.length, `${speaker}: ${text}`);
      }
  });
  return (question) => {
    const words = question.match(/[\p{L}\p{N}]+/gu) ?? [];
    const rows = db
      .sql('select rowid as id from plain where plain match ? order by rank limit 10')
      .all(words.map((word) => `"${word}"`).join(' OR '));
    return rows.map((row) => ids[columnNumber(row, 'id') - 1] ?? '');
  };
}
