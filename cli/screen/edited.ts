// The editor's text has changed: what follows from it for the rest of the state. Pure.
import { completionFor, wantsFiles } from './completion.ts';
import type { Editor } from './editor.ts';
import type { State, Step } from './state.ts';

/** The state with the completion that fits its editor. */
export function completed(state: State): State {
  return { ...state, completion: completionFor(state.editor, state, state.completion) };
}

/** The state with another editor; asks for the files when the text wants them and none are known. */
export function edited(state: State, editor: Editor): Step {
  if (editor === state.editor) return { state, effects: [] };
  const next = completed({ ...state, editor, focus: 'input', leaveUntil: 0 });
  return { state: next, effects: wantsFiles(editor) && !wantsFiles(state.editor) ? [{ type: 'list_files' }] : [] };
}
