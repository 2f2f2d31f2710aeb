// One inbox for questions to the person, whichever agent asks. A question waits until it is answered, withdrawn by its
// asker's stop, or expires into a refusal with a reason; nothing waits unseen.
import type { Clock } from '../store/clock.ts';
import { randomId } from '../store/ids.ts';
import type { PermissionAnswer, PermissionRequest } from '../workers/protocol.ts';
import type { EmitLeadEvent, Question } from './events.ts';

/** How long a question waits for the person. */
export const QUESTION_WAIT_MS = 10 * 60_000;

export interface Inbox {
  /** Puts a question to the person; in an unattended run it is refused at once, naming the rule to add. */
  ask(
    request: PermissionRequest,
    from: { readonly agent: string; readonly worktree?: string | undefined },
    signal?: AbortSignal,
  ): Promise<PermissionAnswer>;
  open(): readonly Question[];
  answer(id: string, verdict: 'allow' | 'refuse' | 'always'): void;
}

export function openInbox(setup: { readonly clock: Clock; readonly emit: EmitLeadEvent; readonly attended: boolean }): Inbox {
  const { clock, emit } = setup;
  const waiting = new Map<
    string,
    { readonly question: Question; readonly settle: (answer: PermissionAnswer, status: 'allowed' | 'refused' | 'expired') => void }
  >();
  return {
    ask(request, from, signal) {
      if (!setup.attended) {
        return Promise.resolve({
          verdict: 'refuse',
          reason: `nobody is here to allow it; add ${JSON.stringify(request.rule)} to [permissions] allow, or run with --yes`,
        });
      }
      return new Promise((resolve) => {
        const question: Question = {
          id: randomId(8),
          agent: from.agent,
          tool: request.tool,
          summary: request.summary,
          rule: request.rule,
          expiresAt: clock.now() + QUESTION_WAIT_MS,
          ...(request.diff !== undefined && { diff: request.diff }),
          ...(from.worktree !== undefined && { worktree: from.worktree }),
        };
        const onAbort = () => settle({ verdict: 'refuse', reason: 'the turn was stopped' }, 'refused');
        const cancel = clock.after(QUESTION_WAIT_MS, () =>
          settle({ verdict: 'refuse', reason: 'nobody answered within ten minutes' }, 'expired'),
        );
        const settle = (answer: PermissionAnswer, status: 'allowed' | 'refused' | 'expired') => {
          if (!waiting.delete(question.id)) return;
          cancel();
          signal?.removeEventListener('abort', onAbort);
          emit({ type: 'question', question, status });
          resolve(answer);
        };
        waiting.set(question.id, { question, settle });
        emit({ type: 'question', question, status: 'asked' });
        if (signal?.aborted) onAbort();
        else signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
    open: () => [...waiting.values()].map(({ question }) => question),
    answer(id, verdict) {
      const entry = waiting.get(id);
      if (verdict === 'refuse') entry?.settle({ verdict: 'refuse', reason: 'the person refused' }, 'refused');
      else entry?.settle({ verdict }, 'allowed');
    },
  };
}
