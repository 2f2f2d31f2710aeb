// What people and the model write for "when", read as a rule, a zone and the first run. Relative times are added to
// now and never pass through wall-clock text; a time or date without a zone is the zone of the person. What is past,
// impossible or not understood is refused with the reason, so that nothing is ever scheduled by guess.
import { fromChinese } from './chinese.ts';
import { clockMs, clockText, DAY, dateWall, FORMS, MINUTE, type Reading, refuse, secondsMs } from './clock-words.ts';
import { bareTime, dayAndTime, weekdays } from './day-words.ts';
import { frequencyOf, nextRunOf, type Recurring, type Rule } from './rule.ts';
import { checkZone, instantOf, timeInWords, wallOf } from './zone.ts';

export interface WhenInput {
  readonly now: number;
  readonly timeZone: string;
  /** Absent: as the words themselves say; a bare time of day is daily. */
  readonly recurring?: Recurring | undefined;
}

export interface Plan {
  readonly rule: Rule;
  readonly timeZone: string;
  /** The first run, always later than now. */
  readonly first: number;
  /** Nothing is due before it; 0 where no start was named. */
  readonly startsAt: number;
}

/** Farther ahead is taken for a slip. */
const FARTHEST_MS = 3_660 * DAY;
/** Reads a phrase in English or Chinese, or a cron expression. Throws `bad_input` with the reason. */
export function parseWhen(text: string, input: WhenInput): Plan {
  checkZone(input.timeZone);
  const words = fromChinese(text.normalize('NFKC').trim()).trim();
  return plan(read(words, words.toLowerCase(), input, text.trim()), input, text.trim());
}

/** Reads a cron expression only. Throws `bad_input` with the reason. */
export function parseCron(expression: string, input: WhenInput): Plan {
  checkZone(input.timeZone);
  return plan({ kind: 'rule', rule: { kind: 'cron', expression: expression.trim() } }, input, expression);
}

/** Reads an absolute time: an ISO date or time, in the given zone where it names none. Throws `bad_input`. */
export function parseMoment(text: string, timeZone: string): number {
  checkZone(timeZone);
  const reading = isoMoment(text.normalize('NFKC').trim().toUpperCase(), timeZone, text);
  if (reading?.kind !== 'moment')
    throw refuse(text, 'is not an ISO date or time', 'such as 2026-03-04T09:00, with an offset or Z if it is not your zone');
  return reading.at;
}

function read(words: string, lower: string, input: WhenInput, given: string): Reading {
  if (isCron(words)) return { kind: 'rule', rule: { kind: 'cron', expression: words } };
  const reading =
    relative(lower, input, given) ??
    every(lower, input, given) ??
    isoMoment(words.toUpperCase(), input.timeZone, given) ??
    dayAndTime(lower, input, given) ??
    weekdays(lower, given) ??
    bareTime(lower, given);
  if (reading === undefined) throw refuse(given, 'is not a time that is understood', FORMS);
  return reading;
}

function plan(reading: Reading, input: WhenInput, given: string): Plan {
  const { now, timeZone, recurring } = input;
  const rule = ruleOf(reading, input, given);
  const named = reading.kind === 'moment' ? reading.at : reading.kind === 'time' && rule.kind === 'interval' ? rule.anchor : undefined;
  const first = named ?? nextRunOf(rule, timeZone)(now);
  if (first === undefined) throw refuse(given, 'has no run after now', FORMS);
  if (first <= now)
    throw refuse(given, `is ${timeInWords(first, timeZone)}, which is past: it is now ${timeInWords(now, timeZone)}`, FORMS);
  if (reading.kind !== 'rule' && first - now > FARTHEST_MS) throw refuse(given, 'is more than ten years ahead', FORMS);
  if (recurring === 'none') return { rule: { kind: 'once', at: first }, timeZone, first, startsAt: first };
  return { rule, timeZone, first, startsAt: named ?? 0 };
}

function ruleOf(reading: Reading, { now, timeZone, recurring }: WhenInput, given: string): Rule {
  switch (reading.kind) {
    case 'moment':
      if (recurring === 'daily') return { kind: 'daily', at: new Date(wallOf(reading.at, timeZone)).toISOString().slice(11, 16) };
      if (recurring === 'hourly') return { kind: 'interval', everyMs: 60 * MINUTE, anchor: reading.at };
      return { kind: 'once', at: reading.at };
    case 'time': {
      const daily: Rule = { kind: 'daily', at: reading.at };
      if (recurring !== 'hourly') return daily;
      return { kind: 'interval', everyMs: 60 * MINUTE, anchor: nextRunOf(daily, timeZone)(now) ?? now };
    }
    case 'rule': {
      const says = frequencyOf(reading.rule);
      if (recurring === undefined || recurring === 'none' || recurring === says) return reading.rule;
      throw refuse(given, `says itself how often it runs, so it cannot be "${recurring}" too`, 'leave recurring out');
    }
  }
}

