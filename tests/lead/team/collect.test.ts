// Mail to the lead on a disk that refuses: told once, nothing lost, and no turn fails because of it.
import { expect, onTestFinished, test } from 'vitest';
import { openResults } from '../../../lead/team/collect.ts';
import { systemClock } from '../../../store/clock.ts';
import { installFaultHook } from '../../../store/faults.ts';
import { testCrew } from '../../helpers/crew.ts';

async function leadWithMail() {
  const { crew, events, close } = await testCrew(systemClock, {
    start: () => {
      throw new Error('nobody is started here');
    },
    close: () => Promise.resolve(),
  });
  onTestFinished(() => {
    installFaultHook(undefined);
    close();
  });
  const results = openResults(crew, crew.mailbox.openBox('Lead'), () => []);
  const send = (type: 'task' | 'notice', body: string) => crew.mailbox.send({ type, from: 'user', to: 'Lead', body }).file;
  const told = () => events.filter((event) => event.type === 'notice').length;
  /** Renames into `cur/` fail after the first `good` ones. */
  const refuse = (good: number) => {
    let renamed = 0;
    installFaultHook(({ op, path }) => {
      if (op === 'rename' && path.includes('/cur/') && renamed++ >= good) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
      return undefined;
    });
  };
  return { crew, results, send, told, refuse };
}

const bodies = (mail: readonly { readonly text: string }[]) => mail.map(({ text }) => text.replace(/^\[.*?\] /, ''));

test('a box that cannot be written is told once, and the lead goes on without its mail until it can', async () => {
  const { results, send, told, refuse } = await leadWithMail();
  send('task', 'a thing');
  send('notice', 'a word');
  refuse(0);
  expect(results.waiting()).toBe(true);
  expect(results.goAlong()).toEqual([]);
  // Who waits for an idle team asks again and again: what cannot be taken is nothing to wait for.
  expect(results.waiting()).toBe(false);
  expect(results.goAlong()).toEqual([]);
  expect(told()).toBe(1);
  installFaultHook(undefined);
  results.changed(send('notice', 'another'));
  expect(results.waiting()).toBe(true);
  expect(bodies(results.take('all')).sort()).toEqual(['a thing', 'a word', 'another']);
});

test('what was taken before the disk refused is shown, the rest waits', async () => {
  const { results, send, refuse } = await leadWithMail();
  send('task', 'one');
  send('task', 'two');
  refuse(1);
  expect(bodies(results.take('all'))).toEqual(['one']);
  installFaultHook(undefined);
  expect(bodies(results.take('all'))).toEqual(['two']);
});

test('mail that cannot be acknowledged has been read all the same: the turn ends, and a later start acknowledges it', async () => {
  const { crew, results, send, told } = await leadWithMail();
  send('task', 'one');
  const [mail] = results.take('all');
  const turn = crew.parts.sessions.openTurn(crew.session());
  crew.parts.sessions.append(turn, { role: 'user', text: 'one' }, mail === undefined ? [] : [mail.seen]);
  crew.parts.sessions.endTurn(turn.id, 'done', 'done');
  installFaultHook(({ op, path }) => {
    if (op === 'unlink' && path.includes('/cur/')) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
    return undefined;
  });
  await results.turnEnded('done');
  expect(told()).toBe(1);
  installFaultHook(undefined);
  const next = openResults(crew, crew.mailbox.openBox('Lead'), () => []);
  next.recover();
  expect(next.take('all')).toEqual([]);
  expect(crew.mailbox.pending('Lead')).toEqual({ work: 0, notices: 0, held: 0 });
});

test('mail whose row could not be stored is not acknowledged by the end of that turn, nor of a later one', async () => {
  const { crew, results, send } = await leadWithMail();
  send('task', 'one');
  expect(bodies(results.take('all'))).toEqual(['one']);
  const turn = crew.parts.sessions.openTurn(crew.session());
  crew.parts.sessions.endTurn(turn.id, 'done', 'done');
  await results.turnEnded('done');
  expect(results.waiting()).toBe(true);
  expect(bodies(results.take('all'))).toEqual(['one']);
});
