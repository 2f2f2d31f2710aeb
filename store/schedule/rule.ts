// When a task runs, as data, and the next run after any moment. Croner parses cron and finds the next match on the wall
// clock; zone.ts says when that is. Hours that a rule names are wall-clock times: one inside the spring gap runs once at
// its end (hours of a list that fall together there are one run), one shown twice in autumn runs the first time. A rule
// for every hour goes by real time: it neither stops nor doubles when the clock is changed.
import { Cron, CronPattern } from 'croner';
import { errorMessage, XzError } from '../errors.ts';
import { instantOf, wallOf } from './zone.ts';

export type Rule =
  | { readonly kind: 'daily' /** `HH:MM` */; readonly at: string }
  | { readonly kind: 'cron' /** Five fields or `@daily` and its like. */; readonly expression: string }
  | {
      readonly kind: 'interval';
      readonly everyMs: number /** An instant of its grid, which reaches back too: a clock that is set back must not stop it. */;
      readonly anchor: number;
    }
  | { readonly kind: 'once'; readonly at: number };

/** How often, as people and the model say it. */
export type Recurring = 'daily' | 'hourly' | 'none';

/** The first run later than `after`, or undefined when there is none. */
export type NextRun = (after: number) => number | undefined;

/**
 * The next-run function of a rule in a zone. Throws `bad_input` for a cron expression that cannot be parsed or that
 * matches no date at all (31 April); the search for one ends at the year 10000, some ten milliseconds.
 */
export function nextRunOf(rule: Rule, timeZone: string): NextRun {
  switch (rule.kind) {
    case 'once':
      return (after) => (rule.at > after ? rule.at : undefined);
    case 'interval':
      return (after) => rule.anchor + (Math.floor((after - rule.anchor) / rule.everyMs) + 1) * rule.everyMs;
    case 'daily':
      return cronRuns(dailyExpression(rule.at), timeZone);
    case 'cron':
      return cronRuns(rule.expression, timeZone);
  }
}

/** Counting missed runs of a cron rule stops here; a longer absence is told as this many. */
const MOST_COUNTED = 10_000;
const LOOK_BACK_MS = [90_000, 2 * 3_600_000, 2 * 86_400_000, 32 * 86_400_000, 367 * 86_400_000, 9 * 366 * 86_400_000];

/** Runs of a rule in (after, upTo]: how many (at most 10,000 for cron), and the last one. */
export function runsBetween(rule: Rule, timeZone: string, after: number, upTo: number): { count: number; last: number | undefined } {
  const next = nextRunOf(rule, timeZone);
  const first = next(after);
  if (first === undefined || first > upTo) return { count: 0, last: undefined };
  if (rule.kind === 'interval') {
    const count = Math.floor((upTo - first) / rule.everyMs) + 1;
    return { count, last: first + (count - 1) * rule.everyMs };
  }
  let count = 0;
  for (let run: number | undefined = first; run !== undefined && run <= upTo && count < MOST_COUNTED; run = next(run)) count++;
  return { count, last: lastUpTo(next, first, upTo) };
}

/** The last run at or before `upTo`, found from ever farther back so that an absence of years costs no more than one of hours. */
function lastUpTo(next: NextRun, first: number, upTo: number): number {
  for (const back of LOOK_BACK_MS) {
    const from = next(upTo - back);
    if (from === undefined || from > upTo) continue;
    let last = from;
    for (let run = next(last); run !== undefined && run <= upTo; run = next(run)) last = run;
    return last;
  }
  return first;
}

function dailyExpression(at: string): string {
  const [hour, minute] = at.split(':').map(Number);
  return `${minute} ${hour} * * *`;
}

function cronRuns(expression: string, timeZone: string): NextRun {
  let wallClock: Cron;
  let everyHour: boolean;
  try {
    wallClock = new Cron(expression, { mode: '5-part', paused: true, utcOffset: 0 });
    everyHour = new CronPattern(expression, 'UTC', { mode: '5-part' }).hour.every((hour) => hour === 1);
  } catch (error) {
    throw new XzError('bad_input', `"${expression}" is not a cron expression: ${errorMessage(error).replace(/^CronPattern: /, '')}`, {
      hint: 'five fields, minute hour day month weekday, such as "0 9 * * mon-fri", or @daily and its like',
    });
  }
  if (wallClock.nextRun(new Date(0)) === null) {
    throw new XzError('bad_input', `"${expression}" never matches: no month it names has such a day`, {
      hint: 'check day and month; `xz schedule next --cron EXPR` previews the runs',
    });
  }
  if (everyHour) {
    const realTime = new Cron(expression, { mode: '5-part', paused: true, timezone: timeZone });
    return (after) => realTime.nextRun(new Date(after))?.getTime();
  }
  return (after) => {
    // What reads later than now also happens later, but for readings of the second autumn pass: those belong to the
    // first one and are stepped over.
    for (let wall = wallClock.nextRun(new Date(wallOf(after, timeZone))); wall !== null; wall = wallClock.nextRun(wall)) {
      const instant = instantOf(wall.getTime(), timeZone);
      if (instant > after) return instant;
    }
    return undefined;
  };
}

/** How often a rule runs, in the words of `recurring`; other rhythms go by their kind. */
export function frequencyOf(rule: Rule): Recurring | 'interval' | 'cron' {
  if (rule.kind === 'once') return 'none';
  if (rule.kind === 'interval') return rule.everyMs === 3_600_000 ? 'hourly' : 'interval';
  if (rule.kind === 'daily') return 'daily';
  if (/^@(daily|midnight)$/i.test(rule.expression) || /^\d+ \d+ \* \* \*$/.test(rule.expression)) return 'daily';
  return /^@hourly$/i.test(rule.expression) || /^\d+ \* \* \* \*$/.test(rule.expression) ? 'hourly' : 'cron';
}
