// What a key, a paste or the wheel does, by where the focus is. Pure.

import { edited } from './edited.ts';
import { pasteText } from './editor.ts';
import type { Input } from './keys.ts';
import { conversationLines, conversationSize, layoutOf, SIDEBAR_FROM } from './layout.ts';
import { questionPage } from './panes/question.ts';
import { editorKey, insertTyped } from './reduce-editor.ts';
import { filterPicker, pickerKey } from './reduce-picker.ts';
import { revealed, scrolled } from './scroll.ts';
import { type Effect, type HintCode, type State, type Step, shownLog } from './state.ts';

/** The second Ctrl+C must come within this time of the first. */
const LEAVE_MS = 5_000;
const HINT_MS = 4_000;
/** A letter so soon after another belongs to what is being typed, not to a question that has just come up. */
const TYPING_MS = 600;
const WHEEL_LINES = 3;

export function reduceInput(state: State, input: Input): Step {
  switch (input.type) {
    case 'wheel':
      return stay(scrollBy(state, input.up ? -WHEEL_LINES : WHEEL_LINES));
    case 'click':
    case 'cursor':
      return stay(state);
    case 'paste':
      return state.picker === undefined ? edited(state, pasteText(state.editor, input.text)) : stay(state);
    case 'text':
      return state.picker === undefined ? typed(state, input.text) : stay(filterPicker(state, state.picker.filter + input.text));
    case 'key':
      return keyed(state, input.name);
  }
}

function stay(state: State, ...effects: Effect[]): Step {
  return { state, effects };
}

function hinted(state: State, code: HintCode): State {
  return { ...state, hint: { code, until: state.now + HINT_MS } };
}

function keyed(state: State, name: string): Step {
  switch (name) {
    case 'ctrl+c':
      return interruptOrLeave(state);
    case 'ctrl+d':
      return state.editor.text === '' && state.picker === undefined ? leave(state) : editorKey(state, name);
    case 'ctrl+z':
      return stay(state, { type: 'suspend' });
    case 'ctrl+l':
      return stay(state, { type: 'redraw' });
    case 'ctrl+t':
      return stay({ ...state, sidebar: nextSidebar(state) });
    case 'ctrl+o':
      return stay(foldAll(state));
    case 'pageup':
    case 'pagedown': {
      const asked = questionPaged(state, name === 'pagedown');
      if (asked !== undefined) return stay(asked);
      const page = Math.max(1, conversationSize(state).height - 2);
      return stay(scrollBy(state, name === 'pageup' ? -page : page));
    }
    case 'ctrl+home':
      return stay(scrollBy(state, Number.MIN_SAFE_INTEGER));
    case 'ctrl+end':
      return stay({ ...state, scroll: undefined });
    default:
      break;
  }
  if (state.picker !== undefined) return pickerKey(state, name);
  if ((name === 'tab' || name === 'shift+tab') && (state.focus !== 'input' || state.completion === undefined || isClosed(state)))
    return stay(nextFocus(state, name === 'tab'));
  if (name === 'escape') return escaped(state);
  if (state.focus === 'team') return teamKey(state, name);
  if (state.focus === 'log') return logKey(state, name);
  return editorKey(state, name);
}

function isClosed(state: State): boolean {
  return state.completion?.closedFor !== undefined;
}

function typed(state: State, text: string): Step {
  if (state.focus === 'team') {
    const step = teamLetter(state, text);
    if (step !== undefined) return step;
  }
  if (state.focus === 'log' && text === ' ') return logKey(state, 'enter');
  const question = state.questions[0];
  const answering = state.editor.text === '' && state.now - state.lastTyped > TYPING_MS;
  if (question !== undefined && answering) {
    const verdict = text === 'y' ? 'allow' : text === 'n' ? 'refuse' : text === 'a' ? 'always' : undefined;
    if (verdict !== undefined) return stay({ ...state, questions: state.questions.slice(1) }, { type: 'answer', id: question.id, verdict });
  }
  return insertTyped({ ...state, lastTyped: state.now }, text);
}

function interruptOrLeave(state: State): Step {
  if (state.picker !== undefined)
    return stay({ ...state, picker: undefined }, { type: 'picked', picker: state.picker.id, value: undefined });
  if (state.running && !state.interrupting) return stay({ ...state, interrupting: true }, { type: 'interrupt' });
  if (state.editor.text !== '') return edited(state, { ...state.editor, text: '', caret: 0, pasted: false, typing: false });
  return leave(state);
}

function leave(state: State): Step {
  if (state.now < state.leaveUntil) return stay(state, { type: 'exit', code: 0 });
  return stay(hinted({ ...state, leaveUntil: state.now + LEAVE_MS }, 'leave'));
}

function escaped(state: State): Step {
  if (state.completion !== undefined && !isClosed(state)) {
    const closedFor = state.editor.text.slice(0, state.editor.caret);
    return stay({ ...state, completion: { ...state.completion, closedFor } });
  }
  if (state.focus !== 'input') return stay({ ...state, focus: 'input', cursor: undefined });
  if (state.addressee !== undefined) return stay({ ...state, addressee: undefined });
  if (state.viewing !== undefined) return stay({ ...state, viewing: undefined, scroll: undefined, cursor: undefined });
  if (state.queued.length > 0) return stay(state, { type: 'take_back' });
  if (state.running && !state.interrupting) return stay({ ...state, interrupting: true }, { type: 'interrupt' });
  return stay({ ...state, scroll: undefined });
}

