// A list to choose from, in the place of the conversation.
import { pickerItems } from '../reduce-picker.ts';
import { bold, clipLine, type Line, span } from '../spans.ts';
import type { State } from '../state.ts';
import { fitText, textWidth } from '../width.ts';

/** The open picker in `height` rows. */
export function pickerLines(state: State, width: number, height: number): Line[] {
  const { picker } = state;
  if (picker === undefined) return [];
  const items = pickerItems(picker);
  const head: Line = [bold(picker.title, 'accent'), span(picker.filter === '' ? '' : `  ${picker.filter}▏`)];
  const rows = Math.max(1, height - 2);
  const from = Math.max(0, Math.min(picker.selected - Math.floor(rows / 2), items.length - rows));
  const shown = items.slice(from, from + rows);
  const wide = Math.min(Math.max(1, ...shown.map((item) => textWidth(item.label))), Math.max(1, Math.floor(width * 0.6)));
  const lines = shown.map((item, index): Line => {
    const chosen = from + index === picker.selected;
    return [
      span(chosen ? '▸ ' : '  ', 'accent'),
      span(fitText(item.label, wide), chosen ? 'selected' : 'text'),
      span(item.detail === undefined ? '' : `  ${item.detail}`, 'dim'),
    ];
  });
  const body = lines.length === 0 ? [[span(state.text.screen.pickNothing, 'dim')]] : lines;
  return [head, [], ...body].map((line) => clipLine(line, width)).slice(0, Math.max(0, height));
}
