import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openMailbox } from '../../mailbox/mailbox.ts';
import { POLL_MS, watchArrivals } from '../../mailbox/watch.ts';
import { fakeClock, settle } from '../helpers/clock.ts';
import { testLayout } from '../helpers/layout.ts';
import { tempFolder } from '../helpers/temp.ts';
import { until } from '../helpers/until.ts';

async function setUp() {
  const layout = testLayout(join(tempFolder(), 'ws'));
  mkdirSync(layout.root);
  // Near the files' own times, by which a bad one is judged.
  const clock = fakeClock(Date.now());
  const mine = openMailbox({ layout, clock });
  const others = openMailbox({ layout, clock });
  mine.ensureBox('ann');
  const box = mine.openBox('ann');
  const got: string[] = [];
  const watched = await watchArrivals({
    mailbox: mine,
    agent: 'ann',
    clock,
    onNew: (file) => {
      // As the owner is told, by a message from the process that watches.
      box.arrived(file);
      for (const mail of box.claim({ take: 'boundary', alreadySeen: () => false })) {
        got.push(mail.body);
        box.acknowledge(mail);
      }
    },
  });
  onTestFinished(() => watched.stop());
  const send = (body: string) => others.send({ type: 'notice', from: 'Lead', to: 'ann', body });
  return { layout, clock, watched, got, send, box };
}

describe('the watch on a box', () => {
  it('hears mail that another process published, with the clock standing still', async () => {
    const { send, got } = await setUp();
    for (let n = 0; n < 20; n++) send(`m${n}`);
    await until(() => got.length === 20);
    expect(got).toEqual(Array.from({ length: 20 }, (_, n) => `m${n}`));
  });

  it('hears a nudge at once', async () => {
    const { send, got, watched } = await setUp();
    const { file } = send('now');
    watched.nudge(file);
    expect(got).toEqual(['now']);
  });

  it('finds by its poll what no event told, also after the folder was removed and made again', async () => {
    const { send, got, clock, layout } = await setUp();
    rmSync(join(layout.mailbox, 'ann', 'new'), { recursive: true });
    mkdirSync(join(layout.mailbox, 'ann', 'new'));
    send('in the new folder');
    await clock.advance(POLL_MS);
    expect(got).toEqual(['in the new folder']);
    await until(() => {
      if (got.length === 1) send('heard again');
      return got.length > 1;
    });
  });

  it('takes a file that appears by rename, as an editor saves it', async () => {
    const { got, layout } = await setUp();
    const folder = join(layout.mailbox, 'ann', 'new');
    writeFileSync(join(folder, 'x.swp'), JSON.stringify({ body: 'by hand' }));
    renameSync(join(folder, 'x.swp'), join(folder, 'x.json'));
    await until(() => got.length > 0);
    expect(got).toEqual(['by hand']);
  });

  it('hears of a mail that is written in two steps once more when it is whole', async () => {
    const { got, layout } = await setUp();
    const file = join(layout.mailbox, 'ann', 'new', 'by-hand.json');
    writeFileSync(file, '{"type":"notice",');
    await until(() => readdirSync(join(layout.mailbox, 'ann', 'new')).length === 1);
    await settle();
    appendFileSync(file, '"body":"whole"}');
    await until(() => got.length > 0);
    expect(got).toEqual(['whole']);
  });

  it('finds by its poll that a mail was finished which no event told of', async () => {
    const { got, layout, clock, watched } = await setUp();
    const file = join(layout.mailbox, 'ann', 'new', 'by-hand.json');
    writeFileSync(file, '{"type":"notice",');
    watched.nudge('by-hand.json');
    appendFileSync(file, '"body":"whole"}');
    await clock.advance(POLL_MS);
    expect(got).toEqual(['whole']);
  });

  it('tells once that the folder cannot be looked at, and goes on when it can again', async () => {
    const { layout, clock, send, watched: first } = await setUp();
    await first.stop();
    const mailbox = openMailbox({ layout, clock });
    const [told, troubles]: [string[], unknown[]] = [[], []];
    const watched = await watchArrivals({
      mailbox,
      agent: 'ann',
      clock,
      onNew: (file) => told.push(file),
      onTrouble: (error) => troubles.push(error),
    });
    onTestFinished(() => watched.stop());
    rmSync(layout.mailbox, { recursive: true });
    writeFileSync(layout.mailbox, 'no folder');
    await clock.advance(POLL_MS * 3);
    watched.nudge('2-x-task.json');
    expect(troubles).toEqual([expect.objectContaining({ code: 'unwritable' })]);
    rmSync(layout.mailbox);
    await clock.advance(POLL_MS);
    const { file } = send('again');
    await clock.advance(POLL_MS);
    expect(told).toEqual([file]);
  });

  it('stops: nothing is announced afterwards', async () => {
    const { send, got, watched, clock } = await setUp();
    await watched.stop();
    send('unheard');
    await clock.advance(POLL_MS * 3);
    expect(got).toEqual([]);
  });
});

describe('the watch of one who passes the word on', () => {
  it('names each file once while it lies there, those of before and a returned one too', async () => {
    const { layout, clock, send, box, watched } = await setUp();
    await watched.stop();
    const { file } = send('before');
    const told: string[] = [];
    const mailbox = openMailbox({ layout, clock });
    const arrivals = await watchArrivals({ mailbox, agent: 'ann', clock, onNew: (name) => told.push(name) });
    onTestFinished(() => arrivals.stop());
    expect(told).toEqual([file]);
    const second = send('after').file;
    arrivals.nudge(second);
    await clock.advance(POLL_MS * 3);
    expect(told).toEqual([file, second]);
    box.arrived();
    const [mail] = box.claim({ take: 'boundary', alreadySeen: () => false });
    await clock.advance(POLL_MS);
    if (mail !== undefined) box.returnToNew(mail);
    await clock.advance(POLL_MS);
    expect(told).toEqual([file, second, file]);
  });
});
