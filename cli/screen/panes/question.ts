// The question on top of the queue: who asks, what for, the diff or command, and the keys that answer it.
import { bold, clipLine, type Line, span, wrapLine, wrapText } from '../spans.ts';
import type { State } from '../state.ts';
import { diffLines } from './diff.ts';
import { shownPath } from './figures.ts';

/** Lines of the first open question, at most `most`: the keys always stay in sight. Empty when nobody asks. */
export function questionLines(state: State, width: number, most: number): Line[] {
  const question = state.questions[0];
  if (question === undefined) return [];
  const words = state.text.screen.question;
  const waiting = state.questions.length - 1;
  const inner = Math.max(1, width - 2);
  const head: Line = clipLine(
    [
      span('? ', 'accent'),
      bold(words.asks(question.agent), 'accent'),
      span(`   ${question.tool}`),
      span(waiting > 0 ? `   ${words.more(waiting)}` : '', 'dim'),
    ],
    width,
  );
  const where = question.worktree === undefined ? [] : wrapText(`${words.worktree} ${shownPath(question.worktree, state)}`, inner, 'dim');
  const keys = keyLines(state, question.rule, inner);
  const room = Math.max(1, most - 2 - where.length - keys.length);
  const summary = wrapText(question.summary, inner);
  const diff =
    question.diff === undefined || question.diff === ''
      ? []
      : diffLines(question.diff, inner, Math.max(1, room - summary.length), state.text.screen.moreLines);
  const body = [...summary, ...diff];
  const shown =
    body.length <= room
      ? body
      : [...body.slice(0, Math.max(0, room - 1)), [span(state.text.screen.moreLines(body.length - room + 1), 'dim')]];
  const rest: Line[] = [...shown, ...where, ...keys];
  return [[], head, ...rest.map((line): Line => (width < 4 ? line : [span('  '), ...line]))];
}

function keyLines(state: State, rule: string, width: number): Line[] {
  const words = state.text.screen.question;
  const key = (letter: string, meaning: string): Line => [bold(letter, 'accent'), span(` ${meaning}   `, 'dim')];
  const keys: Line = [...key('y', words.allow), ...key('n', words.refuse), ...key('a', words.always(rule))];
  return state.editor.text === '' ? wrapLine(keys, width) : wrapText(words.typeFirst, width, 'warn');
}
