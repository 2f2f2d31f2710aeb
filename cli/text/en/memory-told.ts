import type { MemoryNotice, MemoryTrouble } from '../../../lead/memory/notice.ts';
import type { ErrorFacts } from '../../../store/errors.ts';

const TROUBLES: Readonly<Record<MemoryTrouble, string>> = {
  load: 'it cannot be used',
  start: 'it cannot be used in full',
  upkeep: 'it was not kept up',
  note_owed: 'a kill of xz would lose what this turn said',
  take_owed: 'turns of earlier conversations were not looked at',
  give_back: 'a turn still to be looked at may be given up early',
};

/** One line about memory; `say` puts an error into words. */
export function memoryTold(notice: MemoryNotice, say: (why: ErrorFacts) => string): string {
  switch (notice.kind) {
    case 'by_words':
      return `memory: recalled by words only: ${say(notice.why)}`;
    case 'no_index':
      return `memory: the index cannot be searched, so topics are compared by words: ${say(notice.why)}`;
    case 'no_recall':
      return `memory: nothing could be recalled: ${say(notice.why)}`;
    case 'kept':
      return `memory: kept in ${notice.topics.join(', ')}`;
    case 'not_kept':
      return `memory: ${notice.asked ? 'only what you asked for was' : 'nothing was'} kept of this turn: ${say(notice.why)}`;
    case 'no_more_kept':
      return `memory: nothing more was kept of this turn: ${say(notice.why)}`;
    case 'contradiction':
      return `memory: contradiction in ${notice.topic}: "${notice.older}" and now "${notice.newer}"; both stay until you choose: /memory resolve, or xz memory resolve ${notice.id} --keep new|old|merge`;
    case 'secret':
      return 'memory: something that looks like a secret was not kept';
    case 'taken_over':
      return `memory: older memory files were taken over: ${notice.files.join(', ')} (copies in .MEMORY/.snapshots)`;
    case 'waiting':
      return `memory: ${notice.count} contradiction${notice.count === 1 ? ' waits' : 's wait'} for you: /memory resolve, or xz memory resolve`;
    case 'trouble':
      return `memory: ${TROUBLES[notice.what]}: ${say(notice.why)}`;
  }
}
