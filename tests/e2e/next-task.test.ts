// What a teammate takes along from one task to the next: its conversation, not its to-do list. A real thread.
import { expect, onTestFinished, test } from 'vitest';
import { startThread } from '../../lead/team/threads.ts';
import { systemClock } from '../../store/clock.ts';
import { openPool, threadEntry } from '../../workers/pool.ts';
import { testCrew } from '../helpers/crew.ts';
import { modelEnv, sentText, startModelServer } from '../helpers/model-server.ts';
import { tempWorkspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

test('the to-do list of a task that is over is gone when the next one begins', async () => {
  const server = await startModelServer(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { text: 'done' };
    if (sentText(last).includes('first')) return { calls: [{ name: 'create_todo', args: { items: ['never finished'] } }] };
    return { calls: [{ name: 'list_todos', args: {} }] };
  });
  const ws = tempWorkspace();
  const pool = openPool(1, threadEntry(new URL('../../workers/pool.ts', import.meta.url).href), { ...ws.env, ...modelEnv(server) });
  const { crew, close } = await testCrew(systemClock, pool, { ws });
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
  for (const [at, body] of ['the first task', 'the second task'].entries()) {
    const { file } = crew.mailbox.send({ type: 'task', from: 'Lead', to: 'ann', body, epoch: 'e' });
    crew.threads.get('ann')?.wake(file);
    await until(() => crew.mailbox.list('Lead').length === at + 1, `the result of ${body}`);
  }
  const [made, listed] = crew.parts.sessions.messages(session.id).flatMap(({ content }) => (content.role === 'tool' ? [content.text] : []));
  expect([made, listed]).toEqual(['1. [ ] never finished', 'the todo list is empty']);
});
