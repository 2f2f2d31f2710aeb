// What people and the model write for "when", read or refused.
import { describe, expect, it } from 'vitest';
import { XzError } from '../../../store/errors.ts';
import type { Recurring } from '../../../store/schedule/rule.ts';
import { parseCron, parseWhen } from '../../../store/schedule/when.ts';
import { isoInZone, timeInWords } from '../../../store/schedule/zone.ts';

// 23:50 of a Tuesday in Shanghai, while this process may live anywhere.
const NOW = Date.parse('2026-03-03T15:50:00Z');
const ZONE = 'Asia/Shanghai';

const first = (text: string, recurring?: Recurring, timeZone = ZONE): string => {
  const plan = parseWhen(text, { now: NOW, timeZone, recurring });
  return `${plan.rule.kind} ${isoInZone(plan.first, timeZone).slice(0, 16)}`;
};

const refusal = (text: string, recurring?: Recurring): string => {
  try {
    parseWhen(text, { now: NOW, timeZone: ZONE, recurring });
  } catch (error) {
    if (error instanceof XzError && error.code === 'bad_input') return error.message;
    throw error;
  }
  return 'accepted';
};

describe('forms that are understood', () => {
  it.each([
    ['09:00', 'daily 2026-03-04T09:00'],
    ['9:00', 'daily 2026-03-04T09:00'],
    ['23:55', 'daily 2026-03-03T23:55'],
    ['9am', 'daily 2026-03-04T09:00'],
    ['12am', 'daily 2026-03-04T00:00'],
    ['12:30 pm', 'daily 2026-03-04T12:30'],
    ['noon', 'daily 2026-03-04T12:00'],
    ['midnight', 'daily 2026-03-04T00:00'],
    ['every day at 9:00', 'daily 2026-03-04T09:00'],
    ['in 30 minutes', 'once 2026-03-04T00:20'],
    ['in 1.5 hours', 'once 2026-03-04T01:20'],
    ['in 1 hour and 30 minutes', 'once 2026-03-04T01:20'],
    ['in 1h30m', 'once 2026-03-04T01:20'],
    ['in half an hour', 'once 2026-03-04T00:20'],
    ['in an hour', 'once 2026-03-04T00:50'],
    ['In 2 Days', 'once 2026-03-05T23:50'],
    ['2 hours from now', 'once 2026-03-04T01:50'],
    ['2026-03-04T02:00:00', 'once 2026-03-04T02:00'],
    ['2026-03-04 02:00', 'once 2026-03-04T02:00'],
    ['2026-03-04T02:00:00Z', 'once 2026-03-04T10:00'],
    ['2026-03-04T02:00:00.250+05:30', 'once 2026-03-04T04:30'],
    ['2026-03-04', 'once 2026-03-04T00:00'],
    ['today 23:59', 'once 2026-03-03T23:59'],
    ['tomorrow 15:00', 'once 2026-03-04T15:00'],
    ['tomorrow at 3pm', 'once 2026-03-04T15:00'],
    ['3pm tomorrow', 'once 2026-03-04T15:00'],
    ['day after tomorrow 8:15', 'once 2026-03-05T08:15'],
    ['friday 15:00', 'once 2026-03-06T15:00'],
    ['on tuesday at 10:00', 'once 2026-03-10T10:00'],
    ['monday next week 9:00', 'once 2026-03-09T09:00'],
    ['every 2 hours', 'interval 2026-03-04T01:50'],
    ['every hour', 'interval 2026-03-04T00:50'],
    ['every 90 minutes', 'interval 2026-03-04T01:20'],
    ['mon-fri 09:00', 'cron 2026-03-04T09:00'],
    ['fri-mon 9pm', 'cron 2026-03-06T21:00'],
    ['sat,sun 10:00', 'cron 2026-03-07T10:00'],
    ['sat and sun at 10am', 'cron 2026-03-07T10:00'],
    ['mon 09:00', 'cron 2026-03-09T09:00'],
    ['every monday at 9:00', 'cron 2026-03-09T09:00'],
    ['weekdays 18:00', 'cron 2026-03-04T18:00'],
    ['0 9 * * mon-fri', 'cron 2026-03-04T09:00'],
    ['*/15 * * * *', 'cron 2026-03-04T00:00'],
    ['0 9 29 feb *', 'cron 2028-02-29T09:00'],
    ['@daily', 'cron 2026-03-04T00:00'],
    ['@hourly', 'cron 2026-03-04T00:00'],
    ['@weekly', 'cron 2026-03-08T00:00'],
  ])('%s', (text, expected) => {
    expect(first(text)).toBe(expected);
  });

  it.each([
    ['每天 9:00', 'daily 2026-03-04T09:00'],
    ['每天9点', 'daily 2026-03-04T09:00'],
    ['每天早上九点半', 'daily 2026-03-04T09:30'],
    ['每天下午三点十五分', 'daily 2026-03-04T15:15'],
    ['每天０９：００', 'daily 2026-03-04T09:00'],
    ['下午3点', 'daily 2026-03-04T15:00'],
    ['30分钟后', 'once 2026-03-04T00:20'],
    ['半小时后', 'once 2026-03-04T00:20'],
    ['一个半小时后', 'once 2026-03-04T01:20'],
    ['1小时30分钟后', 'once 2026-03-04T01:20'],
    ['二十五分钟后', 'once 2026-03-04T00:15'],
    ['两天后', 'once 2026-03-05T23:50'],
    ['明天下午3点', 'once 2026-03-04T15:00'],
    ['明早7点一刻', 'once 2026-03-04T07:15'],
    ['后天 10:00', 'once 2026-03-05T10:00'],
    ['下周一 9:00', 'once 2026-03-09T09:00'],
    ['周五下午3点', 'once 2026-03-06T15:00'],
    ['3月5日 9:00', 'once 2026-03-05T09:00'],
    ['2月29日 9点', 'once 2028-02-29T09:00'],
    ['2026年3月5日 下午3点', 'once 2026-03-05T15:00'],
    ['每2小时', 'interval 2026-03-04T01:50'],
    ['每隔两小时', 'interval 2026-03-04T01:50'],
    ['每半小时', 'interval 2026-03-04T00:20'],
    ['每小时', 'interval 2026-03-04T00:50'],
    ['每周一到周五 9:00', 'cron 2026-03-04T09:00'],
    ['每周一、三、五 下午3点', 'cron 2026-03-04T15:00'],
    ['每周一十点', 'cron 2026-03-09T10:00'],
    ['每周二二十点', 'cron 2026-03-10T20:00'],
    ['周一到周五九点半', 'cron 2026-03-04T09:30'],
    ['下周一十点半', 'once 2026-03-09T10:30'],
    ['星期五十五点', 'once 2026-03-06T15:00'],
    ['3月5日十点', 'once 2026-03-05T10:00'],
    ['十点', 'daily 2026-03-04T10:00'],
    ['二十点', 'daily 2026-03-04T20:00'],
    ['工作日 9:00', 'cron 2026-03-04T09:00'],
    ['周末10点', 'cron 2026-03-07T10:00'],
  ])('%s', (text, expected) => {
    expect(first(text)).toBe(expected);
  });

  it('takes the zone that is given, not that of the process', () => {
    expect(first('09:00', undefined, 'America/Montevideo')).toBe('daily 2026-03-04T09:00');
    expect(parseWhen('09:00', { now: NOW, timeZone: 'America/Montevideo' }).first).toBe(Date.parse('2026-03-04T12:00:00Z'));
  });

  it.each(['every 2 hours', 'every 1 second', 'every week', '每半小时'])(
    'runs %s for the first time when that has passed, not now',
    (text) => {
      for (const ms of [0, 1, 250, 999]) {
        const now = NOW + ms;
        const { first, rule } = parseWhen(text, { now, timeZone: ZONE });
        const everyMs = rule.kind === 'interval' ? rule.everyMs : 0;
        expect(first).toBe(Math.floor((now + everyMs) / 1000) * 1000);
        expect(parseWhen(text, { now, timeZone: ZONE, recurring: 'none' }).first).toBe(first);
      }
    },
  );

  it('adds relative times to now, seconds and all, so that no zone can shift them', () => {
    const now = Date.parse('2026-03-08T06:59:30.250Z');
    expect(parseWhen('in 30 minutes', { now, timeZone: 'America/New_York' }).first).toBe(Date.parse('2026-03-08T07:29:31Z'));
  });
});

