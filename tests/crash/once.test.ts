// SIGKILL at any moment of `xz once`, then `--resume`: the same files in the end, and a history every provider accepts.
import { expect, test } from 'vitest';
import type { Reply } from '../helpers/model-reply.ts';
import { modelEnv, pairingFault, type SentBody, sentText, startModelServer } from '../helpers/model-server.ts';
import { runXz, startXz } from '../helpers/run.ts';
import { tempWorkspace } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

const KILLS = Number(process.env.XZ_TEST_KILLS ?? 20);

/** The work, step by step. A step is over when its call has an answer that is not "interrupted". */
const STEPS: ReadonlyArray<{ readonly name: string; readonly args: Record<string, unknown> }> = [
  { name: 'write_file', args: { path: 'a.txt', content: 'one\n' } },
  { name: 'bash', args: { command: 'grep -q two a.txt || echo two >> a.txt' } },
  { name: 'edit_file', args: { path: 'a.txt', old_text: 'one', new_text: 'ONE' } },
  { name: 'bash', args: { command: 'cat a.txt' } },
];

/** A model that looks at the conversation only: it repeats what was interrupted and goes on with the next step. */
function nextReply({ messages }: SentBody): Reply {
  let done = 0;
  for (const [at, message] of messages.entries()) {
    for (const call of message.tool_calls ?? []) {
      const answer = messages.slice(at).find((other) => other.role === 'tool' && other.tool_call_id === call.id);
      const text = sentText(answer);
      // An edit that took effect before the kill is refused the second time: the text is not there any more.
      const over = !text.includes('interrupted') || (call.function.name === 'edit_file' && text.includes('not found'));
      if (over) done = Math.max(done, STEPS.findIndex((step) => JSON.stringify(step.args) === call.function.arguments) + 1);
    }
  }
  const step = STEPS[done];
  return step === undefined ? { text: 'all done', delayMs: 5 } : { calls: [step], delayMs: 5 };
}

test(`killed at ${KILLS} random moments, resumed, and ended with the same files`, async () => {
  const server = await startModelServer((body) => (body.tools === undefined ? { text: 'Title' } : nextReply(body)));
  const env = modelEnv(server);
  try {
    for (let round = 0; round < KILLS; round++) {
      const ws = tempWorkspace();
      const from = server.requests.length;
      const child = startXz(ws, ['once', 'work', '--yes'], { env });
      // Spread over the whole run: before the first request, at some request, and between requests.
      const after = round % 7;
      if (after > 0) await Promise.race([until(() => server.requests.length - from >= after, `request ${after}`), child.ended]);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * (after === 0 ? 400 : 60)));
      child.kill('SIGKILL');
      await child.ended;
      const resumed = await runXz(ws, ['once', '--resume', '--yes', '--json'], { env });
      expect(resumed, `round ${round}`).toMatchObject({ code: 0 });
      const answer = JSON.parse(resumed.out);
      if (answer.session === null) {
        // Killed before anything was stored: there is nothing to go on with, and nothing was done.
        expect(ws.has('a.txt')).toBe(false);
        continue;
      }
      if (!ws.has('a.txt')) {
        // Killed when the session was stored and the prompt was not yet: nothing is open, and no model was asked.
        const stored = await runXz(ws, ['history', 'session', answer.session, '--json'], { env });
        expect(JSON.parse(stored.out), `round ${round}: ${resumed.out}`).toMatchObject({ items: [] });
        expect(server.requests).toHaveLength(from);
        continue;
      }
      expect(ws.read('a.txt'), `round ${round}: ${resumed.out}`).toBe('ONE\ntwo\n');
      expect(ws.git('status', '--porcelain').trim()).toBe('?? a.txt');
    }
    expect(server.requests.map((request) => pairingFault(request.body)).filter(Boolean)).toEqual([]);
  } finally {
    await server.stop();
  }
}, 300_000);
