// Results on their way to the lead: handed out by collect_results inside a turn, or as the input of a mail turn when the
// lead is idle. Either way the ids are stored with the row that shows them, and acknowledged when that turn has ended.
import type { Box } from '../../mailbox/box.ts';
import type { Mail } from '../../mailbox/message.ts';
import { errorMessage } from '../../store/errors.ts';
import type { MailSource, TakenMail } from '../../workers/agent/mail-source.ts';
import type { ToolResult } from '../../workers/agent/tools/tool.ts';
import { type Crew, note } from './crew.ts';
import { evidenceIn, renderMail } from './render.ts';

/** Results handed out at once. */
const MOST_RESULTS = 16;
const SETTLING_MS = 300;

export interface Results extends MailSource {
  /** Results and notices that wait, taken in hand; empty when there are none. */
  take(what: 'results' | 'all'): TakenMail[];
  /** Waits up to `waitMs` for a result while somebody works. */
  collect(waitMs: number, signal: AbortSignal): Promise<ToolResult>;
  /** True when a result waits. */
  waiting(): boolean;
  /** Something arrived, or somebody's state changed. */
  changed(file?: string): void;
  /** At start: what the last process had in hand. */
  recover(): void;
}

export function openResults(crew: Crew, box: Box, busy: () => readonly string[]): Results {
  let inHand: Mail[] = [];
  /** What the disk refused last; while it does, there is no mail that could be waited for. */
  let refused = '';
  const waiters = new Set<() => void>();
  const seenMail = (mailId: string) => ({ agent: 'Lead', epoch: crew.epoch(), mailId });
  const turnOf = (mailId: string) => crew.parts.sessions.turnThatSaw(seenMail(mailId));

  const take = (what: 'results' | 'all' | 'notices'): TakenMail[] => {
    const mails = box.claim({ take: what, max: MOST_RESULTS, epoch: crew.epoch(), alreadySeen: (id) => turnOf(id) !== undefined });
    inHand.push(...mails);
    for (const mail of mails) announce(crew, mail);
    return mails.map((mail) => ({ id: mail.id, text: renderMail(mail), seen: seenMail(mail.id) }));
  };

  /** Runs what a turn cannot fail for: the mail stays where it is, and the person is told once. */
  const orRefused = <T>(instead: T, step: () => T): T => {
    try {
      const done = step();
      refused = '';
      return done;
    } catch (error) {
      const text = `the lead's mail cannot be taken or put back: ${errorMessage(error)}`;
      if (text !== refused) crew.emit({ type: 'notice', agent: 'Lead', code: 'team', text });
      refused = text;
      return instead;
    }
  };

  /** Resolves at the next change, the deadline, or the signal. */
  const nextChange = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const done = () => {
        cancel();
        waiters.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = crew.parts.clock.after(ms, done);
      waiters.add(done);
      signal.addEventListener('abort', done, { once: true });
    });

  /** A teammate hands its result in a moment before it says that it is idle: until then it would be told as at work. */
  const settled = async (senders: ReadonlySet<string>, signal: AbortSignal): Promise<void> => {
    const { clock } = crew.parts;
    const until = clock.now() + SETTLING_MS;
    while (!signal.aborted && clock.now() < until && busy().some((name) => senders.has(name)))
      await nextChange(until - clock.now(), signal);
  };

  return {
    take: (what) => orRefused([], () => take(what)),
    async collect(waitMs, signal) {
      const deadline = crew.parts.clock.now() + waitMs;
      for (;;) {
        const taken = take('results');
        if (taken.length > 0) await settled(new Set(inHand.slice(-taken.length).map(({ from }) => from)), signal);
        const working = busy();
        if (taken.length > 0) {
          const rest = working.length > 0 ? `\n\nStill at work: ${working.join(', ')}.` : '';
          return { text: taken.map((mail) => mail.text).join('\n\n') + rest, seen: taken.map((mail) => mail.seen) };
        }
        const left = deadline - crew.parts.clock.now();
        if (working.length === 0) return { text: 'No results are waiting, and nobody is at work.' };
        if (left <= 0 || signal.aborted) return { text: `No results yet. At work: ${working.join(', ')}.` };
        await nextChange(left, signal);
      }
    },
    waiting: () => refused === '' && orRefused(false, () => box.waiting().work > 0),
    changed(file) {
      if (file !== undefined) orRefused(false, () => box.arrived(file));
      for (const wake of [...waiters]) wake();
    },
    recover() {
      const open = crew.parts.sessions.openTurnOf(crew.session());
      for (const mail of box.takeHeld(() => true)) {
        const turn = turnOf(mail.id);
        // Claimed and never shown: back into the queue, where it counts as waiting and wakes an idle lead.
        if (turn === undefined) box.returnToNew(mail);
        else if (turn.id === open?.id) inHand.push(mail);
        else box.acknowledge(mail);
      }
    },
    // A notice waits for nobody's leave: without a result to go along with, it goes along with what the person asks.
    goAlong: () => orRefused([], () => take('notices')),
    // The lead learns of results through collect_results or its next turn, never in the middle of one.
    takeMail: () => Promise.resolve([]),
    turnEnded(state) {
      // What could not be stored was read by nobody, however the turn ended.
      const isRead = (mail: Mail) => state === 'done' && turnOf(mail.id) !== undefined;
      for (const mail of inHand) orRefused(undefined, () => (isRead(mail) ? box.acknowledge(mail) : void box.returnToNew(mail)));
      inHand = [];
      return Promise.resolve();
    },
  };
}

function announce(crew: Crew, mail: Mail): void {
  const evidence = evidenceIn(mail);
  if (mail.type === 'result')
    note(
      crew,
      'result',
      mail.from,
      `result${mail.taskId === undefined ? '' : ` of ${mail.taskId}`}: ${mail.body.split('\n')[0]?.slice(0, 200) ?? ''}`,
      { evidence, stopReason: mail.data?.stopReason },
    );
  crew.emit({
    type: 'mail',
    from: mail.from,
    to: 'Lead',
    mailType: mail.type,
    subject: mail.subject ?? mail.taskId ?? '',
    at: crew.parts.clock.now(),
    claim: mail.body,
    ...(evidence !== undefined && { evidence }),
  });
}
