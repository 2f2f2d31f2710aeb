// A real agent.db in a temp folder, with all stores, and sessions to put messages in.
import { join } from 'node:path';
import { type Database, openDatabase } from '../../store/database/database.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { openSessions, type Sessions } from '../../store/sessions/sessions.ts';
import { assistantSays } from './assistant.ts';
import { type FakeClock, fakeClock } from './clock.ts';
import { tempFolder } from './temp.ts';

export interface TestDatabase {
  readonly db: Database;
  readonly clock: FakeClock;
  readonly sessions: Sessions;
  /** Stores one conversation, alternating user and assistant a minute apart; returns the session's id. */
  talk(title: string, texts: readonly string[]): string;
}

/** Opens a database at `path`, or in a new temp folder. The caller closes `db`. */
export function testDatabase(path = join(tempFolder(), 'agent.db')): TestDatabase {
  const db = openDatabase(path, storeSchemas);
  const clock = fakeClock();
  const sessions = openSessions(db, clock);
  return {
    db,
    clock,
    sessions,
    talk(title, texts) {
      const session = sessions.create({ kind: 'lead', agent: 'Lead', title });
      const turn = sessions.openTurn(session.id);
      db.write(() => {
        for (const [at, text] of texts.entries()) {
          clock.jump(clock.now() + 60_000);
          sessions.append(turn, at % 2 === 0 ? { role: 'user', text } : assistantSays(text));
        }
      });
      sessions.endTurn(turn.id, 'done', 'done');
      return session.id;
    },
  };
}
