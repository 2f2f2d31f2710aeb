// What stands in a conversation, as the screen keeps it: entries in order, each immutable, so that a drawn entry can be
// remembered by its identity. A log keeps a bounded number of them.
import type { Question } from '../../lead/events.ts';
import type { StopReason } from '../../workers/agent/events.ts';
import type { Evidence } from '../../workers/evidence.ts';

interface Common {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type ToolState = 'running' | 'ok' | 'failed' | 'cut';

export interface ToolEntry extends Common {
  readonly kind: 'tool';
  readonly key: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly state: ToolState;
  readonly preview: string;
  readonly lines: number;
  readonly ms: number;
  readonly exitCode?: number;
  readonly diff?: string;
  readonly folded: boolean;
}

export type Entry =
  | (Common & { readonly kind: 'person'; readonly text: string })
  | (Common & { readonly kind: 'reply'; readonly text: string; readonly open: boolean })
  | (Common & { readonly kind: 'thinking'; readonly text: string; readonly open: boolean; readonly folded: boolean })
  | ToolEntry
  | (Common & { readonly kind: 'wakeup'; readonly text: string })
  | (Common & {
      readonly kind: 'mail';
      readonly from: string;
      readonly to: string;
      readonly mailType: string;
      readonly subject: string;
      readonly claim?: string;
      readonly evidence?: Evidence;
    })
  | (Common & { readonly kind: 'merge'; readonly name: string; readonly outcome: string; readonly gate: string; readonly detail: string })
  | (Common & { readonly kind: 'team'; readonly text: string })
  | (Common & { readonly kind: 'question'; readonly question: Question; readonly status: 'asked' | 'allowed' | 'refused' | 'expired' })
  | (Common & { readonly kind: 'notice'; readonly tone: 'info' | 'warn' | 'error'; readonly text: string; readonly hint?: string })
  /** Output of a slash command, in Markdown. */
  | (Common & { readonly kind: 'output'; readonly command: string; readonly text: string })
  | (Common & { readonly kind: 'stopped'; readonly reason: StopReason });

type WithoutId<T> = T extends Entry ? Omit<T, 'id'> : never;
export type NewEntry = WithoutId<Entry>;

export interface Log {
  readonly entries: readonly Entry[];
  readonly nextId: number;
  /** Entries that were dropped at the front to bound the memory. */
  readonly dropped: number;
}

export const EMPTY_LOG: Log = { entries: [], nextId: 1, dropped: 0 };

/** More than anybody scrolls; what is older stays in the history and is found with `xz history`. */
export const MOST_ENTRIES = 12_000;
/** Characters of one streamed text that the screen keeps; the whole of it is in the session. */
const MOST_TEXT = 400_000;

export function addEntry(log: Log, entry: NewEntry): Log {
  const entries = [...log.entries, { ...entry, id: log.nextId }];
  const over = entries.length - MOST_ENTRIES;
  return {
    entries: over > 0 ? entries.slice(over) : entries,
    nextId: log.nextId + 1,
    dropped: log.dropped + Math.max(0, over),
  };
}

/** The log with the entry at `index` changed. */
export function replaceEntry(log: Log, index: number, entry: Entry): Log {
  return { ...log, entries: log.entries.with(index, entry) };
}

/** Appends streamed text to the open entry of that kind, or begins one; another open entry is closed first. */
export function streamText(log: Log, kind: 'reply' | 'thinking', delta: string, at: number): Log {
  const last = log.entries.at(-1);
  if (last?.kind === kind && last.open) {
    if (last.text.length > MOST_TEXT) return log;
    return replaceEntry(log, log.entries.length - 1, { ...last, text: last.text + delta });
  }
  const closed = closeText(log);
  return addEntry(closed, kind === 'reply' ? { kind, text: delta, open: true, at } : { kind, text: delta, open: true, folded: true, at });
}

/** Ends the text that is being streamed, if any. */
export function closeText(log: Log): Log {
  const index = log.entries.findLastIndex((entry) => (entry.kind === 'reply' || entry.kind === 'thinking') && entry.open);
  const entry = log.entries[index];
  if (entry === undefined || (entry.kind !== 'reply' && entry.kind !== 'thinking')) return log;
  return replaceEntry(log, index, { ...entry, open: false });
}

export function findTool(log: Log, key: string): { readonly index: number; readonly entry: ToolEntry } | undefined {
  const index = log.entries.findLastIndex((entry) => entry.kind === 'tool' && entry.key === key);
  const entry = log.entries[index];
  return entry?.kind === 'tool' ? { index, entry } : undefined;
}

/** Marks calls that still run as cut: their turn is over. */
export function cutRunning(log: Log): Log {
  let next = log;
  log.entries.forEach((entry, index) => {
    if (entry.kind === 'tool' && entry.state === 'running') next = replaceEntry(next, index, { ...entry, state: 'cut' });
  });
  return next;
}
