// Days in words: today, tomorrow, named weekdays once, and days of the week that repeat. A full name alone (`friday
// 15:00`) is the next such day, once; a short name, a range, a list or `every` repeats, as it would in a cron line.
import { clockText, DAY, FORMS, type Reading, refuse, timeOfDay } from './clock-words.ts';
import { instantOf, wallOf } from './zone.ts';

interface Here {
  readonly now: number;
  readonly timeZone: string;
}

const WEEKDAY_NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const DAY_THEN_TIME =
  /^(?:on\s+)?(today|tomorrow|day after tomorrow|the day after tomorrow|in3days|date \d{1,2}-\d{1,2}|(?:next |this )?(?:sun|mon|tues|wednes|thurs|fri|satur)day(?: next week)?)(?:\s*,)?\s+(?:at\s+)?(\S.*)$/;
const TIME_THEN_DAY =
  /^(?:at\s+)?(\S+(?:\s*[ap]\.?m\.?)?)\s+(today|tomorrow|(?:on |next |this )(?:sun|mon|tues|wednes|thurs|fri|satur)day)$/;

/** A named day with a time of day: `tomorrow 15:00`, `next friday at 5 pm`, `date 3-5 09:00`. */
export function dayAndTime(lower: string, { now, timeZone }: Here, given: string): Reading | undefined {
  const swapped = TIME_THEN_DAY.exec(lower);
  const hit = DAY_THEN_TIME.exec(swapped === null ? lower : `${swapped[2]?.replace(/^on /, '')} ${swapped[1]}`);
  if (hit?.[1] === undefined || hit[2] === undefined) {
    if (/^(today|tomorrow|day after tomorrow)$/.test(lower)) throw refuse(given, 'names a day but no time', 'such as "tomorrow 09:00"');
    return undefined;
  }
  const time = timeOfDay(hit[2], given);
  if (time === undefined) return undefined;
  const midnight = Math.floor(wallOf(now, timeZone) / DAY) * DAY;
  const at = (days: number): number => instantOf(midnight + days * DAY + time, timeZone);
  const day = hit[1];
  if (day.startsWith('date ')) return { kind: 'moment', at: nextDate(day.slice(5), time, now, timeZone, given) };
  const fixed = day === 'today' ? 0 : day === 'tomorrow' ? 1 : day === 'in3days' ? 3 : day.includes('after') ? 2 : undefined;
  if (fixed !== undefined) return { kind: 'moment', at: at(fixed) };
  const weekday = WEEKDAY_NAMES.findIndex((name) => day.includes(name));
  const today = new Date(midnight).getUTCDay();
  // The week begins on Monday, so that "monday next week" said on a Sunday is tomorrow.
  if (day.endsWith('next week')) return { kind: 'moment', at: at(7 - ((today + 6) % 7) + ((weekday + 6) % 7)) };
  const ahead = (weekday - today + 7) % 7;
  return { kind: 'moment', at: ahead > 0 || (at(0) > now && !day.startsWith('next')) ? at(ahead) : at(7) };
}

/** The next `month-day` at a time: this year, or the first later year that has it. */
function nextDate(monthDay: string, time: number, now: number, timeZone: string, given: string): number {
  const [month, day] = monthDay.split('-').map(Number);
  const year = new Date(wallOf(now, timeZone)).getUTCFullYear();
  // 29 February comes at least every eight years.
  for (let ahead = 0; ahead <= 8; ahead++) {
    const wall = Date.UTC(year + ahead, (month ?? 0) - 1, day);
    if (new Date(wall).getUTCMonth() + 1 !== month) continue;
    const at = instantOf(wall + time, timeZone);
    if (at > now) return at;
  }
  throw refuse(given, 'is a date that does not exist', FORMS);
}

const SHORT = '(?:sun|mon|tue|wed|thu|fri|sat)';
const LONG = '(?:sunday|monday|tuesday|wednesday|thursday|friday|saturday)s?';
const ANY_DAY = `(?:${LONG}|${SHORT})`;
const WEEKLY = new RegExp(
  `^(?:every\\s+)?(weekdays?|weekends?|${ANY_DAY}(?:\\s*(?:-|,|and|to)\\s*${ANY_DAY})*)(?:\\s*,)?\\s+(?:at\\s+)?(\\S.*)$`,
);
const DAILY = /^(?:every\s*day|daily|each day)\s+(?:at\s+)?(\S.*)$/;

/** A time of day on each day, or on some days of the week. */
export function weekdays(lower: string, given: string): Reading | undefined {
  const daily = DAILY.exec(lower)?.[1];
  if (daily !== undefined) {
    const time = timeOfDay(daily, given);
    return time === undefined ? undefined : { kind: 'rule', rule: { kind: 'daily', at: clockText(time) } };
  }
  const hit = WEEKLY.exec(lower);
  const time = hit?.[2] === undefined ? undefined : timeOfDay(hit[2], given);
  if (hit?.[1] === undefined || time === undefined) return undefined;
  const days = cronDays(hit[1]);
  const [hour, minute] = clockText(time).split(':').map(Number);
  return { kind: 'rule', rule: { kind: 'cron', expression: `${minute} ${hour} * * ${days}` } };
}

/** `mon-fri` -> `1-5`; `sat and sun` -> `6,0`; a range over the weekend (`fri-mon`) is spelled out. */
function cronDays(text: string): string {
  if (text.startsWith('weekday')) return '1-5';
  if (text.startsWith('weekend')) return '6,0';
  const number = (name: string): number => WEEKDAY_NAMES.findIndex((full) => full.startsWith(name.trim().slice(0, 3)));
  return text
    .split(/\s*(?:,|and)\s*/)
    .flatMap((part) => {
      const [from = 0, to] = part.split(/\s*(?:-|to)\s*/).map(number);
      if (to === undefined) return String(from);
      if (from < to) return `${from}-${to}`;
      return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, index) => String((from + index) % 7));
    })
    .join(',');
}

/** A time of day alone. */
export function bareTime(lower: string, given: string): Reading | undefined {
  const time = timeOfDay(lower.replace(/^at\s+/, ''), given);
  return time === undefined ? undefined : { kind: 'time', at: clockText(time) };
}
