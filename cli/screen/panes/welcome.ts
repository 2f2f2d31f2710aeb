// The first thing a person sees: whose workspace this is and how to begin.
import { bold, clipLine, type Line, span } from '../spans.ts';
import type { State } from '../state.ts';
import { fitText, textWidth } from '../width.ts';
import { shownPath } from './figures.ts';

/** The card above an empty conversation. */
export function welcomeLines(state: State, width: number): Line[] {
  const words = state.text.screen;
  const wide = Math.max(...words.welcome.tips.map(([key]) => textWidth(key))) + 2;
  const lines: Line[] = [
    [],
    [span('◆ ', 'accent'), bold('xz', 'accent'), span(` ${state.version}`, 'dim')],
    [span(words.tagline, 'dim')],
    [],
    [span(`${words.welcome.workspace}  `, 'dim'), span(shownPath(state.workspace, state))],
    [],
    ...words.welcome.tips.map(([key, meaning]): Line => [span(fitText(key, wide), 'accent'), span(meaning, 'dim')]),
    [],
    [bold(words.welcome.hello)],
  ];
  return lines.map((line) => clipLine(line, width));
}
