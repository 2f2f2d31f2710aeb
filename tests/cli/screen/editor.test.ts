import { describe, expect, test } from 'vitest';
import {
  deleteBackward,
  EMPTY_EDITOR,
  insertText,
  killToLineStart,
  killWordBackward,
  moveDown,
  moveLeft,
  moveUp,
  moveWordLeft,
  pasteText,
  redo,
  undo,
  yank,
} from '../../../cli/screen/editor.ts';

const of = (text: string) => insertText(EMPTY_EDITOR, text);

describe('the editor', () => {
  test('backspace takes one visible character', () => {
    expect(deleteBackward(of('ok👩‍👩‍👧‍👦')).text).toBe('ok');
    expect(deleteBackward(of('cafe\u0301')).text).toBe('caf');
    expect(deleteBackward(of('🇨🇳🇩🇪')).text).toBe('🇨🇳');
    expect(deleteBackward(EMPTY_EDITOR)).toBe(EMPTY_EDITOR);
  });

  test('undo takes back a word, a paste as a whole, and redo brings it again', () => {
    let editor = EMPTY_EDITOR;
    for (const letter of 'hello') editor = insertText(editor, letter);
    editor = insertText(editor, ' ');
    for (const letter of 'world') editor = insertText(editor, letter);
    expect(undo(editor).text).toBe('hello ');
    expect(redo(undo(editor)).text).toBe('hello world');
    const pasted = pasteText(editor, '\na\nb');
    expect(undo(pasted).text).toBe('hello world');
  });

  test('words are found in Chinese too', () => {
    expect(killWordBackward(of('git commit')).text).toBe('git ');
    expect(killWordBackward(of('你好世界')).text.length).toBeLessThan(4);
    expect(moveWordLeft(of('foo, bar')).caret).toBe(5);
  });

  test('what was cut can be put back', () => {
    const cut = killToLineStart(of('one two'));
    expect(cut.text).toBe('');
    expect(yank(cut).text).toBe('one two');
  });

  test('lines are walked up and down, and the first and last line end the walk', () => {
    const editor = of('one\ntwo\nthree');
    const up = moveUp(editor);
    expect(up?.caret).toBe(7);
    expect(moveUp(moveUp(up ?? editor) ?? editor)).toBeUndefined();
    expect(moveDown(editor)).toBeUndefined();
    expect(moveLeft(EMPTY_EDITOR).caret).toBe(0);
  });

  test('a paste of lines is marked, so that a command in it is text', () => {
    expect(pasteText(EMPTY_EDITOR, '/quit\r\nmore').pasted).toBe(true);
    expect(pasteText(EMPTY_EDITOR, '/help').pasted).toBe(false);
  });
});
