// The title bar and the status bar: one line each, what matters most last to be cut.
import { SIDEBAR_FROM } from '../layout.ts';
import { bold, clipLine, justify, type Line, lineWidth, span } from '../spans.ts';
import { type State, shownLog } from '../state.ts';
import { shortMoment } from './figures.ts';

/** Mark and name, model and host; the next scheduled run and what is pending. */
export function titleLine(state: State, width: number): Line {
  const words = state.text.screen.title;
  const left: Line = [
    span('◆ ', 'accent'),
    bold('xz', 'accent'),
    span('   '),
    span(state.model.model),
    span(['', state.model.model].includes(state.model.host) ? '' : ` · ${state.model.host}`, 'dim'),
  ];
  const next = state.schedule
    .filter((row) => row.enabled && row.nextRun !== undefined)
    .sort((a, b) => (a.nextRun ?? 0) - (b.nextRun ?? 0))
    .at(0);
  const pending = state.tasks.filter((task) => task.state === 'pending' || task.state === 'in_progress').length;
  const right = [
    next?.nextRun === undefined ? '' : words.next(shortMoment(next.nextRun, state.now), next.id),
    pending === 0 ? '' : words.pending(pending),
  ].filter((part) => part !== '');
  return justify(left, right.length === 0 ? [] : [span(right.join(' · '), 'dim')], width);
}

/** Keys that do something now, and whether a turn runs. */
export function statusLine(state: State, width: number, scrolledUp: boolean): Line {
  const words = state.text.screen.bar;
  const busy: Line = !state.running
    ? []
    : [bold(state.interrupting ? words.stopping : words.running, state.interrupting ? 'warn' : 'accent')];
  const hint = state.hint === undefined || state.hint.until <= state.now ? undefined : state.text.screen.hints[state.hint.code];
  const left: Line =
    hint === undefined ? fitting(keysFor(state, scrolledUp), Math.max(1, width - lineWidth(busy) - 3)) : [bold(hint, 'warn')];
  return justify([span(' '), ...left], busy.length === 0 ? [] : [...busy, span(' ')], width);
}

/** As many of the keys as fit; a half of one says nothing. */
function fitting(keys: readonly string[], width: number): Line {
  let out = '';
  for (const key of keys) {
    const next = out === '' ? key : `${out} · ${key}`;
    if (lineWidth([span(next)]) > width) break;
    out = next;
  }
  return clipLine([span(out === '' ? (keys[0] ?? '') : out, 'dim')], width);
}

function keysFor(state: State, scrolledUp: boolean): string[] {
  const words = state.text.screen.bar;
  if (state.picker !== undefined) return [words.pickerKeys];
  if (state.focus === 'team') return [state.text.screen.team.keys];
  if (state.focus === 'log') return [words.foldKeys];
  const queued = state.queued.length > 0 ? [words.queued(state.queued.length), words.escTakesBack] : [];
  const below = scrolledUp ? [words.below] : [];
  if (state.viewing !== undefined) return [...below, words.viewKeys(state.viewing)];
  const tab = state.team.length > 0 ? [words.team] : shownLog(state).entries.some((entry) => entry.kind === 'tool') ? [words.fold] : [];
  const stop = state.running ? [words.interrupt] : [];
  const panels = state.columns < SIDEBAR_FROM ? [words.panels] : [];
  return [...below, ...queued, ...stop, ...panels, words.send, words.line, ...tab, words.help, ...(state.running ? [] : [words.leave])];
}
