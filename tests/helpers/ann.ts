// Ann, one teammate in a real thread over real stores, and what a test does with her.
import { onTestFinished } from 'vitest';
import { startThread } from '../../lead/team/threads.ts';
import { systemClock } from '../../store/clock.ts';
import { openPool, threadEntry } from '../../workers/pool.ts';
import { testCrew } from './crew.ts';
import { type ModelServer, modelEnv } from './model-server.ts';
import { tempWorkspace } from './temp.ts';

/** Starts her; `attended`: a person is there to be asked. All ends with the test. */
export async function startAnn(server: ModelServer, attended = false) {
  const ws = tempWorkspace();
  const pool = openPool(1, threadEntry(new URL('../../workers/pool.ts', import.meta.url).href), { ...ws.env, ...modelEnv(server) });
  const { crew, events, close } = await testCrew(systemClock, pool, { ws, attended });
  onTestFinished(async () => {
    await crew.threads.get('ann')?.stop();
    await pool.close();
    close();
  });
  const session = crew.parts.sessions.create({ kind: 'teammate', agent: 'ann', parent: crew.session(), title: 'ann' });
  crew.mailbox.ensureBox('ann');
  const createdAt = '2026-03-03T09:00:00.000+00:00';
  const ann = crew.roster.write({ name: 'ann', session: session.id, epoch: 'e', state: 'starting', createdAt, role: '', place: 'here' });
  startThread(crew, ann);
  const give = (body: string) => {
    const { file } = crew.mailbox.send({ type: 'task', from: 'Lead', to: 'ann', body, epoch: 'e' });
    crew.threads.get('ann')?.wake(file);
  };
  return { crew, events, session, give };
}
