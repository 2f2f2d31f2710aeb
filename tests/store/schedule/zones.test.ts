// Every zone's changes of 2026, walked with a clock that jumps from run to run: no run twice, none left out, none in the
// past, whatever the zone does to its clocks.
import { describe, expect, it } from 'vitest';
import { nextRunOf, type Rule, runsBetween } from '../../../store/schedule/rule.ts';
import { instantOf, isoInZone, offsetAt, wallOf } from '../../../store/schedule/zone.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const YEAR = Date.UTC(2026, 0, 1);

/** Instants of 2026 (to the second) from which a zone has another offset. */
function transitions(timeZone: string): number[] {
  const found: number[] = [];
  const step = 7 * DAY;
  for (let from = YEAR; from < YEAR + 366 * DAY; from += step) {
    // Two changes within a week are seen when the week is looked at in days.
    for (let at = from; at < from + step; at += DAY) {
      const before = offsetAt(at, timeZone);
      if (offsetAt(at + DAY, timeZone) === before) continue;
      let [low, high] = [at, at + DAY];
      while (high - low > 1000) {
        const middle = Math.floor((low + high) / 2000) * 1000;
        if (offsetAt(middle, timeZone) === before) low = middle;
        else high = middle;
      }
      found.push(high);
    }
  }
  return found;
}

const cron = (expression: string): Rule => ({ kind: 'cron', expression });
/** Rules that name hours: their times on the wall, in minutes of the day. */
const BY_THE_WALL: ReadonlyArray<readonly [Rule, readonly number[]]> = [
  [{ kind: 'daily', at: '00:00' }, [0]],
  [{ kind: 'daily', at: '00:30' }, [30]],
  [{ kind: 'daily', at: '01:30' }, [90]],
  [{ kind: 'daily', at: '02:00' }, [120]],
  [{ kind: 'daily', at: '02:30' }, [150]],
  [{ kind: 'daily', at: '03:00' }, [180]],
  [{ kind: 'daily', at: '23:30' }, [1410]],
  [cron('15,45 0-3 * * *'), [0, 1, 2, 3].flatMap((hour) => [hour * 60 + 15, hour * 60 + 45])],
  [cron('*/30 2 * * *'), [120, 150]],
  [cron('0 */2 * * *'), Array.from({ length: 12 }, (_, i) => i * 120)],
];
/** Rules for every hour: minutes of the hour. */
const BY_REAL_TIME: ReadonlyArray<readonly [Rule, readonly number[]]> = [
  [cron('0 * * * *'), [0]],
  [cron('*/30 * * * *'), [0, 30]],
  [cron('@hourly'), [0]],
];

const zones = Intl.supportedValuesOf('timeZone');
// Zones with the same changes behave alike: one of each kind is walked in full.
const changing = zones.map((zone) => ({ zone, at: transitions(zone) })).filter(({ at }) => at.length > 0);
const kinds = [
  ...new Map(
    changing.map((entry) => [entry.at.map((at) => `${at}:${offsetAt(at - 1000, entry.zone)}:${offsetAt(at, entry.zone)}`).join(), entry]),
  ).values(),
];

function walk(rule: Rule, zone: string, from: number, to: number): number[] {
  const next = nextRunOf(rule, zone);
  const runs: number[] = [];
  for (let run = next(from); run !== undefined && run <= to; run = next(run)) {
    expect(run, `${zone}: standstill`).toBeGreaterThan(runs.at(-1) ?? from);
    runs.push(run);
  }
  return runs;
}

