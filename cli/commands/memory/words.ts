// What was done to memory, in the person's words: for the command line and for slash commands alike.
import type { Organized } from '../../../lead/memory/organize.ts';
import type { Conflict } from '../../../store/memory/conflicts.ts';
import type { Resolved } from '../../../store/memory/resolve.ts';
import type { Text } from '../../text/text.ts';

/** One line a step; the last one says how to go back. */
export function organizedLines({ merged, condensed, left }: Organized, { memory }: Text): string[] {
  const done = [...merged.map(([from, into]) => memory.merged(from, into)), ...condensed.map(memory.condensed)];
  const stayed = left.map(([name, why]) => memory.left(name, why));
  if (done.length + stayed.length === 0) return [memory.nothingToOrganize];
  return [...done, ...stayed, ...(done.length > 0 ? [memory.undoHint] : [])];
}

export function resolvedWords({ name, keep, gone }: Resolved, { memory }: Text): string {
  return `${memory.resolved(name, keep)}${gone === undefined ? '' : ` (${memory.resolvedGone(gone, keep)})`}`;
}

export function conflictLines(conflict: Conflict, { memory }: Text): string[] {
  return [
    memory.conflict(conflict.id, `${conflict.category}/${conflict.topic}`),
    memory.oldWords(conflict.old.text, conflict.old.source ?? ''),
    memory.newWords(conflict.new.text, conflict.new.source ?? ''),
  ];
}
