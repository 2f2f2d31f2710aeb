// Who gets which part of the screen, and the remembered lines of entries. The reducer scrolls by the same figures that
// the frame draws by, so that a page is a page.
import type { Entry } from './entries.ts';
import { entryLines } from './panes/entry.ts';
import { editorRows } from './panes/input.ts';
import { questionLines } from './panes/question.ts';
import type { LinesOf } from './scroll.ts';
import type { Line, Size } from './spans.ts';
import { type State, shownLog } from './state.ts';

export interface Layout {
  /** Rows of the title and of the rule below it. */
  readonly title: number;
  readonly rule: number;
  readonly conversation: Size;
  /** Columns of the sidebar without its border; 0 when it is not beside the conversation. */
  readonly sidebar: number;
  /** The sidebar stands in the place of the conversation: there is no room for both. */
  readonly sidebarAlone: boolean;
  readonly question: number;
  readonly queued: number;
  readonly input: number;
  readonly status: number;
}

/** Below this width the sidebar is a key. */
export const SIDEBAR_FROM = 80;
const MOST_INPUT_ROWS = 8;
const MOST_QUEUED_ROWS = 3;
const CONTEXT_ROWS = 4;

/** The parts of the screen for its size and what it has to show. */
export function layoutOf(state: State): Layout {
  const { columns, rows } = state;
  const wanted = state.sidebar === 'auto' ? columns >= SIDEBAR_FROM : state.sidebar === 'shown';
  const beside = wanted && columns >= SIDEBAR_FROM;
  const sidebar = beside ? Math.max(28, Math.min(44, Math.floor(columns * 0.3))) : 0;
  const title = rows >= 5 ? 1 : 0;
  const rule = rows >= 12 ? 1 : 0;
  const status = rows >= 3 ? 1 : 0;
  const most = Math.max(1, Math.min(MOST_INPUT_ROWS, Math.floor(rows / 3)));
  const input = Math.min(most, editorRows(state, Math.max(1, columns - 4)).length);
  const queued = Math.min(MOST_QUEUED_ROWS, state.queued.length, Math.max(0, rows - title - 2 * rule - status - input - 3));
  const width = Math.max(1, beside ? columns - sidebar - 5 : columns - 2);
  const free = Math.max(0, rows - title - 2 * rule - status - input - queued);
  // A question must be read before all else, yet a little of what led to it stays in sight.
  const asked = state.questions[0] === undefined ? 0 : questionLines(state, width, Math.max(3, free - CONTEXT_ROWS)).length;
  const question = Math.min(asked, free);
  return {
    ...{ title, rule, sidebar, question, queued, input, status },
    sidebarAlone: wanted && !beside,
    conversation: { width, height: Math.max(0, free - question) },
  };
}

/** Columns and rows of the conversation. */
export function conversationSize(state: State): Size {
  return layoutOf(state).conversation;
}

interface Remembered {
  readonly entry: Entry;
  readonly key: string;
  readonly lines: readonly Line[];
}

/** Drawn entries, the most recently used ones: what is on the screen and some pages around it. */
const remembered = new Map<Entry, Remembered>();
const MOST_REMEMBERED = 800;

/** Lines of the entries of the log that is shown, at the width it has. */
export function conversationLines(state: State): LinesOf {
  const { width } = conversationSize(state);
  const { entries } = shownLog(state);
  const first = entries[0]?.id ?? 1;
  const speaker = state.viewing ?? 'xz';
  return (entry) => {
    const guess = entry.id - first;
    const index = entries[guess] === entry ? guess : entries.indexOf(entry);
    const previous = entries[index - 1];
    const focused = state.focus === 'log' && state.cursor === entry.id;
    const changing = isChanging(entry);
    const key = `${width}:${previous?.kind ?? ''}:${previous?.kind === 'thinking' && previous.folded}:${focused}:${state.painted}:${speaker}:${state.text.screen.you}`;
    const known = remembered.get(entry);
    if (!changing && known?.key === key) return known.lines;
    const lines = entryLines(entry, previous, width, { text: state.text, now: state.now, speaker, focused });
    if (!changing) remember({ entry, key, lines });
    return lines;
  };
}

function remember(one: Remembered): void {
  remembered.delete(one.entry);
  remembered.set(one.entry, one);
  for (const old of remembered.keys()) {
    if (remembered.size <= MOST_REMEMBERED) return;
    remembered.delete(old);
  }
}

function isChanging(entry: Entry): boolean {
  return (entry.kind === 'tool' && entry.state === 'running') || ((entry.kind === 'reply' || entry.kind === 'thinking') && entry.open);
}
