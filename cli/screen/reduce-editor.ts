// Keys of the input: editing, history, completion, sending. Pure.
import { isExactCommand, slashName } from './completion.ts';
import { edited } from './edited.ts';
import {
  deleteBackward,
  deleteForward,
  type Editor,
  EMPTY_EDITOR,
  insertText,
  killToLineEnd,
  killToLineStart,
  killWordBackward,
  killWordForward,
  moveDown,
  moveLeft,
  moveLineEnd,
  moveLineStart,
  moveRight,
  moveUp,
  moveWordLeft,
  moveWordRight,
  redo,
  setText,
  undo,
  yank,
} from './editor.ts';
import type { Effect, State, Step } from './state.ts';

const MOST_HISTORY = 1_000;

const EDITING: Readonly<Record<string, (editor: Editor) => Editor>> = {
  backspace: deleteBackward,
  'shift+backspace': deleteBackward,
  delete: deleteForward,
  'ctrl+d': deleteForward,
  'ctrl+w': killWordBackward,
  'alt+backspace': killWordBackward,
  'ctrl+backspace': killWordBackward,
  'alt+d': killWordForward,
  'ctrl+delete': killWordForward,
  'ctrl+k': killToLineEnd,
  'ctrl+u': killToLineStart,
  'ctrl+y': yank,
  'ctrl+_': undo,
  'alt+u': undo,
  'alt+r': redo,
  'ctrl+j': (editor) => insertText(editor, '\n'),
  'alt+enter': (editor) => insertText(editor, '\n'),
  'alt+ctrl+j': (editor) => insertText(editor, '\n'),
  'shift+enter': (editor) => insertText(editor, '\n'),
  'ctrl+enter': (editor) => insertText(editor, '\n'),
  left: moveLeft,
  'ctrl+b': moveLeft,
  right: moveRight,
  'ctrl+f': moveRight,
  'ctrl+left': moveWordLeft,
  'alt+left': moveWordLeft,
  'alt+b': moveWordLeft,
  'ctrl+right': moveWordRight,
  'alt+right': moveWordRight,
  'alt+f': moveWordRight,
  home: moveLineStart,
  'ctrl+a': moveLineStart,
  end: moveLineEnd,
  'ctrl+e': moveLineEnd,
};

export function editorKey(state: State, name: string): Step {
  const step = EDITING[name];
  if (step !== undefined) return edited({ ...state, historyAt: undefined }, step(state.editor));
  const open = state.completion !== undefined && state.completion.closedFor === undefined;
  switch (name) {
    case 'enter':
      return entered(state, open);
    case 'tab':
      return open ? accepted(state) : { state, effects: [] };
    case 'up':
    case 'ctrl+p':
      return open ? choose(state, -1) : up(state);
    case 'down':
    case 'ctrl+n':
      return open ? choose(state, 1) : down(state);
    case 'ctrl+g':
      return { state, effects: [{ type: 'external_editor', text: state.editor.text }] };
    default:
      return { state, effects: [] };
  }
}

export function insertTyped(state: State, text: string): Step {
  return edited({ ...state, historyAt: undefined }, insertText(state.editor, text));
}

function choose(state: State, by: number): Step {
  const { completion } = state;
  if (completion === undefined) return { state, effects: [] };
  const count = completion.items.length;
  return { state: { ...state, completion: { ...completion, selected: (completion.selected + by + count) % count } }, effects: [] };
}

/** Puts the chosen completion into the text. */
function accepted(state: State): Step {
  const { completion, editor } = state;
  const chosen = completion?.items[completion.selected];
  if (completion === undefined || chosen === undefined) return { state, effects: [] };
  const rest = editor.text.slice(completion.to);
  const text = `${editor.text.slice(0, completion.from)}${chosen.value}${rest.startsWith(' ') ? '' : ' '}${rest}`;
  return edited(state, setText(editor, text, completion.from + chosen.value.length + 1));
}

function entered(state: State, open: boolean): Step {
  const text = state.editor.text.trim();
  const exact = !state.editor.pasted && isExactCommand(text, state.slash);
  if (open && !exact && state.completion?.kind !== 'argument') return accepted(state);
  if (text === '') return { state, effects: [] };
  const history = [...state.history.filter((one) => one !== text), text].slice(-MOST_HISTORY);
  const next: State = {
    ...state,
    ...{ editor: { ...EMPTY_EDITOR, killed: state.editor.killed }, history, historyAt: undefined, completion: undefined },
    ...{ scroll: undefined, leaveUntil: 0, lastTyped: 0, addressee: undefined },
  };
  return { state: next, effects: [{ type: 'remember', text }, sendEffect(state, text)] };
}

function sendEffect(state: State, text: string): Effect {
  if (!state.editor.pasted && slashName(text) !== undefined) return { type: 'slash', line: text };
  const to = state.addressee ?? state.viewing;
  return to === undefined ? { type: 'submit', text } : { type: 'message', name: to, text };
}

function up(state: State): Step {
  const above = moveUp(state.editor);
  if (above !== undefined && state.historyAt === undefined) return edited(state, above);
  if (state.editor.text === '' && state.queued.length > 0) return { state, effects: [{ type: 'take_back' }] };
  const index = (state.historyAt?.index ?? state.history.length) - 1;
  const text = state.history[index];
  if (text === undefined) return { state, effects: [] };
  const draft = state.historyAt?.draft ?? state.editor.text;
  return recalled({ ...state, historyAt: { index, draft } }, text);
}

function down(state: State): Step {
  if (state.historyAt === undefined) {
    const below = moveDown(state.editor);
    return below === undefined ? { state, effects: [] } : edited(state, below);
  }
  const index = state.historyAt.index + 1;
  const text = state.history[index];
  if (text === undefined) return recalled({ ...state, historyAt: undefined }, state.historyAt.draft);
  return recalled({ ...state, historyAt: { ...state.historyAt, index } }, text);
}

/** An earlier input in the editor; its completion stays closed, so that the arrows go on through the history. */
function recalled(state: State, text: string): Step {
  return { state: { ...state, editor: setText(state.editor, text), completion: undefined, focus: 'input' }, effects: [] };
}
