// Two xz processes and three teammates post and claim at full speed in one workspace: what was sent is shown to its
// addressee in exactly one turn, to nobody else, and nothing is left or unreadable. 60 s with `XZ_TEST_FULL=1`.
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { columnNumber, columnText, openDatabase } from '../../store/database/database.ts';
import { storeSchemas } from '../../store/schemas.ts';
import { type Content, callsOf, contentParser } from '../../store/sessions/message.ts';
import { OUTSIDER, TOKEN, talkingTeam } from '../fixtures/talking-team.ts';
import { NAMES } from '../fixtures/team-model.ts';
import { modelEnv, startModelServer } from '../helpers/model-server.ts';
import { runXz, startXz } from '../helpers/run.ts';
import { tempWorkspace, type Workspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';
import { processesOf } from './left.ts';

const SECONDS = process.env.XZ_TEST_FULL ? 60 : 3;

function filesIn(ws: Workspace, ...boxes: readonly string[]): string[] {
  const folders = ['Lead', ...NAMES].flatMap((name) => boxes.map((box) => `.Mailbox/${name}/${box}`));
  return folders.filter((folder) => ws.has(folder)).flatMap((folder) => readdirSync(ws.path(folder)).map((file) => `${folder}/${file}`));
}

interface Row {
  readonly id: number;
  readonly session: string;
  readonly agent: string;
  readonly turn: string;
  readonly content: Content;
}

/** Every stored message, with whose it is and whether its turn holds. */
function rowsOf(ws: Workspace): Row[] {
  const db = openDatabase(ws.path('.agents/data/agent.db'), storeSchemas);
  const rows = db
    .sql(
      'select m.id, m.session_id, s.agent, t.state, m.content from messages m join turns t on t.id = m.turn_id join sessions s on s.id = m.session_id order by m.id',
    )
    .all()
    .map((row) => ({
      id: columnNumber(row, 'id'),
      session: columnText(row, 'session_id'),
      agent: columnText(row, 'agent'),
      turn: columnText(row, 'state'),
      content: contentParser.parse(JSON.parse(columnText(row, 'content'))),
    }));
  db.close();
  return rows;
}

/** What left its sender: `addressee token`, as the tools answered that sent it. */
function sentIn(rows: readonly Row[]): string[] {
  const calls = new Map(
    rows.flatMap(({ id, content }) =>
      content.role === 'assistant' ? callsOf(content).map((call, at) => [`${id} ${at}`, call] as const) : [],
    ),
  );
  return rows.flatMap(({ content }) => {
    if (content.role !== 'tool') return [];
    if (content.name === 'bash') return [...content.text.matchAll(/^sent (\w+ <user-\d+>)$/gm)].map(([, what = '']) => what);
    const call = calls.get(`${content.callRow} ${content.callIndex}`);
    return content.name === 'send_notice' && !content.isError ? [`${call?.arguments.to} ${call?.arguments.message}`] : [];
  });
}

/** What was shown: `addressee token`, once for each time it stands in a conversation. */
function shownIn(rows: readonly Row[]): string[] {
  return rows.flatMap(({ agent, content }) => {
    if (content.role === 'assistant') return [];
    const read = content.role === 'user' ? content.origin?.type === 'mail' : content.name === 'collect_results';
    return read ? [...content.text.matchAll(TOKEN)].map(([token]) => `${agent} ${token}`) : [];
  });
}

test(
  `${SECONDS} s of two processes and three teammates writing to each other: each message in one turn of its addressee`,
  async () => {
    const ws = tempWorkspace();
    let deadline = Number.POSITIVE_INFINITY;
    let outside = false;
    const respond = talkingTeam({
      talking: () => Date.now() < deadline,
      outsideDone: () => outside,
      waiting: () => filesIn(ws, 'new').length,
    });
    const server = await startModelServer((body) => {
      // Gigabytes of conversation in the long run: nobody looks at them again.
      server.requests.length = 0;
      return respond(body);
    });
    const once = (prompt: string) =>
      startXz(ws, ['once', prompt, '--team', '--yes', '--json', '--max-rounds', '100000'], {
        env: modelEnv(server),
        input: '',
        timeoutMs: SECONDS * 1_000 + 120_000,
      });
    const team = once('let the team talk');
    await until(() => NAMES.every((name) => ws.has(`.Mailbox/${name}/agent.json`)), 'three teammates', 30_000);
    deadline = Date.now() + SECONDS * 1_000;
    const second = once(OUTSIDER);
    const other = await second.ended;
    outside = true;
    const own = await team.ended;
    expect([own.code, other.code], own.err + other.err).toEqual([0, 0]);
    expect(other.err).toContain('is led by');

    const { session } = JSON.parse(own.out);
    const all = rowsOf(ws);
    const rows = all.filter((row) => row.turn !== 'rolled_back');
    expect(rows).toHaveLength(all.length);
    const sent = sentIn(rows).sort();
    const shown = shownIn(rows).sort();
    const from = (who: string) => sent.filter((what) => what.includes(`<${who}-`)).length;
    const counts = `${sent.length} messages: ${['ann', 'bob', 'cid', 'user'].map((who) => `${who} ${from(who)}`).join(', ')}`;
    for (const who of ['ann', 'bob', 'cid', 'user']) expect(from(who), counts).toBeGreaterThan(0);
    expect(new Set(sent).size).toBe(sent.length);
    expect(shown.filter((what, at) => what === shown[at - 1])).toEqual([]);
    expect(shown, counts).toEqual(sent);
    expect(rows.filter((row) => row.agent === 'Lead' && row.session !== session && shownIn([row]).length > 0)).toEqual([]);
    expect(filesIn(ws, 'tmp', 'new', 'cur', 'dead')).toEqual([]);
    const doctor = await runXz(ws, ['doctor', '--json']);
    const checks: Array<{ status: string; name: string }> = JSON.parse(doctor.out).checks;
    expect(checks.filter((check) => check.status === 'broken')).toEqual([]);
    expect(processesOf(ws)).toEqual([]);
    if (process.env.XZ_TEST_FULL) console.log(`${SECONDS} s: ${counts}; each shown once`);
  },
  SECONDS * 1_000 + 150_000,
);