function isCron(words: string): boolean {
  if (words.startsWith('@')) return true;
  const fields = words.split(/\s+/);
  return fields.length >= 5 && fields.length <= 7 && /^[\d*?,/-]+$/.test(fields[0] ?? '') && !/^\d{4}-/.test(words);
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: MINUTE, h: 60 * MINUTE, d: DAY, w: 7 * DAY };
const UNIT = '(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)';
const COUNT = '(-?\\d+(?:\\.\\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|half an?)';
const COUNT_WORDS = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', '', 'twelve'];
const DURATION = `${COUNT}\\s*${UNIT}(?:\\s*(?:and|,)?\\s*${COUNT}\\s*${UNIT})?(?:\\s*(?:and|,)?\\s*${COUNT}\\s*${UNIT})?`;
const IN = new RegExp(`^in\\s+${DURATION}$`);
const FROM_NOW = new RegExp(`^${DURATION}\\s+(?:from now|later)$`);
const EVERY = new RegExp(`^every\\s+${DURATION}$`);

function relative(lower: string, { now }: WhenInput, given: string): Reading | undefined {
  const hit = IN.exec(lower) ?? FROM_NOW.exec(lower);
  if (hit === null) return undefined;
  const ms = durationMs(hit);
  if (!(ms > 0)) throw refuse(given, 'is not later than now', 'give a time ahead, such as "in 30 minutes"');
  if (ms > FARTHEST_MS) throw refuse(given, 'is more than ten years ahead', FORMS);
  return { kind: 'moment', at: Math.ceil((now + ms) / 1000) * 1000 };
}

function every(lower: string, { now, timeZone }: WhenInput, given: string): Reading | undefined {
  if (lower === 'every day' || lower === 'daily' || lower === '@every day') return { kind: 'time', at: clockText(wallOf(now, timeZone)) };
  const single = /^every (second|minute|hour|week)$/.exec(lower)?.[1] ?? (lower === 'hourly' ? 'hour' : undefined);
  const hit = EVERY.exec(lower);
  if (single === undefined && hit === null) return undefined;
  const ms = single === undefined && hit !== null ? durationMs(hit) : (UNIT_MS[(single ?? 'h').charAt(0)] ?? 0);
  if (!(ms >= 1_000)) throw refuse(given, 'is too short: the shortest interval is one second', 'such as "every 10 minutes"');
  if (ms > FARTHEST_MS) throw refuse(given, 'is more than ten years', FORMS);
  const everyMs = Math.round(ms / 1000) * 1000;
  // Rounded down: the grid reaches back, and its instant before the first run must not lie ahead, within this very second.
  return { kind: 'rule', rule: { kind: 'interval', everyMs, anchor: Math.floor((now + everyMs) / 1000) * 1000 } };
}

function durationMs(hit: RegExpExecArray): number {
  let ms = 0;
  for (let at = 1; at + 1 < hit.length; at += 2) {
    const [count, unit] = [hit[at], hit[at + 1]];
    if (count === undefined || unit === undefined) continue;
    const word = COUNT_WORDS.indexOf(count);
    const number = count.startsWith('half') ? 0.5 : /^an?$/.test(count) ? 1 : word > 0 ? word : Number(count);
    ms += number * (UNIT_MS[unit.charAt(0)] ?? Number.NaN);
  }
  return ms;
}

const ISO =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:(?:T|\s+(?:AT\s+)?)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/;

function isoMoment(upper: string, timeZone: string, given: string): Reading | undefined {
  const hit = ISO.exec(upper);
  if (hit === null) return undefined;
  const [year, month, day, hour, minute, second] = hit.slice(1, 7).map((field) => Number(field ?? 0));
  if (year === undefined || month === undefined || day === undefined || hour === undefined) return undefined;
  const wall = dateWall(year, month, day, given) + clockMs(hour, minute ?? 0, given) + secondsMs(second ?? 0, given);
  const zone = hit[7];
  if (zone === undefined) return { kind: 'moment', at: instantOf(wall, timeZone) };
  if (zone === 'Z') return { kind: 'moment', at: wall };
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  if (hours > 18 || minutes > 59) throw refuse(given, `has no such offset from UTC as ${zone}`, 'such as +08:00');
  return { kind: 'moment', at: wall - (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * MINUTE };
}
