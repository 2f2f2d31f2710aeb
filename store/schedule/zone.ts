// Clocks on the wall: what an instant reads in a time zone, and when a reading happens. A reading that the spring change
// leaves out means the first moment after the gap; one that the autumn change shows twice means the first time.
import { XzError } from '../errors.ts';

/** A reading of a wall clock, kept as the milliseconds since the epoch that the same reading has in UTC. */
export type Wall = number;

const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** The zone of this process (`TZ`, else the system's). */
export function processZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

/** The zone's name as given, once it is known to exist. Throws `bad_input`. */
export function checkZone(timeZone: string): string {
  formatOf(timeZone);
  return timeZone;
}

/** How far the zone is ahead of UTC at an instant, in milliseconds. */
export function offsetAt(instant: number, timeZone: string): number {
  return wallOf(instant, timeZone) - Math.floor(instant / 1000) * 1000;
}

/** What the wall clock of a zone reads at an instant, to the second. */
export function wallOf(instant: number, timeZone: string): Wall {
  if (timeZone === 'UTC') return Math.floor(instant / 1000) * 1000;
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instant)) part[type] = Number(value);
  return Date.UTC(part.year ?? 0, (part.month ?? 1) - 1, part.day, part.hour, part.minute, part.second);
}

/** When the wall clock of a zone shows a reading: the first time it does, or the end of the gap that swallows it. */
export function instantOf(wall: Wall, timeZone: string): number {
  const before = offsetAt(wall - DAY_MS, timeZone);
  const after = offsetAt(wall + DAY_MS, timeZone);
  // The larger offset is the earlier instant.
  for (const offset of before >= after ? [before, after] : [after, before]) {
    if (offsetAt(wall - offset, timeZone) === offset) return wall - offset;
  }
  return endOfGap(wall - Math.max(before, after), wall - Math.min(before, after), timeZone);
}

/** The instant in (low, high] at which the zone's offset becomes what it is at `high`, to the second. */
function endOfGap(low: number, high: number, timeZone: string): number {
  const wanted = offsetAt(high, timeZone);
  let [from, to] = [Math.floor(low / 1000), Math.ceil(high / 1000)];
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2);
    if (offsetAt(middle * 1000, timeZone) === wanted) to = middle;
    else from = middle;
  }
  return to * 1000;
}

const two = (n: number): string => String(n).padStart(2, '0');

/** `+08:00` */
function offsetText(instant: number, timeZone: string): string {
  const minutes = Math.round(offsetAt(instant, timeZone) / 60_000);
  return `${minutes < 0 ? '-' : '+'}${two(Math.trunc(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}

/** ISO 8601 with the zone's offset, to the second: `2026-03-03T09:00:00+08:00`. */
export function isoInZone(instant: number, timeZone: string): string {
  return new Date(wallOf(instant, timeZone)).toISOString().slice(0, 19) + offsetText(instant, timeZone);
}

/** An absolute time for people and the model: `2026-03-03 09:00 +08:00 (Asia/Shanghai)`; seconds only when there are any. */
export function timeInWords(instant: number, timeZone: string): string {
  const iso = isoInZone(instant, timeZone);
  const time = iso.slice(17, 19) === '00' ? iso.slice(11, 16) : iso.slice(11, 19);
  return `${iso.slice(0, 10)} ${time} ${iso.slice(19)} (${timeZone})`;
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    try {
      format = new Intl.DateTimeFormat('en-US', {
        timeZone,
        calendar: 'gregory',
        numberingSystem: 'latn',
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      });
    } catch (error) {
      throw new XzError('bad_input', `there is no time zone "${timeZone}"`, {
        cause: error,
        hint: 'use an IANA name such as Asia/Shanghai, or leave --tz out for your own zone',
      });
    }
    formats.set(timeZone, format);
  }
  return format;
}
