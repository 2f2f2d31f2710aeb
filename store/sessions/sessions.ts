// Sessions and their rows. A message is stored in the transaction of what it witnesses: the mail it shows, the ids of
// the results it hands out. Turns are open, done or rolled back; rows of a rolled-back turn stay but are not sent.
import type { Clock } from '../clock.ts';
import { columnNumber, columnNumberOrNull, columnText, columnTextOrNull, type Database, type Sync } from '../database/database.ts';
import { XzError } from '../errors.ts';
import { sessionId } from '../ids.ts';
import { type AssistantContent, type Content, contentParser } from './message.ts';

export type SessionKind = 'lead' | 'teammate' | 'agent';
export type TurnState = 'open' | 'done' | 'rolled_back';

export interface SessionRow {
  readonly id: string;
  readonly kind: SessionKind;
  /** `Lead`, the teammate's name, or the sub-agent's. */
  readonly agent: string;
  readonly parent: string | undefined;
  readonly title: string;
  readonly systemPrompt: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface TurnRow {
  readonly id: number;
  readonly session: string;
  readonly state: TurnState;
  readonly stopReason: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number | undefined;
}

export interface MessageRow {
  readonly id: number;
  readonly session: string;
  readonly turn: number;
  readonly content: Content;
  readonly createdAt: number;
}

/** Mail shown by a message: stored with it, so that no mail is ever in two turns. */
export interface SeenMail {
  readonly agent: string;
  readonly epoch: string;
  readonly mailId: string;
}

export interface Spent {
  readonly tokens: number;
  /** US dollars, or null when any price is unknown or a subscription. */
  readonly costUsd: number | null;
}

/** What a model was asked for besides a conversation's own replies. */
export type Purpose = 'memory' | 'summary';

export interface Sessions {
  /** Makes a session. With an `id` that is there already, that one is returned: a call repeated after a crash changes nothing. */
  create(input: { kind: SessionKind; agent: string; parent?: string; title: string; id?: string }): SessionRow;
  get(id: string): SessionRow | undefined;
  /** The newest lead session of the workspace. */
  latest(): SessionRow | undefined;
  /** Ids of all sessions, newest first. */
  ids(kind?: SessionKind): string[];
  setTitle(id: string, title: string): void;
  setSystemPrompt(id: string, prompt: string): void;

  openTurn(session: string): TurnRow;
  endTurn(turn: number, state: 'done' | 'rolled_back', stopReason: string): void;
  /** Opens a turn again that a limit had stopped. */
  reopenTurn(turn: number): TurnRow;
  /** The turn that was open when the process ended, if any. */
  openTurnOf(session: string): TurnRow | undefined;
  lastTurn(session: string): TurnRow | undefined;
  turns(session: string): TurnRow[];

