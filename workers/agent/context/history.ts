// The rows that the next request carries, kept in memory beside the database: read once, then appended to. A rolled-back
// turn or a summary changes what is sent, so then they are read again.
import type { Sync } from '../../../store/database/database.ts';
import type { Content } from '../../../store/sessions/message.ts';
import type { MessageRow, SeenMail, Sessions, TurnRow } from '../../../store/sessions/sessions.ts';

export interface History {
  rows(): readonly MessageRow[];
  append(turn: TurnRow, content: Content, seen?: readonly SeenMail[], sync?: Sync): MessageRow;
  /** Takes up rows that were stored elsewhere (a batch's results). */
  take(rows: readonly MessageRow[]): void;
  /** Reads the rows again. */
  reload(): void;
}

export function openHistory(sessions: Sessions, session: string): History {
  let rows: MessageRow[] | undefined;
  const loaded = () => (rows ??= sessions.sent(session));
  return {
    rows: loaded,
    append(turn, content, seen, sync) {
      // Loaded first: afterwards the new row would be read from the database and pushed as well.
      const known = loaded();
      const row = sessions.append(turn, content, seen, sync);
      known.push(row);
      return row;
    },
    take: (more) => void loaded().push(...more),
    reload: () => {
      rows = undefined;
    },
  };
}
