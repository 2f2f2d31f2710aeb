// The end of a piece of work, in the order that a crash cannot harm: commit, task file, result mail. Each step repeated
// changes nothing, so a teammate killed between two of them does them all again.

import type { Mailbox, Sent } from '../mailbox/mailbox.ts';
import type { Mail } from '../mailbox/message.ts';
import { errorMessage, XzError } from '../store/errors.ts';
import { derivedId } from '../store/ids.ts';
import type { Tasks } from '../store/tasks/tasks.ts';
import type { Evidence } from './evidence.ts';

/** How the turn that did the work ended. */
export interface WorkOutcome {
  readonly stopReason: string;
  readonly text: string;
  readonly error?: string | undefined;
}

export interface WorkSetup {
  readonly name: string;
  readonly leadEpoch: string;
  readonly tasks: Tasks;
  readonly mailbox: Mailbox;
  /** Commits what the worktree holds; true while commits of its branch have not landed. False in the main folder. */
  readonly commit: (message: string) => Promise<boolean>;
  /** What had to be mended of its worktree, in English. */
  readonly mended: () => readonly string[];
  readonly evidence: (mail: Mail) => Promise<Evidence>;
}

/** Finishes a task or review: resolves to the sent result. Repeating it is harmless. */
export async function finishWork(setup: WorkSetup, mail: Mail, outcome: WorkOutcome): Promise<Sent> {
  const done = outcome.stopReason === 'done';
  const unlanded = await setup.commit(`${mail.taskId ?? 'work'}: ${firstLine(outcome.text) || outcome.stopReason}`);
  const evidence = await setup.evidence(mail);
  const refusal =
    mail.taskId === undefined || mail.claim === undefined ? undefined : await endTask(setup, mail.taskId, mail.claim, outcome, unlanded);
  const mended = setup.mended().map((what) => `\n\n[xz: ${what}]`);
  const body = done
    ? outcome.text
    : `${outcome.text}\n\n[stopped: ${outcome.stopReason}${outcome.error ? ` — ${outcome.error}` : ''}]`.trim();
  return setup.mailbox.send({
    id: derivedId(mail.id, 'result'),
    type: 'result',
    from: setup.name,
    to: 'Lead',
    epoch: setup.leadEpoch,
    replyTo: mail.id,
    subject: mail.subject ?? mail.taskId ?? 'work',
    body: body + mended.join('') + (refusal === undefined ? '' : `\n\n[the task was not changed: ${refusal}]`),
    data: { stopReason: outcome.stopReason, unlanded, evidence },
    ...(mail.taskId !== undefined && { taskId: mail.taskId }),
    ...(mail.claim !== undefined && { claim: mail.claim }),
  });
}

/** Completes or fails the task; returns why that was refused (the claim was taken over meanwhile). */
async function endTask(setup: WorkSetup, id: string, token: string, outcome: WorkOutcome, unlanded: boolean): Promise<string | undefined> {
  try {
    if (outcome.stopReason === 'done') {
      await setup.tasks.complete(id, token, { result: outcome.text.slice(0, 4_000), ...(unlanded && { landed: false }) });
    } else await setup.tasks.fail(id, token, outcome.error ?? `stopped: ${outcome.stopReason}`);
    return undefined;
  } catch (error) {
    if (error instanceof XzError && ['conflict', 'refused', 'not_found'].includes(error.code)) return errorMessage(error);
    throw error;
  }
}

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return Array.from(line).slice(0, 60).join('');
}
