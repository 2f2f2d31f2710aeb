// Times of day and dates in words, and the refusal of those that do not exist. Shared by when.ts and day-words.ts.
import { XzError } from '../errors.ts';
import type { Rule } from './rule.ts';
import type { Wall } from './zone.ts';

export const MINUTE = 60_000;
export const DAY = 86_400_000;
/** What to write instead, for refusals. */
export const FORMS =
  'use 09:00, "in 30 minutes", "tomorrow 15:00", "2026-03-04 09:00", "every 2 hours", "mon-fri 09:00", or a cron expression such as "0 9 * * 1"';

/** What a phrase says by itself, before `recurring` has its say. */
export type Reading =
  | { readonly kind: 'moment'; readonly at: number }
  | { readonly kind: 'time'; readonly at: string }
  | { readonly kind: 'rule'; readonly rule: Rule };

const TIME = /^(\d{1,2})(?::(\d{2})(?::00)?)?\s*(a\.?m\.?|p\.?m\.?)?$/;

/** Milliseconds since midnight of `9:00`, `09:00`, `3pm`, `3:30 pm`, `noon`; undefined when it is no time at all. */
export function timeOfDay(text: string, given: string): number | undefined {
  if (text === 'noon') return DAY / 2;
  if (text === 'midnight') return 0;
  const hit = TIME.exec(text.trim());
  if (hit?.[1] === undefined || (hit[2] === undefined && hit[3] === undefined)) return undefined;
  const hour = Number(hit[1]);
  if (hit[3] === undefined) return clockMs(hour, Number(hit[2]), given);
  if (hour < 1 || hour > 12) throw refuse(given, `has no such time as ${hit[0]}`, 'use 1 to 12 with am and pm, or 00:00 to 23:59');
  return clockMs((hour % 12) + (hit[3].startsWith('p') ? 12 : 0), Number(hit[2] ?? 0), given);
}

/** Milliseconds since midnight. Throws `bad_input` for what no clock shows, 24:00 among it. */
export function clockMs(hour: number, minute: number, given: string): number {
  if (hour === 24 && minute === 0)
    throw refuse(given, 'says 24:00, which is the next day', 'use 00:00, with the next day where a day is named');
  if (hour > 23 || minute > 59) throw refuse(given, 'is not a time of day', 'times run from 00:00 to 23:59');
  return (hour * 60 + minute) * MINUTE;
}

/** Milliseconds of the seconds field. */
export function secondsMs(second: number, given: string): number {
  if (second > 59) throw refuse(given, 'is not a time of day', 'seconds run from 00 to 59');
  return second * 1_000;
}

/** Midnight of a calendar date. Throws `bad_input` for 30 February and its like. */
export function dateWall(year: number, month: number, day: number, given: string): Wall {
  const wall = Date.UTC(year, month - 1, day);
  const date = new Date(wall);
  if (month < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day)
    throw refuse(given, 'is a date that does not exist', FORMS);
  return wall;
}

/** `HH:MM` of a reading. */
export function clockText(wall: Wall): string {
  return new Date(wall).toISOString().slice(11, 16);
}

/** The one shape of a refusal: what was given, why not, what to do. */
export function refuse(given: string, why: string, hint: string): XzError {
  return new XzError('bad_input', `"${given.slice(0, 80)}" ${why}`, { hint });
}
