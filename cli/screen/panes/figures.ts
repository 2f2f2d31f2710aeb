// Numbers and paths as people read them on a narrow screen.
import { sep } from 'node:path';

/** `950`, `18.4k`, `1.2M`. */
export function shortCount(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 999_950) return `${trim(count / 1_000)}k`;
  return `${trim(count / 1_000_000)}M`;
}

function trim(value: number): string {
  return value >= 100 ? String(Math.round(value)) : value.toFixed(1).replace(/\.0$/, '');
}

/** A span of time: `0.4 s`, `12 s`, `3 m`, `2 h`. */
export function shortTime(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.floor(seconds)} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} m`;
  return `${Math.floor(seconds / 3_600)} h`;
}

/** Whole seconds and more, for what is counting up. */
export function runningTime(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  return seconds < 120 ? `${seconds} s` : shortTime(ms);
}

/** Dollars, with cents that matter. */
export function dollars(usd: number): string {
  return `$${usd < 1 ? usd.toFixed(3) : usd.toFixed(2)}`;
}

/** Local time of day, `HH:MM`; with the day when it is not today. */
export function shortMoment(ms: number, now: number): string {
  const d = new Date(ms);
  const time = `${String(d.getHours()).padStart(2, '0')}:${String(d.getMinutes()).padStart(2, '0')}`;
  return new Date(now).toDateString() === d.toDateString() ? time : `${d.getMonth() + 1}/${d.getDate()} ${time}`;
}

/** A path as a person names it: from the workspace where it lies in it, else from `~` where it lies in their home. */
export function shownPath(path: string, { workspace, home }: { readonly workspace: string; readonly home: string }): string {
  if (path.startsWith(workspace + sep)) return path.slice(workspace.length + 1);
  return home !== '' && path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}
