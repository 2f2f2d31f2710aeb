// The text a person is writing: a value and pure steps on it, with undo, word movement and a kill buffer. Steps move
// by visible characters; a step that can do nothing returns the same editor.
import { nextBoundary, previousBoundary } from './width.ts';

interface Snapshot {
  readonly text: string;
  readonly caret: number;
}

export interface Editor {
  readonly text: string;
  /** Index into `text`, always between visible characters. */
  readonly caret: number;
  readonly undo: readonly Snapshot[];
  readonly redo: readonly Snapshot[];
  /** Text of the last cut, for putting it back. */
  readonly killed: string;
  /** True once lines were pasted since the text was empty: a `/command` in them is text, not a command. */
  readonly pasted: boolean;
  /** Where a run of typed letters began, so that undo takes the word and not the letter. */
  readonly typing: boolean;
}

export const EMPTY_EDITOR: Editor = { text: '', caret: 0, undo: [], redo: [], killed: '', pasted: false, typing: false };

const UNDO_STEPS = 200;

function changed(editor: Editor, text: string, caret: number, typing = false): Editor {
  if (text === editor.text) return { ...editor, caret };
  const merge = typing && editor.typing && editor.undo.length > 0;
  const undo = merge ? editor.undo : [...editor.undo.slice(-UNDO_STEPS + 1), { text: editor.text, caret: editor.caret }];
  return { ...editor, text, caret, undo, redo: [], typing, pasted: text !== '' && editor.pasted };
}

function moved(editor: Editor, caret: number): Editor {
  return { ...editor, caret, typing: false };
}

/** Replaces everything, as one step that can be undone. */
export function setText(editor: Editor, text: string, caret = text.length): Editor {
  return changed(editor, text, caret);
}

/** Typed text. A run of letters is one undo step. */
export function insertText(editor: Editor, text: string): Editor {
  const next = editor.text.slice(0, editor.caret) + text + editor.text.slice(editor.caret);
  return changed(editor, next, editor.caret + text.length, !/\s/.test(text));
}

/** A paste: one step, line ends made plain, never a key press. */
export function pasteText(editor: Editor, text: string): Editor {
  const plain = text.replace(/\r\n?/g, '\n');
  const next = insertText({ ...editor, typing: false }, plain);
  return { ...next, typing: false, pasted: next.pasted || plain.includes('\n') };
}

export function deleteBackward(editor: Editor): Editor {
  return cut(editor, previousBoundary(editor.text, editor.caret), editor.caret, false);
}

export function deleteForward(editor: Editor): Editor {
  return cut(editor, editor.caret, editor.caret >= editor.text.length ? editor.caret : nextBoundary(editor.text, editor.caret), false);
}

export function killWordBackward(editor: Editor): Editor {
  return cut(editor, wordStart(editor.text, editor.caret), editor.caret, true);
}

export function killWordForward(editor: Editor): Editor {
  return cut(editor, editor.caret, wordEnd(editor.text, editor.caret), true);
}

export function killToLineEnd(editor: Editor): Editor {
  const end = lineEnd(editor.text, editor.caret);
  return cut(editor, editor.caret, end === editor.caret ? Math.min(end + 1, editor.text.length) : end, true);
}

export function killToLineStart(editor: Editor): Editor {
  return cut(editor, lineStart(editor.text, editor.caret), editor.caret, true);
}

function cut(editor: Editor, from: number, to: number, keep: boolean): Editor {
  if (from >= to) return editor;
  const next = changed(editor, editor.text.slice(0, from) + editor.text.slice(to), from);
  return keep ? { ...next, killed: editor.text.slice(from, to) } : next;
}

export function yank(editor: Editor): Editor {
  return editor.killed === '' ? editor : changed(editor, insertText(editor, editor.killed).text, editor.caret + editor.killed.length);
}

export function undo(editor: Editor): Editor {
  const last = editor.undo.at(-1);
  if (last === undefined) return editor;
  const redo = [...editor.redo, { text: editor.text, caret: editor.caret }];
  return { ...editor, ...last, undo: editor.undo.slice(0, -1), redo, typing: false };
}

export function redo(editor: Editor): Editor {
  const last = editor.redo.at(-1);
  if (last === undefined) return editor;
  const steps = [...editor.undo, { text: editor.text, caret: editor.caret }];
  return { ...editor, ...last, undo: steps, redo: editor.redo.slice(0, -1), typing: false };
}

export function moveLeft(editor: Editor): Editor {
  return moved(editor, previousBoundary(editor.text, editor.caret));
}

export function moveRight(editor: Editor): Editor {
  return editor.caret >= editor.text.length ? editor : moved(editor, nextBoundary(editor.text, editor.caret));
}

export function moveWordLeft(editor: Editor): Editor {
  return moved(editor, wordStart(editor.text, editor.caret));
}

export function moveWordRight(editor: Editor): Editor {
  return moved(editor, wordEnd(editor.text, editor.caret));
}

export function moveLineStart(editor: Editor): Editor {
  return moved(editor, lineStart(editor.text, editor.caret));
}

export function moveLineEnd(editor: Editor): Editor {
  return moved(editor, lineEnd(editor.text, editor.caret));
}

/** One line up at about the same place, or undefined on the first line. */
export function moveUp(editor: Editor): Editor | undefined {
  const start = lineStart(editor.text, editor.caret);
  if (start === 0) return undefined;
  const above = lineStart(editor.text, start - 1);
  return moved(editor, onBoundary(editor.text, Math.min(above + editor.caret - start, start - 1)));
}

/** One line down at about the same place, or undefined on the last line. */
export function moveDown(editor: Editor): Editor | undefined {
  const end = lineEnd(editor.text, editor.caret);
  if (end === editor.text.length) return undefined;
  const column = editor.caret - lineStart(editor.text, editor.caret);
  return moved(editor, onBoundary(editor.text, Math.min(end + 1 + column, lineEnd(editor.text, end + 1))));
}

function onBoundary(text: string, index: number): number {
  return index <= 0 ? 0 : nextBoundary(text, previousBoundary(text, index));
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const WORD_REACH = 400;

function wordStart(text: string, caret: number): number {
  const from = Math.max(0, caret - WORD_REACH);
  let start = from;
  for (const part of words.segment(text.slice(from, caret))) if (part.isWordLike === true) start = from + part.index;
  return start;
}

function wordEnd(text: string, caret: number): number {
  for (const part of words.segment(text.slice(caret, caret + WORD_REACH)))
    if (part.isWordLike === true) return caret + part.index + part.segment.length;
  return Math.min(text.length, caret + WORD_REACH);
}