describe('recurring', () => {
  it('turns a moment or a time into a daily, hourly or single run', () => {
    expect(first('09:00', 'none')).toBe('once 2026-03-04T09:00');
    expect(first('09:00', 'daily')).toBe('daily 2026-03-04T09:00');
    expect(first('09:30', 'hourly')).toBe('interval 2026-03-04T09:30');
    expect(first('in 30 minutes', 'daily')).toBe('daily 2026-03-04T00:20');
    expect(first('2026-03-10 08:00', 'hourly')).toBe('interval 2026-03-10T08:00');
  });

  it('takes only the first run of a rhythm with none, and refuses a rhythm that contradicts', () => {
    expect(first('mon-fri 09:00', 'none')).toBe('once 2026-03-04T09:00');
    expect(first('every 2 hours', 'none')).toBe('once 2026-03-04T01:50');
    expect(first('every hour', 'hourly')).toBe('interval 2026-03-04T00:50');
    expect(refusal('every 2 hours', 'daily')).toContain('says itself how often');
  });
});

describe('forms that are refused, with the reason', () => {
  it.each([
    ['in 0 minutes', 'not later than now'],
    ['in -5 minutes', 'not later than now'],
    ['0分钟后', 'not later than now'],
    ['24:00', 'the next day'],
    ['晚上12点', 'the next day'],
    ['25:00', 'not a time of day'],
    ['09:60', 'not a time of day'],
    ['13pm', 'no such time'],
    ['2026-02-30', 'does not exist'],
    ['2026-13-01 09:00', 'does not exist'],
    ['2月30日 9点', 'does not exist'],
    ['2026-03-03T09:00', 'past'],
    ['2025-01-01', 'past'],
    ['today 09:00', 'past'],
    ['今天上午9点', 'past'],
    ['tomorrow', 'no time'],
    ['明天', 'no time'],
    ['in 99999999999 days', 'ten years'],
    ['every 0 minutes', 'too short'],
    ['0 0 30 2 *', 'never matches'],
    ['0 0 31 4 *', 'never matches'],
    ['0 0 31 2,4,6,9,11 *', 'never matches'],
    ['*/0 * * * *', 'stepping'],
    ['60 * * * *', 'minute'],
    ['* * * * * *', '5 parts'],
    ['@reboot', 'not a cron expression'],
    ['in NaN minutes', 'not a time that is understood'],
    ['NaN', 'not a time that is understood'],
    ['', 'not a time that is understood'],
    ['soon', 'not a time that is understood'],
    ['9', 'not a time that is understood'],
    ['every 5 days at 09:00', 'not a time that is understood'],
  ])('%s', (text, why) => {
    expect(refusal(text)).toContain(why);
  });

  it('names the absolute time and its zone when something is past', () => {
    expect(refusal('2026-03-03 09:00')).toContain('2026-03-03 09:00 +08:00 (Asia/Shanghai)');
  });

  it('refuses an unknown zone', () => {
    expect(() => parseWhen('09:00', { now: NOW, timeZone: 'Mars/Olympus' })).toThrow('no time zone "Mars/Olympus"');
  });

  it('reads nothing but cron where cron is asked for', () => {
    expect(() => parseCron('09:00', { now: NOW, timeZone: ZONE })).toThrow('not a cron expression');
    expect(timeInWords(parseCron('30 9 * * *', { now: NOW, timeZone: ZONE }).first, ZONE)).toBe('2026-03-04 09:30 +08:00 (Asia/Shanghai)');
  });
});
