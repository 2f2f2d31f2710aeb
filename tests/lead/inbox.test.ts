import { expect, test } from 'vitest';
import type { LeadEvent } from '../../lead/events.ts';
import { openInbox, QUESTION_WAIT_MS } from '../../lead/inbox.ts';
import { fakeClock } from '../helpers/clock.ts';

const REQUEST = { tool: 'bash', summary: 'npm install left-pad', rule: 'bash(npm install*)', diff: '+left-pad' };
const FROM = { agent: 'cid', worktree: '.worktrees/cid' };

function inbox(attended = true) {
  const clock = fakeClock();
  const events: LeadEvent[] = [];
  const box = openInbox({ clock, emit: (event) => void events.push(event), attended });
  const statuses = () => events.flatMap((event) => (event.type === 'question' ? [event.status] : []));
  return { clock, box, statuses };
}

test('a question names who asks, for which tool, with what, and where; it waits until it is answered', async () => {
  const { box, statuses } = inbox();
  const answers = (['allow', 'always', 'refuse'] as const).map((verdict) => {
    const waiting = box.ask(REQUEST, FROM);
    const question = box.open().at(-1);
    expect(question).toMatchObject({ ...FROM, ...REQUEST });
    box.answer(question?.id ?? '', verdict);
    return waiting;
  });
  expect(await Promise.all(answers)).toEqual([
    { verdict: 'allow' },
    { verdict: 'always' },
    { verdict: 'refuse', reason: 'the person refused' },
  ]);
  expect(statuses()).toEqual(['asked', 'allowed', 'asked', 'allowed', 'asked', 'refused']);
  expect(box.open()).toEqual([]);
});

test('a question that nobody answers becomes a refusal with that reason; one whose turn is stopped is withdrawn', async () => {
  const { clock, box, statuses } = inbox();
  const late = box.ask(REQUEST, FROM);
  await clock.advance(QUESTION_WAIT_MS - 1);
  expect(box.open()).toHaveLength(1);
  await clock.advance(1);
  expect(await late).toEqual({ verdict: 'refuse', reason: 'nobody answered within ten minutes' });
  const stop = new AbortController();
  const stopped = box.ask(REQUEST, FROM, stop.signal);
  stop.abort();
  expect(await stopped).toEqual({ verdict: 'refuse', reason: 'the turn was stopped' });
  expect(statuses()).toEqual(['asked', 'expired', 'asked', 'refused']);
  expect([box.open(), clock.pending()]).toEqual([[], 0]);
});

test('where nobody is there it is refused at once, naming the rule to add, and nobody waits unseen', async () => {
  const { box, statuses } = inbox(false);
  expect(await box.ask(REQUEST, FROM)).toEqual({
    verdict: 'refuse',
    reason: 'nobody is here to allow it; add "bash(npm install*)" to [permissions] allow, or run with --yes',
  });
  expect([box.open(), statuses()]).toEqual([[], []]);
});
