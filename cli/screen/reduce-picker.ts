// Keys of a list to pick from. Pure.
import type { Effect, State, Step } from './state.ts';

function stay(state: State, ...effects: Effect[]): Step {
  return { state, effects };
}

/** Items of the picker that fit its filter. */
export function pickerItems(picker: NonNullable<State['picker']>): NonNullable<State['picker']>['items'] {
  const wanted = picker.filter.toLowerCase();
  return wanted === '' ? picker.items : picker.items.filter((item) => `${item.label} ${item.detail ?? ''}`.toLowerCase().includes(wanted));
}

export function filterPicker(state: State, filter: string): State {
  return state.picker === undefined ? state : { ...state, picker: { ...state.picker, filter, selected: 0 } };
}

export function pickerKey(state: State, name: string): Step {
  const { picker } = state;
  if (picker === undefined) return stay(state);
  const items = pickerItems(picker);
  const to = (selected: number) => stay({ ...state, picker: { ...picker, selected: Math.max(0, Math.min(items.length - 1, selected)) } });
  switch (name) {
    case 'up':
    case 'ctrl+p':
      return to(picker.selected - 1);
    case 'down':
    case 'ctrl+n':
      return to(picker.selected + 1);
    case 'home':
      return to(0);
    case 'end':
      return to(items.length - 1);
    case 'backspace':
      return stay(filterPicker(state, picker.filter.slice(0, -1)));
    case 'escape':
      return stay({ ...state, picker: undefined }, { type: 'picked', picker: picker.id, value: undefined });
    case 'enter': {
      const chosen = items[picker.selected];
      return chosen === undefined
        ? stay(state)
        : stay({ ...state, picker: undefined }, { type: 'picked', picker: picker.id, value: chosen.value });
    }
    default:
      return stay(state);
  }
}
