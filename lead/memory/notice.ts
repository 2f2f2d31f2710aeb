// What memory tells the person, as data; cli/ puts it into words.
import type { ErrorFacts } from '../../store/errors.ts';

export type MemoryNotice =
  /** The model did not say which topics are wanted. */
  | { readonly kind: 'by_words'; readonly why: ErrorFacts }
  | { readonly kind: 'no_index'; readonly why: ErrorFacts }
  | { readonly kind: 'no_recall'; readonly why: ErrorFacts }
  | { readonly kind: 'kept'; readonly topics: readonly string[] }
  /** The model did not say what is worth keeping; `asked` when the person's own "remember that" was kept all the same. */
  | { readonly kind: 'not_kept'; readonly asked: boolean; readonly why: ErrorFacts }
  | { readonly kind: 'no_more_kept'; readonly why: ErrorFacts }
  | { readonly kind: 'contradiction'; readonly id: string; readonly topic: string; readonly older: string; readonly newer: string }
  | { readonly kind: 'secret' }
  | { readonly kind: 'taken_over'; readonly files: readonly string[] }
  /** Contradictions that wait for the person since before. */
  | { readonly kind: 'waiting'; readonly count: number }
  | { readonly kind: 'trouble'; readonly what: MemoryTrouble; readonly why: ErrorFacts };

/** What of memory's own work failed: loading it, its first look, its upkeep, or the books of turns still to be looked at. */
export type MemoryTrouble = 'load' | 'start' | 'upkeep' | 'note_owed' | 'take_owed' | 'give_back';

export type TellMemory = (notice: MemoryNotice) => void;
