// What a teammate takes along from one task to the next: its conversation, not its to-do list. A real thread.
import { expect, test } from 'vitest';
import { startAnn } from '../helpers/ann.ts';
import { sentText, startModelServer } from '../helpers/model-server.ts';
import { until } from '../helpers/until.ts';

test('the to-do list of a task that is over is gone when the next one begins', async () => {
  const server = await startModelServer(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === 'tool') return { text: 'done' };
    if (sentText(last).includes('first')) return { calls: [{ name: 'create_todo', args: { items: ['never finished'] } }] };
    return { calls: [{ name: 'list_todos', args: {} }] };
  });
  const { crew, session, give } = await startAnn(server);
  for (const [at, body] of ['the first task', 'the second task'].entries()) {
    give(body);
    await until(() => crew.mailbox.list('Lead').length === at + 1, `the result of ${body}`);
  }
  const [made, listed] = crew.parts.sessions.messages(session.id).flatMap(({ content }) => (content.role === 'tool' ? [content.text] : []));
  expect([made, listed]).toEqual(['1. [ ] never finished', 'the todo list is empty']);
});
