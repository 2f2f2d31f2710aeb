// Teammates whose threads do not behave, as the lead's side sees them; real threads, a clock that the test moves.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { READY_DEADLINE_MS, STOP_DEADLINE_MS } from '../../lead/team/member-thread.ts';
import { startThread } from '../../lead/team/threads.ts';
import { openPool } from '../../workers/pool.ts';
import { fakeClock } from '../helpers/clock.ts';
import { testCrew } from '../helpers/crew.ts';
import { buildProgram } from '../helpers/program.ts';
import { tempFolder } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

let entry: URL;
beforeAll(async () => {
  entry = pathToFileURL(await buildProgram('odd-thread'));
});

/** Ann at her thread, which does what `role` says. */
async function annAs(role: string, file = entry) {
  const clock = fakeClock();
  const pool = openPool(1, file, { PATH: process.env.PATH });
  const { crew, events, close } = await testCrew(clock, pool);
  onTestFinished(async () => {
    const stopped = crew.threads.get('ann')?.stop();
    await clock.advance(STOP_DEADLINE_MS);
    await stopped;
    await pool.close();
    close();
  });
  const session = crew.parts.sessions.create({ kind: 'teammate', agent: 'ann', parent: crew.session(), title: 'ann' });
  crew.mailbox.ensureBox('ann');
  const createdAt = '2026-03-03T09:00:00.000+00:00';
  const ann = crew.roster.write({ name: 'ann', session: session.id, epoch: 'e', state: 'starting', createdAt, role, place: 'here' });
  const notices = () => events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  return { clock, crew, notices, start: () => startThread(crew, ann) };
}

test('a thread that is not ready in time is ended and started again, and three times is given up, each with the reason', async () => {
  const { clock, crew, notices, start } = await annAs('silent');
  start();
  for (let crash = 1; crash <= 3; crash++) {
    await clock.advance(READY_DEADLINE_MS);
    await until(() => notices().length >= crash, `crash ${crash}`);
    expect(notices().at(-1)).toBe(`ann crashed (${crash} of 3): it was not ready within 30 s`);
  }
  await until(() => !crew.threads.has('ann'), 'ann to be given up');
  const [told] = await until(() => {
    const mail = crew.mailbox.list('Lead');
    return mail.length > 0 && mail;
  }, 'the result');
  expect(told).toMatchObject({ type: 'result', from: 'ann', data: { stopReason: 'crashed' } });
  expect(told?.body).toContain('ann crashed too often and was stopped (it was not ready within 30 s)');
});

for (const [what, role, why] of [
  // Node 22 and newer send the reason in its place.
  ['sends what cannot be cloned', 'uncloneable', /(an error that could not be sent|could not be cloned)/],
  ['throws at import', 'broken', /not today/],
] as const)
  test(`a thread that ${what} is given up after three crashes, with the reason, and harms nobody`, async () => {
    const broken = pathToFileURL(join(tempFolder(), 'broken.mjs'));
    writeFileSync(broken, "throw new Error('not today');\n");
    const { crew, notices, start } = await annAs(role, role === 'broken' ? broken : entry);
    start();
    await until(() => !crew.threads.has('ann'), 'ann to be given up');
    expect(notices()).toEqual([1, 2, 3].map((n) => expect.stringMatching(new RegExp(`^ann crashed \\(${n} of 3\\): .*${why.source}`))));
    expect(crew.mailbox.list('Lead')).toMatchObject([{ type: 'result', body: expect.stringMatching(why) }]);
    expect(crew.roster.read('ann')).toMatchObject({ state: 'crashed', crashes: 3 });
  });

test('what one teammate sends to another wakes that one at once, without a look at the folder', async () => {
  const { crew, start } = await annAs('writes to bob');
  const woken: Array<string | undefined> = [];
  const over = Promise.resolve();
  const status = { state: 'idle', activity: 'waiting', since: 0, tokens: 0, costUsd: null, files: [] } as const;
  crew.threads.set('bob', {
    ...{ name: 'bob', over, status: () => status, wake: (file) => void woken.push(file), interrupt: () => {} },
    ...{ stop: () => over, busy: () => false, farewell: () => undefined },
  });
  start();
  await until(() => woken.length > 0, 'bob to be woken');
  expect(woken).toEqual(['3-x-notice.json']);
});
