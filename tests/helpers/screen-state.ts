// States of the screen for tests: a first state, events put through the reducer, and the frame as plain text.
import { frameOf } from '../../cli/screen/frame.ts';
import { reduce } from '../../cli/screen/reduce.ts';
import { type Effect, firstState, type ScreenEvent, type State } from '../../cli/screen/state.ts';
import { cellsOf, firstPicture, flagLetters, textWidth } from '../../cli/screen/width.ts';
import { slashHints } from '../../cli/slash/registry.ts';
import { en } from '../../cli/text/en.ts';
import type { LeadEvent } from '../../lead/events.ts';

export const NOW = Date.UTC(2026, 2, 1, 8, 0, 0);

export function screenState(columns = 120, rows = 36): State {
  return firstState({
    text: en,
    now: NOW,
    columns,
    rows,
    version: '0.1.0',
    workspace: '/work/demo',
    home: '/home/me',
    teamMax: 3,
    session: '2026-03-01-abc123',
    model: { provider: 'custom', model: 'kimi-for-coding', host: 'api.kimi.com', window: 262_144, price: 'subscription' },
    mode: 'ask',
    slash: slashHints(en, {}),
    history: ['first thing', 'second thing'],
  });
}

export interface Driven {
  readonly state: State;
  readonly effects: readonly Effect[];
}

/** The state after the events, and all effects they asked for. */
export function drive(state: State, ...events: readonly ScreenEvent[]): Driven {
  const effects: Effect[] = [];
  let next = state;
  for (const event of events) {
    const step = reduce(next, event);
    next = step.state;
    effects.push(...step.effects);
  }
  return { state: next, effects };
}

/** A key or, for more than a name, typed text; `at` is ms after NOW. */
export function key(name: string, at = 10_000): ScreenEvent {
  return { type: 'input', input: { type: 'key', name }, at: NOW + at };
}

export function typed(text: string, at = 10_000): ScreenEvent {
  return { type: 'input', input: { type: 'text', text }, at: NOW + at };
}

export function pasted(text: string, at = 10_000): ScreenEvent {
  return { type: 'input', input: { type: 'paste', text }, at: NOW + at };
}

export function lead(event: LeadEvent, at = 1_000): ScreenEvent {
  return { type: 'lead', event, at: NOW + at };
}

/** The frame as a terminal that joins no pictures shows it, blanks at line ends taken off. Throws when a line is wider than the screen. */
export function picture(state: State): string {
  const frame = frameOf(state);
  return frame.lines
    .map((line) => {
      const text = line.map((part) => part.text).join('');
      if (textWidth(text) > state.columns) throw new Error(`line of ${textWidth(text)} columns on a screen of ${state.columns}: ${text}`);
      return cellsOf(text)
        .map((cell) => flagLetters(cell.text) ?? (cell.width === 2 ? firstPicture(cell.text) : cell.text))
        .join('')
        .trimEnd();
    })
    .join('\n');
}
