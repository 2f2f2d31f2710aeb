// After a crash a turn may hold calls without a result. Keyed ones are executed again with the same key, which changes
// nothing they already did; every other is answered "outcome unknown" and never re-run.
import { callsOf } from '../../../store/sessions/message.ts';
import type { MessageRow } from '../../../store/sessions/sessions.ts';
import { type BatchSetup, type IndexedCall, OUTCOME_UNKNOWN, runBatch, toolContent } from './batch.ts';

export interface UnansweredCalls {
  readonly row: number;
  readonly calls: readonly IndexedCall[];
}

/** The calls of the turn's last assistant message that have no result row. */
export function unansweredCalls(rows: readonly MessageRow[]): UnansweredCalls | undefined {
  const last = rows.findLast((row) => row.content.role === 'assistant');
  if (last?.content.role !== 'assistant' || last.content.finish !== 'calls') return undefined;
  const answered = new Set(
    rows.flatMap(({ content }) => (content.role === 'tool' && content.callRow === last.id ? [content.callIndex] : [])),
  );
  const calls = callsOf(last.content)
    .map((call, index) => ({ call, index }))
    .filter(({ index }) => !answered.has(index));
  return calls.length === 0 ? undefined : { row: last.id, calls };
}

/** Answers what a crash left open, in call order. */
export async function answerUnanswered(setup: BatchSetup, { calls }: UnansweredCalls): Promise<void> {
  const keyed = new Set(setup.frame.tools.filter((tool) => tool.keyed).map((tool) => tool.name));
  for (const item of calls) {
    // Stopped meanwhile it is not executed, and perhaps it was before.
    if (keyed.has(item.call.name) && !setup.signal.aborted) await runBatch(setup, [item]);
    else setup.sessions.append(setup.turn, toolContent(setup.row, item.index, item.call, { text: OUTCOME_UNKNOWN, isError: true }));
  }
}
