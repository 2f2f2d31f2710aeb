// A teammate that waits for the person's leave: what ends its turn, or itself, ends the question too. Real threads.
import { readdirSync, readlinkSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { startThread } from '../../lead/team/threads.ts';
import { systemClock } from '../../store/clock.ts';
import { openPool, threadEntry } from '../../workers/pool.ts';
import { startAnn } from '../helpers/ann.ts';
import { testCrew } from '../helpers/crew.ts';
import { startModelServer } from '../helpers/model-server.ts';
import { tempWorkspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

/** Ann, at work on a task, with a question open. */
async function askingAnn() {
  const server = await startModelServer(() => ({ calls: [{ name: 'bash', args: { command: 'touch made' } }] }));
  const { crew, events, session, give } = await startAnn(server, true);
  give('make it');
  await until(() => crew.inbox.open().length === 1, 'the question');
  const statuses = () => events.flatMap((event) => (event.type === 'question' ? [event.status] : []));
  return { crew, statuses, lastTurn: () => crew.parts.sessions.lastTurn(session.id) };
}

test('interrupted, it asks no longer, its turn is rolled back and it waits', async () => {
  const { crew, statuses, lastTurn } = await askingAnn();
  crew.threads.get('ann')?.interrupt();
  await until(() => crew.threads.get('ann')?.status().state === 'idle', 'ann to wait');
  expect([statuses(), crew.inbox.open(), lastTurn()?.state]).toEqual([['asked', 'refused'], [], 'rolled_back']);
});

test('stopped with the program, it leaves its turn open and no question behind, without being forced', async () => {
  const { crew, statuses, lastTurn } = await askingAnn();
  const thread = crew.threads.get('ann');
  await thread?.stop();
  expect([statuses(), crew.inbox.open(), lastTurn()?.state]).toEqual([['asked', 'refused'], [], 'open']);
  expect(crew.roster.read('ann')).toMatchObject({ state: 'working' });
});

test('a thread that cannot take up its work leaves no file open, although the pool keeps it', async () => {
  const ws = tempWorkspace();
  const pool = openPool(1, threadEntry(new URL('../../workers/pool.ts', import.meta.url).href), ws.env);
  const { crew, close } = await testCrew(systemClock, pool, { ws });
  onTestFinished(async () => {
    await pool.close();
    close();
  });
  const open = () =>
    readdirSync('/proc/self/fd').filter((fd) => readlink(`/proc/self/fd/${fd}`)?.startsWith(`${ws.dir}/.agents/data`) === true).length;
  const giveUp = async (name: string) => {
    crew.mailbox.ensureBox(name);
    const createdAt = '2026-03-03T09:00:00.000+00:00';
    startThread(crew, crew.roster.write({ name, session: 'none', epoch: 'e', state: 'starting', createdAt, role: '', place: 'here' }));
    await until(() => !crew.threads.has(name), `${name} to be given up`);
    expect(crew.roster.read(name)).toMatchObject({ state: 'crashed', crashes: 3 });
    return open();
  };
  // SQLite keeps one descriptor of a file that other connections of the process have locked, and uses it again.
  const once = await giveUp('ann');
  expect(await giveUp('bob')).toBe(once);
});

/** Where a descriptor leads; one may be closed while they are looked at. */
function readlink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
