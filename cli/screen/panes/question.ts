// The question on top of the queue: who asks, what for, the diff or command, and the keys that answer it. What does not
// fit is paged through: nobody should allow what they could not read.
import { bold, clipLine, type Line, span, wrapLine, wrapText } from '../spans.ts';
import type { State } from '../state.ts';
import { diffLines } from './diff.ts';
import { shownPath } from './figures.ts';

interface Parts {
  readonly head: Line;
  /** What is asked for: the summary and the diff, wrapped. */
  readonly body: readonly Line[];
  /** Where, and the keys: always in sight. */
  readonly foot: readonly Line[];
}

/** An empty line and the head. */
const HEAD_ROWS = 2;

/** Lines of the first open question, at most `most`: the keys always stay in sight. Empty when nobody asks. */
export function questionLines(state: State, width: number, most: number): Line[] {
  const parts = partsOf(state, width);
  if (parts === undefined) return [];
  const { head, body, foot } = parts;
  const room = roomOf(parts, most);
  const rest = [...(body.length <= room ? body : page(state, body, room)), ...foot];
  return [[], head, ...rest.map((line): Line => (width < 4 ? line : [span('  '), ...line]))];
}

/** Rows to scroll the first question to, one page on or back; undefined when all of it is in sight. */
export function questionPage(state: State, width: number, most: number, forward: boolean): number | undefined {
  const parts = partsOf(state, width);
  if (parts === undefined) return undefined;
  const room = roomOf(parts, most);
  if (parts.body.length <= room) return undefined;
  return topOf(state, parts.body.length, room, forward ? room - 1 : 1 - room);
}

function partsOf(state: State, width: number): Parts | undefined {
  const question = state.questions[0];
  if (question === undefined) return undefined;
  const words = state.text.screen.question;
  const waiting = state.questions.length - 1;
  const inner = Math.max(1, width - 2);
  const head: Line = [
    span('? ', 'accent'),
    bold(words.asks(question.agent), 'accent'),
    span(`   ${question.tool}`),
    span(waiting > 0 ? `   ${words.more(waiting)}` : '', 'dim'),
  ];
  const where = question.worktree === undefined ? [] : wrapText(`${words.worktree} ${shownPath(question.worktree, state)}`, inner, 'dim');
  const diff = question.diff === undefined || question.diff === '' ? [] : wholeDiff(question.diff, inner);
  return {
    head: clipLine(head, width),
    body: [...wrapText(question.summary, inner), ...diff],
    foot: [...where, ...keyLines(state, question.rule, inner)],
  };
}

let lastDiff: { readonly diff: string; readonly width: number; readonly lines: readonly Line[] } | undefined;

/** All rows of the diff. A long one is not wrapped again for every frame. */
function wholeDiff(diff: string, width: number): readonly Line[] {
  if (lastDiff?.diff !== diff || lastDiff.width !== width)
    lastDiff = { diff, width, lines: diffLines(diff, width, Number.POSITIVE_INFINITY, () => '') };
  return lastDiff.lines;
}

function roomOf({ foot }: Parts, most: number): number {
  return Math.max(1, most - HEAD_ROWS - foot.length);
}

/** The rows in sight, and in the last one how many are not. */
function page(state: State, body: readonly Line[], room: number): Line[] {
  const top = topOf(state, body.length, room, 0);
  const below = body.length - top - (room - 1);
  const words = state.text.screen;
  const more = below > 0 ? `${words.moreLines(below)} · ${words.question.pages}` : words.question.pages;
  return [...body.slice(top, top + room - 1), [span(more, 'warn')]];
}

/** The first row in sight, `by` rows from where it is. One row of the room tells of the rest. */
function topOf({ questionTop, questions }: State, rows: number, room: number, by: number): number {
  const now = questionTop !== undefined && questionTop.id === questions[0]?.id ? questionTop.row : 0;
  return Math.max(0, Math.min(rows - (room - 1), now + by));
}

function keyLines(state: State, rule: string, width: number): Line[] {
  const words = state.text.screen.question;
  const key = (letter: string, meaning: string): Line => [bold(letter, 'accent'), span(` ${meaning}   `, 'dim')];
  const keys: Line = [...key('y', words.allow), ...key('n', words.refuse), ...key('a', words.always(rule))];
  return state.editor.text === '' ? wrapLine(keys, width) : wrapText(words.typeFirst, width, 'warn');
}