describe('the changes of 2026', () => {
  it('are there to be walked', () => {
    expect(zones.length).toBeGreaterThan(400);
    expect(kinds.length).toBeGreaterThan(15);
  });

  it('run each named hour once a day: at the first valid moment after a gap, the first time where it comes twice', () => {
    for (const { zone, at } of kinds) {
      for (const change of at) {
        const firstDay = Math.floor(wallOf(change, zone) / DAY) * DAY - DAY;
        for (const [rule, minutes] of BY_THE_WALL) {
          const runs = walk(rule, zone, instantOf(firstDay, zone) - 1, instantOf(firstDay + 3 * DAY, zone) - 1);
          const expected = new Set(
            [0, 1, 2].flatMap((day) => minutes.map((minute) => firstMoment(firstDay + day * DAY + minute * 60_000, change, zone))),
          );
          expect([...runs], `${zone} ${JSON.stringify(rule)}`).toEqual(
            [...expected].filter((run) => run < instantOf(firstDay + 3 * DAY, zone)).sort((a, b) => a - b),
          );
        }
      }
    }
  });

  it('run a rule for every hour at every real moment its minutes show, and never stop for it', () => {
    for (const { zone, at } of kinds) {
      for (const change of at) {
        for (const [rule, minutes] of BY_REAL_TIME) {
          const [from, to] = [change - 5 * HOUR - 1, change + 5 * HOUR];
          const expected: number[] = [];
          for (let minute = change - 5 * HOUR; minute <= to; minute += 60_000) {
            if (minutes.includes(new Date(wallOf(minute, zone)).getUTCMinutes())) expected.push(minute);
          }
          expect(walk(rule, zone, from, to), `${zone} ${JSON.stringify(rule)}`).toEqual(expected);
        }
      }
    }
  });

  it('do not touch an interval: it counts real time', () => {
    for (const { zone, at } of kinds) {
      for (const change of at) {
        const runs = walk({ kind: 'interval', everyMs: 2 * HOUR, anchor: change - DAY }, zone, change - DAY - 1, change + DAY);
        expect(runs).toEqual(Array.from({ length: 25 }, (_, i) => change - DAY + i * 2 * HOUR));
      }
    }
  });

  it('give every zone, changing or not, one 02:30 a day', () => {
    for (const zone of zones) {
      const runs = walk({ kind: 'daily', at: '02:30' }, zone, Date.UTC(2026, 2, 27), Date.UTC(2026, 2, 31));
      expect(runs.length, zone).toBeGreaterThanOrEqual(4);
      expect(new Set(runs.map((run) => isoInZone(run, zone).slice(0, 10))).size, zone).toBe(runs.length);
    }
  });
});

/** The moment a reading means, found minute by minute without zone.ts' own search. */
function firstMoment(wall: number, change: number, zone: string): number {
  const [before, after] = [offsetAt(change - 1000, zone), offsetAt(change, zone)];
  const early = wall - Math.max(before, after);
  const late = wall - Math.min(before, after);
  if (wallOf(early, zone) === wall) return early;
  return wallOf(late, zone) === wall ? late : change;
}

describe('examples with names', () => {
  const run = (rule: Rule, zone: string, from: string): string => isoInZone(nextRunOf(rule, zone)(Date.parse(from)) ?? 0, zone);

  it('runs 02:30 in New York at 03:00 when the clock goes forward, and at the first 01:30 when it goes back', () => {
    expect(run({ kind: 'daily', at: '02:30' }, 'America/New_York', '2026-03-08T05:00:00Z')).toBe('2026-03-08T03:00:00-04:00');
    expect(run({ kind: 'daily', at: '01:30' }, 'America/New_York', '2026-11-01T04:00:00Z')).toBe('2026-11-01T01:30:00-04:00');
    expect(run({ kind: 'daily', at: '01:30' }, 'America/New_York', '2026-11-01T05:30:00Z')).toBe('2026-11-02T01:30:00-05:00');
  });

  it('runs 23:30 in Nuuk at midnight when the gap reaches into the next day', () => {
    expect(run({ kind: 'daily', at: '23:30' }, 'America/Nuuk', '2026-03-28T12:00:00Z')).toBe('2026-03-29T00:00:00-01:00');
  });

  it('keeps every half hour going while the hour is shown twice', () => {
    const runs = walk(cron('*/30 * * * *'), 'America/New_York', Date.parse('2026-11-01T04:59:00Z'), Date.parse('2026-11-01T07:00:00Z'));
    expect(runs.map((at) => isoInZone(at, 'America/New_York').slice(11, 16))).toEqual(['01:00', '01:30', '01:00', '01:30', '02:00']);
  });

  it('finds 29 February, and skips the months without a 31st', () => {
    expect(run(cron('0 9 29 2 *'), 'Asia/Shanghai', '2027-03-01T00:00:00Z')).toBe('2028-02-29T09:00:00+08:00');
    expect(run(cron('0 9 29 2 *'), 'UTC', '2097-01-01T00:00:00Z')).toBe('2104-02-29T09:00:00+00:00');
    const months = walk(cron('0 9 31 * *'), 'UTC', YEAR, YEAR + 365 * DAY).map((at) => new Date(at).getUTCMonth() + 1);
    expect(months).toEqual([1, 3, 5, 7, 8, 10, 12]);
  });

  it('counts what was missed over years without walking minute by minute for ever', () => {
    const every = { kind: 'interval', everyMs: 1000, anchor: YEAR } as const;
    expect(runsBetween(every, 'UTC', YEAR, YEAR + 365 * DAY)).toEqual({ count: 365 * 86_400, last: YEAR + 365 * DAY });
    expect(runsBetween(cron('* * * * *'), 'UTC', YEAR, YEAR + 365 * DAY + 30_000)).toEqual({ count: 10_000, last: YEAR + 365 * DAY });
    expect(runsBetween(cron('0 9 * * *'), 'UTC', YEAR, YEAR + 3 * DAY)).toEqual({ count: 3, last: YEAR + 2 * DAY + 9 * HOUR });
  });
});
