// The whole screen for a state: rows of spans and the place of the real cursor. Pure; the shell only paints it.
import { conversationLines, type Layout, layoutOf } from './layout.ts';
import { statusLine, titleLine } from './panes/bars.ts';
import { completionLines, inputLines } from './panes/input.ts';
import { pickerLines } from './panes/picker.ts';
import { questionLines } from './panes/question.ts';
import { sidebarLines } from './panes/sidebar.ts';
import { welcomeLines } from './panes/welcome.ts';
import { visibleLines } from './scroll.ts';
import { clipLine, type Line, lineWidth, span } from './spans.ts';
import { type State, shownLog } from './state.ts';

export interface Frame {
  readonly columns: number;
  /** One line a row; none is wider than the screen. */
  readonly lines: readonly Line[];
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}

/** Draws the state for its own size. Never throws, at any size from 1×1. */
export function frameOf(state: State): Frame {
  const { columns, rows } = state;
  const layout = layoutOf(state);
  const lines: Line[] = [];
  if (layout.title > 0) lines.push(padded(titleLine(state, inside(columns)), columns));
  if (layout.rule > 0) lines.push(ruleLine(layout, columns, '┬'));
  lines.push(...middleLines(state, layout));
  if (layout.rule > 0) lines.push(ruleLine(layout, columns, '┴'));
  lines.push(...queuedLines(state, layout, columns));
  const input = inputLines(state, columns, layout.input);
  const top = lines.length;
  overlay(lines, completionLines(state, columns, Math.min(8, top - layout.title - layout.rule)), layout);
  for (let row = 0; row < layout.input; row++) lines.push(input.lines[row] ?? []);
  if (layout.status > 0) lines.push(statusLine(state, columns, state.scroll !== undefined));
  const shown = Array.from({ length: rows }, (_, row) => clipLine(lines[row] ?? [], columns));
  const y = Math.min(rows - 1, top + input.caret.y);
  return { columns, lines: shown, cursor: state.picker === undefined && state.focus === 'input' ? { x: input.caret.x, y } : undefined };
}

function inside(columns: number): number {
  return Math.max(1, columns - 2);
}

/** One column of air at the left, where there is room for it. */
function padded(line: Line, columns: number): Line {
  return columns < 8 ? clipLine(line, columns) : [span(' '), ...line];
}

function ruleLine(layout: Layout, columns: number, cross: string): Line {
  if (layout.sidebar === 0) return [span('─'.repeat(columns), 'border')];
  const left = columns - layout.sidebar - 3;
  return [span('─'.repeat(Math.max(0, left)) + cross + '─'.repeat(Math.max(0, columns - left - 1)), 'border')];
}

function middleLines(state: State, layout: Layout): Line[] {
  const height = layout.conversation.height + layout.question;
  if (layout.sidebarAlone && state.picker === undefined && state.questions.length === 0)
    return filled(sidebarLines(state, layout.conversation.width, height), height).map((line) => padded(line, state.columns));
  const left = filled(leftLines(state, layout), height);
  if (layout.sidebar === 0) return left.map((line) => padded(line, state.columns));
  const side = filled(sidebarLines(state, layout.sidebar, height), height);
  const wide = state.columns - layout.sidebar - 3;
  return left.map((line, row) => {
    const start = clipLine([span(' '), ...line], wide);
    const gap = span(' '.repeat(Math.max(0, wide - lineWidth(start))));
    return [...start, gap, span('│', 'border'), span(' '), ...(side[row] ?? [])];
  });
}

function leftLines(state: State, layout: Layout): Line[] {
  const { width, height } = layout.conversation;
  if (state.picker !== undefined) return pickerLines(state, width, height + layout.question);
  const question = questionLines(state, width, layout.question);
  return [...filled(conversation(state, width, height), height), ...question.slice(0, layout.question)];
}

function conversation(state: State, width: number, height: number): Line[] {
  const { entries, dropped } = shownLog(state);
  const head: Line[] =
    state.viewing === undefined
      ? []
      : [clipLine([span('◆ ', 'accent'), span(state.text.screen.team.viewing(state.viewing), 'accent')], width)];
  if (entries.length === 0)
    return state.viewing === undefined
      ? welcomeLines(state, width).slice(0, height)
      : [...head, [], [span(state.text.screen.team.nothing, 'dim')]];
  const body = visibleLines(entries, state.scroll, height - head.length, conversationLines(state)).map((shown) => shown.line);
  const free = height - head.length - body.length;
  const older: Line[] = dropped > 0 && free > 0 ? [clipLine([span(state.text.screen.dropped(dropped), 'dim')], width)] : [];
  return [...head, ...older, ...body];
}

function queuedLines(state: State, layout: Layout, columns: number): Line[] {
  return state.queued.slice(0, layout.queued).map((text) => {
    const shown = text.slice(0, 400).replace(/\s+/g, ' ');
    return clipLine([span(` ${state.text.screen.queuedMark}  `, 'accent'), span(shown, 'dim')], columns);
  });
}

/** Lays the popup over the rows just above the input. */
function overlay(lines: Line[], popup: readonly Line[], layout: Layout): void {
  if (popup.length === 0) return;
  const from = Math.max(layout.title, lines.length - popup.length);
  popup.slice(0, lines.length - from).forEach((line, index) => {
    lines[from + index] = line;
  });
}

function filled(lines: readonly Line[], height: number): Line[] {
  return Array.from({ length: Math.max(0, height) }, (_, row) => lines[row] ?? []);
}
