// A teammate's life: take the next mail, work on it, hand in the result, wait. It runs in a thread (workers/teammate.ts)
// but knows nothing of threads. A kill at any instant is continued by calling `live` again with the same session.
import type { Box } from '../mailbox/box.ts';
import { type Mail, mailFileName } from '../mailbox/message.ts';
import type { Sessions, TurnRow } from '../store/sessions/sessions.ts';
import type { Agent } from './agent/agent.ts';
import type { MailSource, TakenMail } from './agent/mail-source.ts';
import type { Limits } from './agent/turn/limits.ts';
import { finishWork, type WorkOutcome, type WorkSetup } from './work.ts';

export interface MemberSetup {
  readonly name: string;
  readonly epoch: string;
  readonly box: Box;
  readonly sessions: Sessions;
  readonly work: WorkSetup;
  /** The mail with the token of its task's claim: the same for the same mail, so that a resumed claim is kept. */
  readonly withToken: (mail: Mail) => Mail;
  /** Claims the task of a mail for this teammate; resolves to why it may not be worked on, or undefined. */
  readonly claim: (mail: Mail) => Promise<string | undefined>;
  /** What a turn that begins now may use, beside the agent's own limits. */
  readonly limits: () => Partial<Limits>;
  /** Makes sure, before a turn, that there is a folder to work in. */
  readonly ready: () => Promise<void>;
  /** Told of each new task, before its turn begins. */
  readonly onTask: () => void;
  /** Brings an idle worktree up to the main checkout before a new task. */
  readonly refresh: () => Promise<void>;
  /** What the model reads of a mail. */
  readonly render: (mail: Mail) => string;
  readonly onState: (state: 'idle' | 'working' | 'ending', task: string | undefined) => void;
  /** A result went out under this file name. */
  readonly onSent: (file: string) => void;
  /** Calls once in a few seconds; returns the way to cancel it. */
  readonly later: (fn: () => void) => () => void;
}

export interface Member {
  readonly mail: MailSource;
  /** Consumes mail until an `end` arrives or `stop` is called; resolves to which of the two it was. */
  live(agent: Agent): Promise<'ended' | 'stopped'>;
  wake(file?: string): void;
  interrupt(): void;
  stop(): void;
}