function nextSidebar(state: State): State['sidebar'] {
  const shown = state.sidebar === 'auto' ? state.columns >= SIDEBAR_FROM : state.sidebar === 'shown';
  return shown ? 'hidden' : 'shown';
}

function nextFocus(state: State, forward: boolean): State {
  const places: Array<State['focus']> = ['input', ...(state.team.length > 0 ? ['team' as const] : []), 'log'];
  const at = places.indexOf(state.focus);
  const focus = places[(at + (forward ? 1 : places.length - 1)) % places.length] ?? 'input';
  const next: State = { ...state, focus, cursor: undefined };
  if (focus !== 'log') return next;
  const last = shownLog(state).entries.findLast(isFoldable);
  return last === undefined ? { ...hinted(next, 'nothing_to_fold'), focus: 'input' } : atEntry(next, last.id);
}

/** The open question a page on or back; undefined when there is none, or all of it is in sight. */
function questionPaged(state: State, forward: boolean): State | undefined {
  const [question] = state.questions;
  if (question === undefined || state.picker !== undefined) return undefined;
  const { conversation, question: rows } = layoutOf(state);
  const row = questionPage(state, conversation.width, rows, forward);
  return row === undefined ? undefined : { ...state, questionTop: { id: question.id, row } };
}

function scrollBy(state: State, by: number): State {
  const { height } = conversationSize(state);
  return { ...state, scroll: scrolled(shownLog(state).entries, state.scroll, height, by, conversationLines(state)) };
}

// ── the team panel ──────────────────────────────────────────────────────────────────────────────────────────────────

function teamKey(state: State, name: string): Step {
  const chosen = state.team[state.teammate];
  if (name === 'up' || name === 'down') {
    const teammate = Math.max(0, Math.min(state.team.length - 1, state.teammate + (name === 'up' ? -1 : 1)));
    return stay({ ...state, teammate });
  }
  if (name === 'enter' && chosen !== undefined) return stay({ ...state, focus: 'input' }, { type: 'open_transcript', name: chosen.name });
  return editorKey({ ...state, focus: 'input' }, name);
}

/** A letter in the team panel; undefined when it is no command there. */
function teamLetter(state: State, text: string): Step | undefined {
  const chosen = state.team[state.teammate];
  if (chosen === undefined) return undefined;
  switch (text) {
    case 'm':
      return stay({ ...state, focus: 'input', addressee: chosen.name });
    case 'i':
      return stay(state, { type: 'teammate', action: 'interrupt', name: chosen.name });
    case 'r':
      return stay(state, { type: 'teammate', action: 'release', name: chosen.name });
    case 'g':
      return stay(state, { type: 'teammate', action: 'merge', name: chosen.name });
    default:
      return undefined;
  }
}

// ── the conversation ────────────────────────────────────────────────────────────────────────────────────────────────

type Foldable = Extract<ReturnType<typeof shownLog>['entries'][number], { readonly folded: boolean }>;

function isFoldable(entry: ReturnType<typeof shownLog>['entries'][number]): entry is Foldable {
  return entry.kind === 'tool' || entry.kind === 'thinking';
}

function logKey(state: State, name: string): Step {
  const { entries } = shownLog(state);
  const here = entries.findIndex((entry) => entry.id === state.cursor);
  switch (name) {
    case 'up':
    case 'down': {
      const next = name === 'up' ? entries.slice(0, Math.max(0, here)).findLast(isFoldable) : entries.slice(here + 1).find(isFoldable);
      return stay(next === undefined ? scrollBy(state, name === 'up' ? -1 : 1) : atEntry(state, next.id));
    }
    case 'enter':
    case 'right':
    case 'left': {
      const entry = entries[here];
      if (entry === undefined || !isFoldable(entry)) return stay(state);
      const folded = name === 'enter' ? !entry.folded : name === 'left';
      return stay(withEntries(state, entries.with(here, { ...entry, folded })));
    }
    default:
      return editorKey({ ...state, focus: 'input', cursor: undefined }, name);
  }
}

function atEntry(state: State, id: number): State {
  const { height } = conversationSize(state);
  return { ...state, cursor: id, scroll: revealed(shownLog(state).entries, state.scroll, height, id, conversationLines(state)) };
}

/** Unfolds everything that is folded, or folds it all again. */
function foldAll(state: State): State {
  const { entries } = shownLog(state);
  if (!entries.some(isFoldable)) return hinted(state, 'nothing_to_fold');
  const folded = !entries.some((entry) => isFoldable(entry) && entry.folded);
  return withEntries(
    state,
    entries.map((entry) => (isFoldable(entry) && entry.folded !== folded ? { ...entry, folded } : entry)),
  );
}

function withEntries(state: State, entries: ReturnType<typeof shownLog>['entries']): State {
  const log = { ...shownLog(state), entries };
  if (state.viewing === undefined) return { ...state, log };
  const transcripts = new Map(state.transcripts);
  transcripts.set(state.viewing, log);
  return { ...state, transcripts };
}