  /** Stores a message; with `seen`, also that this mail was shown. */
  append(turn: TurnRow, content: Content, seen?: readonly SeenMail[], sync?: Sync): MessageRow;
  /** Rows that are sent to the model: those of turns not rolled back, in order, from the last summary on. */
  sent(session: string): MessageRow[];
  /** All rows in order, of rolled-back turns too. */
  messages(session: string): MessageRow[];
  /** When a message was stored, in ms since the epoch; undefined when there is none of that id. */
  messageTime(id: number): number | undefined;
  /** The turn that was shown this mail, if any. */
  turnThatSaw(mail: SeenMail): TurnRow | undefined;
  /** Notes what a reply cost that is no message of the session. */
  spend(session: string, purpose: Purpose, reply: Pick<AssistantContent, 'usage' | 'costUsd'>): void;
  /** What all replies and summaries of a session cost, rolled-back turns included: tokens, and US dollars where every price is known. */
  spent(session: string): Spent;
  /** What memory and the sub-agents of a lead's session cost; a line only for who cost anything, under names that no teammate can have. */
  spentBeside(session: string): ReadonlyArray<Spent & { readonly agent: '(memory)' | '(sub-agents)' }>;
  /** The whole of a lead's session, its teammates, sub-agents and memory; `knownUsd` is the sum of what has a price. */
  spentByAll(session: string): Spent & { readonly knownUsd: number };
  /** Runs several of the above as one transaction. */
  together<T>(fn: () => T, sync?: Sync): T;
}

/** Sessions in an opened database. */
export function openSessions(db: Database, clock: Clock): Sessions {
  const touch = (session: string, at: number) => db.sql('update sessions set updated_at = ? where id = ?').run(at, session);
  const get = (id: string): SessionRow | undefined => {
    const row = db.sql('select * from sessions where id = ?').get(id);
    return row === undefined ? undefined : sessionOf(row);
  };
  const sessions: Sessions = {
    create({ kind, agent, parent, title, id = sessionId(clock.now()) }) {
      const now = clock.now();
      const there = get(id);
      if (there !== undefined) return there;
      db.sql('insert into sessions (id, kind, agent, parent, title, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?)').run(
        id,
        kind,
        agent,
        parent ?? null,
        title,
        now,
        now,
      );
      return { id, kind, agent, parent, title, systemPrompt: undefined, createdAt: now, updatedAt: now };
    },
    get,
    latest() {
      const row = db.sql("select * from sessions where kind = 'lead' order by updated_at desc, rowid desc limit 1").get();
      return row === undefined ? undefined : sessionOf(row);
    },
    ids(kind) {
      const rows =
        kind === undefined
          ? db.sql('select id from sessions order by updated_at desc').all()
          : db.sql('select id from sessions where kind = ? order by updated_at desc').all(kind);
      return rows.map((row) => columnText(row, 'id'));
    },
    setTitle: (id, title) => void db.sql('update sessions set title = ? where id = ?').run(title, id),
    setSystemPrompt: (id, prompt) => void db.sql('update sessions set system_prompt = ? where id = ?').run(prompt, id),

    openTurn(session) {
      const now = clock.now();
      const { lastInsertRowid } = db.sql("insert into turns (session_id, state, started_at) values (?, 'open', ?)").run(session, now);
      touch(session, now);
      return { id: Number(lastInsertRowid), session, state: 'open', stopReason: undefined, startedAt: now, endedAt: undefined };
    },
    endTurn(turn, state, stopReason) {
      db.write(() => {
        const { changes } = db
          .sql("update turns set state = ?, stop_reason = ?, ended_at = ? where id = ? and state = 'open'")
          .run(state, stopReason, clock.now(), turn);
        if (changes === 0) throw new XzError('conflict', `turn ${turn} is not open`);
        if (state === 'rolled_back') db.sql('delete from mail_seen where turn_id = ?').run(turn);
      });
    },
    reopenTurn(turn) {
      db.sql("update turns set state = 'open', stop_reason = null, ended_at = null where id = ? and state = 'done'").run(turn);
      return turnOf(db.sql('select * from turns where id = ?').get(turn));
    },
    openTurnOf(session) {
      const row = db.sql("select * from turns where session_id = ? and state = 'open' order by id desc limit 1").get(session);
      return row === undefined ? undefined : turnOf(row);
    },
    lastTurn(session) {
      const row = db.sql('select * from turns where session_id = ? order by id desc limit 1').get(session);
      return row === undefined ? undefined : turnOf(row);
    },
    turns: (session) => db.sql('select * from turns where session_id = ? order by id').all(session).map(turnOf),

    append(turn, content, seen = [], sync) {
      return db.write(() => {
        const now = clock.now();
        const [callRow, callIndex] = content.role === 'tool' ? [content.callRow, content.callIndex] : [null, null];
        const { lastInsertRowid } = db
          .sql('insert into messages (session_id, turn_id, role, call_row, call_index, content, created_at) values (?, ?, ?, ?, ?, ?, ?)')
          .run(turn.session, turn.id, content.role, callRow, callIndex, JSON.stringify(content), now);
        const id = Number(lastInsertRowid);
        for (const mail of seen)
          db.sql('insert into mail_seen (agent, epoch, mail_id, turn_id, message_id) values (?, ?, ?, ?, ?)').run(
            mail.agent,
            mail.epoch,
            mail.mailId,
            turn.id,
            id,
          );
        touch(turn.session, now);
        return { id, session: turn.session, turn: turn.id, content, createdAt: now };
      }, sync);
    },
    sent(session) {
      const rows = db
        .sql(
          `select m.* from messages m join turns t on t.id = m.turn_id
           where m.session_id = ? and t.state <> 'rolled_back' order by m.id`,
        )
        .all(session)
        .map(messageOf);
      return fromLastSummary(rows);
    },
    messages: (session) => db.sql('select * from messages where session_id = ? order by id').all(session).map(messageOf),
    messageTime(id) {
      const row = db.sql('select created_at from messages where id = ?').get(id);
      return row === undefined ? undefined : columnNumber(row, 'created_at');
    },
    turnThatSaw({ agent, epoch, mailId }) {
      const row = db
        .sql('select t.* from mail_seen s join turns t on t.id = s.turn_id where s.agent = ? and s.epoch = ? and s.mail_id = ?')
        .get(agent, epoch, mailId);
      return row === undefined ? undefined : turnOf(row);
    },
    spend(session, purpose, { usage, costUsd }) {
      db.sql('insert into spending (session_id, purpose, tokens, cost_usd, created_at) values (?, ?, ?, ?, ?)').run(
        session,
        purpose,
        usage.total,
        costUsd,
        clock.now(),
      );
    },
    spent: (session) => spentIn(db, [MESSAGES, 'session_id = ?', session], [SPENDING, "session_id = ? and purpose = 'summary'", session]),
    spentBeside(session) {
      const agents = "session_id in (select id from sessions where parent = ? and kind = 'agent')";
      const lines = [
        {
          agent: '(sub-agents)' as const,
          ...spentIn(db, [MESSAGES, agents, session], [SPENDING, agents, session]),
        },
        { agent: '(memory)' as const, ...spentIn(db, [SPENDING, "session_id = ? and purpose = 'memory'", session]) },
      ];
      return lines.filter(({ tokens }) => tokens > 0);
    },
    spentByAll(session) {
      const all = 'session_id in (select id from sessions where id = ? or parent = ?)';
      return spentIn(db, [MESSAGES, all, session, session], [SPENDING, all, session, session]);
    },
    together: (fn, sync) => db.write(fn, sync),
  };
  return sessions;
}

/** A summary row stands for everything up to the message it names; what came after that is kept word for word. */
function fromLastSummary(rows: readonly MessageRow[]): MessageRow[] {
  const summary = rows.findLast((row) => row.content.role === 'user' && row.content.origin?.type === 'summary');
  if (summary?.content.role !== 'user' || summary.content.origin?.type !== 'summary') return [...rows];
  const through = summary.content.origin.throughMessage;
  const older = (row: MessageRow) => row.content.role === 'user' && row.content.origin?.type === 'summary';
  return [summary, ...rows.filter((row) => row.id > through && !older(row))];
}

const MESSAGES = `select json_extract(content, '$.usage.total') tokens, json_extract(content, '$.costUsd') cost
  from messages where role = 'assistant' and `;
const SPENDING = 'select tokens, cost_usd cost from spending where ';

/** The sum over selections, each with its condition and what that is bound to. */
function spentIn(db: Database, ...from: ReadonlyArray<readonly [select: string, where: string, ...bound: string[]]>) {
  const selected = from.map(([select, where]) => `${select}${where}`).join(' union all ');
  const row = db
    .sql(`select coalesce(sum(tokens), 0) tokens, coalesce(sum(cost), 0) cost, count(*) replies, count(cost) priced from (${selected})`)
    .get(...from.flatMap(([, , ...bound]) => bound));
  const knownUsd = columnNumber(row, 'cost');
  const allPriced = columnNumber(row, 'replies') === columnNumber(row, 'priced');
  return { tokens: columnNumber(row, 'tokens'), costUsd: allPriced ? knownUsd : null, knownUsd };
}

function sessionOf(row: unknown): SessionRow {
  const kind = columnText(row, 'kind');
  if (kind !== 'lead' && kind !== 'teammate' && kind !== 'agent') throw new XzError('database_broken', `session kind ${kind}`);
  return {
    id: columnText(row, 'id'),
    kind,
    agent: columnText(row, 'agent'),
    parent: columnTextOrNull(row, 'parent'),
    title: columnText(row, 'title'),
    systemPrompt: columnTextOrNull(row, 'system_prompt'),
    createdAt: columnNumber(row, 'created_at'),
    updatedAt: columnNumber(row, 'updated_at'),
  };
}

function turnOf(row: unknown): TurnRow {
  const state = columnText(row, 'state');
  if (state !== 'open' && state !== 'done' && state !== 'rolled_back') throw new XzError('database_broken', `turn state ${state}`);
  return {
    id: columnNumber(row, 'id'),
    session: columnText(row, 'session_id'),
    state,
    stopReason: columnTextOrNull(row, 'stop_reason'),
    startedAt: columnNumber(row, 'started_at'),
    endedAt: columnNumberOrNull(row, 'ended_at'),
  };
}

function messageOf(row: unknown): MessageRow {
  return {
    id: columnNumber(row, 'id'),
    session: columnText(row, 'session_id'),
    turn: columnNumber(row, 'turn_id'),
    content: contentParser.parseJson(columnText(row, 'content')),
    createdAt: columnNumber(row, 'created_at'),
  };
}