export function createMember(setup: MemberSetup): Member {
  const { box, sessions } = setup;
  let agent: Agent | undefined;
  /** Mail the running turn has shown; acknowledged one by one when its work is handed in. */
  let inTurn: Mail[] = [];
  let ending: Mail | undefined;
  let stopping = false;
  let paused = false;
  /** Told between the taking of a mail and its turn, when there is nothing to stop yet. */
  let interrupted = false;
  /** Files an interrupted turn has put back, until the watch on the box has told of them. */
  const givenBack = new Set<string>();
  let ring = () => {};
  let bell = newBell();

  function newBell(): Promise<void> {
    return new Promise((resolve) => {
      ring = resolve;
    });
  }

  const seenBy = (mailId: string): TurnRow | undefined => sessions.turnThatSaw({ agent: setup.name, epoch: setup.epoch, mailId });
  const request = { epoch: setup.epoch, alreadySeen: (mailId: string) => seenBy(mailId) !== undefined };
  const taken = (mail: Mail): TakenMail => ({
    id: mail.id,
    text: setup.render(mail),
    seen: { agent: setup.name, epoch: setup.epoch, mailId: mail.id },
  });

  const giveBack = (mails: readonly Mail[]): void => {
    for (const one of mails) {
      box.returnToNew(one);
      givenBack.add(mailFileName(one));
    }
  };

  const mail: MailSource = {
    // All of its turns begin with mail, which its notices have come along with.
    goAlong: () => [],
    takeMail() {
      // What comes behind an `end` is nobody's work: it stays in the box, for the lead to set aside.
      if (ending !== undefined) return Promise.resolve([]);
      const arrived = box.claim({ ...request, take: 'boundary', max: 16 });
      const end = arrived.find((one) => one.type === 'end');
      if (end !== undefined) {
        ending = end;
        // The work in hand is not finished by being ended: its turn is rolled back, its files are committed and kept.
        agent?.stop('interrupt');
      }
      const others = arrived.filter((one) => one.type !== 'end');
      if (end === undefined) inTurn.push(...others);
      else giveBack(others);
      return Promise.resolve(end === undefined ? others.map(taken) : []);
    },
    turnEnded(state) {
      if (state === 'rolled_back') {
        giveBack(inTurn);
        inTurn = [];
      }
      return Promise.resolve();
    },
  };

  /** Hands in the results of all work mail of a turn, then acknowledges everything it has shown. */
  const handIn = async (mails: readonly Mail[], outcome: WorkOutcome): Promise<void> => {
    for (const one of mails) {
      // What could not be stored was read by nobody.
      if (seenBy(one.id) === undefined) {
        giveBack([one]);
        continue;
      }
      if (one.type === 'task' || one.type === 'review') setup.onSent((await finishWork(setup.work, setup.withToken(one), outcome)).file);
      box.acknowledge(one);
    }
  };

  const runTurn = async (mails: readonly Mail[], resume: boolean): Promise<void> => {
    const worker = agent;
    // Told to stop meanwhile: the mail stays claimed, for the life that comes after.
    if (worker === undefined || stopping) return;
    inTurn = [...mails];
    setup.onState('working', mails.find((one) => one.taskId !== undefined)?.taskId);
    const running = worker.run(resume ? { kind: 'resume' } : { kind: 'mail', mail: mails.map(taken) }, setup.limits());
    if (interrupted) worker.stop('interrupt');
    const outcome = await running;
    if (outcome.stopReason === 'interrupted') {
      if (!stopping) {
        paused = true;
        await setup.work.commit('work in progress, interrupted');
      }
      return;
    }
    await handIn(inTurn, { ...outcome, error: outcome.fault?.text });
    inTurn = [];
  };

  /** What the last life left in hand: an open turn is gone on with, a finished one is handed in. */
  const recover = async (): Promise<void> => {
    const held = box.takeHeld((id) => seenBy(id) !== undefined);
    const open = sessions.openTurnOf(agent?.session ?? '');
    const closed = held.filter((one) => seenBy(one.id)?.id !== open?.id);
    for (const one of closed) {
      const turn = seenBy(one.id);
      await handIn([one], { stopReason: turn?.stopReason ?? 'done', text: lastText(turn) });
    }
    if (open === undefined) return;
    await setup.ready();
    await runTurn(
      held.filter((one) => !closed.includes(one)),
      true,
    );
  };

  const lastText = (turn: TurnRow | undefined): string => {
    const rows = turn === undefined ? [] : sessions.messages(turn.session).filter((row) => row.turn === turn.id);
    for (const { content } of rows.toReversed()) {
      if (content.role !== 'assistant') continue;
      const text = content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
      if (text.trim() !== '') return text;
    }
    return '';
  };

  /** Works on the next mail; false when there is none. */
  const step = async (): Promise<boolean> => {
    interrupted = false;
    const mails = paused ? [] : box.claim({ ...request, take: 'all' });
    const [first] = mails;
    if (first === undefined) return false;
    if (first.type === 'end') {
      ending = first;
      // No model will read what was claimed along with it: only a turn that shows a mail may acknowledge it.
      giveBack(mails.slice(1));
      return true;
    }
    // Said at once: between the box and the turn nobody may take this teammate for idle.
    setup.onState('working', first.taskId);
    const refused = await setup.claim(setup.withToken(first));
    if (refused !== undefined) {
      giveBack(mails.slice(1));
      // Without a token: the task is somebody else's and stays as it is.
      const { claim: _claim, ...claimless } = first;
      setup.onSent((await finishWork(setup.work, claimless, { stopReason: 'error', text: '', error: refused })).file);
      box.acknowledge(first);
      return true;
    }
    await setup.ready();
    if (first.type === 'task') {
      setup.onTask();
      await setup.refresh();
    }
    await runTurn(mails, false);
    return true;
  };

  return {
    mail,
    async live(worker) {
      agent = worker;
      await recover();
      while (!stopping) {
        if (ending !== undefined) {
          setup.onState('ending', undefined);
          await setup.work.commit('work in progress, ended');
          box.acknowledge(ending);
          return 'ended';
        }
        bell = newBell();
        if (await step()) continue;
        if (stopping) break;
        setup.onState('idle', undefined);
        // What is no mail yet (half written, or broken) wakes nobody again, and counts as work until it is moved aside.
        const cancel = box.unsettled() && !paused ? setup.later(() => ring()) : undefined;
        await bell;
        cancel?.();
      }
      return 'stopped';
    },
    wake(file) {
      if (file !== undefined) box.arrived(file);
      // What an interrupt gave back shows up in the box like new mail; only other mail ends the pause.
      if (file === undefined || !givenBack.delete(file)) paused = false;
      ring();
    },
    interrupt() {
      interrupted = true;
      agent?.stop('interrupt');
    },
    stop() {
      stopping = true;
      agent?.stop('suspend');
      ring();
    },
  };
}
