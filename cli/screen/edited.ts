// The editor's text has changed: what follows from it for the rest of the state. Pure.
import { completionFor, wantsFiles } from './completion.ts';
import type { Editor } from './editor.ts';
import type { Effect, State, Step } from './state.ts';

/** The state with the completion that fits its editor. */
export function completed(state: State): State {
  return { ...state, completion: completionFor(state.editor, state, state.completion) };
}

/** The state with another editor; asks for files and commands anew when the text begins to want them. */
export function edited(state: State, editor: Editor): Step {
  if (editor === state.editor) return { state, effects: [] };
  const next = completed({ ...state, editor, focus: 'input', leaveUntil: 0 });
  const effects: Effect[] = [];
  if (wantsFiles(editor) && !wantsFiles(state.editor)) effects.push({ type: 'list_files' });
  // Skills are commands, and may have come or gone since they were last asked for.
  if (editor.text.startsWith('/') && !state.editor.text.startsWith('/')) effects.push({ type: 'list_commands' });
  return { state: next, effects };
}
