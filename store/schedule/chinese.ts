// Chinese forms of "when", rewritten into the English ones that when.ts reads: `明天下午3点` becomes `tomorrow 15:00`.
// What it does not know stays as it is, and is then refused there.

const DIGITS: Readonly<Record<string, number>> = { 零: 0, 一: 1, 二: 2, 两: 2, 三: 3, 四: 4, 五: 5, 六: 6, 七: 7, 八: 8, 九: 9 };
const WEEKDAYS: Readonly<Record<string, string>> = {
  一: 'mon',
  二: 'tue',
  三: 'wed',
  四: 'thu',
  五: 'fri',
  六: 'sat',
  日: 'sun',
  天: 'sun',
};
const FULL_NAMES: Readonly<Record<string, string>> = {
  mon: 'monday',
  tue: 'tuesday',
  wed: 'wednesday',
  thu: 'thursday',
  fri: 'friday',
  sat: 'saturday',
  sun: 'sunday',
};
const UNITS: ReadonlyArray<readonly [RegExp, string]> = [
  [/个?小时|个?钟头/g, ' hours '],
  [/分钟|分/g, ' minutes '],
  [/秒钟?/g, ' seconds '],
  [/个?星期|个?礼拜|周/g, ' weeks '],
  [/天|日/g, ' days '],
];

/** The English wording of a Chinese "when"; text without Han characters comes back unchanged. */
export function fromChinese(text: string): string {
  if (!/\p{Script=Han}/u.test(text)) return text;
  const compact = text.replaceAll(/\s+/g, ' ').trim();
  const later = /^(?:过|再过)?(.+?)(?:之后|以后|后)$/.exec(compact);
  if (later?.[1] !== undefined) return tidy(`in ${amount(later[1])}`);
  const every = /^每隔?((?:\d|[零一二两三四五六七八九十半个])*(?:小时|钟头|分钟|秒钟?|秒))$/.exec(compact.replaceAll(' ', ''));
  if (every?.[1] !== undefined) return tidy(`every ${amount(every[1])}`);
  const severalDays = /^每隔?((?:\d|[二两三四五六七八九十])+)(天|日|周|个?星期)$/.exec(compact.replaceAll(' ', ''));
  if (severalDays?.[1] !== undefined) return tidy(`every ${amount(severalDays[1] + (severalDays[2] ?? ''))}`);
  return tidy(dayWords(clockTimes(compact)));
}

function tidy(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** `一个半小时` -> `1.5 hours`, `1小时30分钟` -> `1 hours 30 minutes`. */
function amount(text: string): string {
  let out = numerals(text.replaceAll(' ', ''))
    .replace(/^半个?/, '0.5')
    .replace(/(\d+)个半/, '$1.5')
    .replace(/(\d+)(小时|钟头|天)半/, '$1.5$2')
    .replace(/^(?=小时|钟头|分钟|秒|天|日|周)/, '1');
  for (const [unit, word] of UNITS) out = out.replaceAll(unit, word);
  return out;
}

/** Chinese numerals up to 99 as digits; digits stay. */
function numerals(text: string): string {
  return text
    .replaceAll(/([二两三四五六七八九]?)十([一二三四五六七八九]?)/g, (_, tens: string, ones: string) =>
      String((tens ? (DIGITS[tens] ?? 1) : 1) * 10 + (DIGITS[ones] ?? 0)),
    )
    .replaceAll(/[零一二两三四五六七八九]/g, (digit) => String(DIGITS[digit] ?? digit));
}

const NUMBER = '(\\d{1,2}|[零一二两三四五六七八九十]{1,3})';
// In `周一十点` the first numeral is the day's.
const CLOCK = new RegExp(
  `(凌晨|清晨|早上|早晨|今早|明早|上午|中午|下午|午后|傍晚|晚上|夜里|今晚|明晚|晚)?\\s*(?<!周|星期|礼拜)${NUMBER}\\s*(?:[点时]\\s*(半|[一三]刻|${NUMBER}\\s*分?)?(?:整|钟)?|:(\\d{2}))`,
  'g',
);

/** `下午3点半` -> `15:30`; `今晚` and `明早` leave their day behind. */
function clockTimes(text: string): string {
  return text
    .replaceAll(CLOCK, (_, part: string | undefined, hourText: string, rest?: string, restNumber?: string, colon?: string) => {
      const hour = inDay(Number(numerals(hourText)), part ?? '');
      const minute = rest === '半' ? 30 : rest === '一刻' ? 15 : rest === '三刻' ? 45 : Number(colon ?? numerals(restNumber ?? '0'));
      const day = part?.startsWith('今') ? 'today ' : part?.startsWith('明') ? 'tomorrow ' : '';
      return ` ${day}${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')} `;
    })
    .replaceAll(/中午|正午/g, ' 12:00 ')
    .replaceAll(/午夜|零点/g, ' 00:00 ');
}

function inDay(hour: number, part: string): number {
  if (/下午|午后|傍晚|晚|夜/.test(part)) return hour < 12 ? hour + 12 : hour === 12 && /晚|夜/.test(part) ? 24 : hour;
  if (part === '中午') return hour < 11 ? hour + 12 : hour;
  if (/凌晨|清晨|早/.test(part) || part === '上午') return hour === 12 && part !== '上午' ? 0 : hour;
  return hour;
}

function dayWords(text: string): string {
  return text
    .replaceAll(
      /(\d{4})年(\d{1,2})月(\d{1,2})[日号]/g,
      (_, y: string, m: string, d: string) => ` ${y}-${m.padStart(2, '0')}-${d.padStart(2, '0')} `,
    )
    .replaceAll(/(?<!\d)(\d{1,2})月(\d{1,2})[日号]/g, (_, m: string, d: string) => ` date ${m}-${d} `)
    .replaceAll('大后天', ' in3days ')
    .replaceAll('后天', ' day after tomorrow ')
    .replaceAll(/明天|明日/g, ' tomorrow ')
    .replaceAll(/今天|今日/g, ' today ')
    .replaceAll(/每个?工作日|工作日/g, ' every weekday ')
    .replaceAll(/每个?周末|周末/g, ' every weekend ')
    .replaceAll(
      /每(?:个?星期|个?礼拜|周)((?:[一二三四五六日天](?:[到至、,，和-]|周|星期)*)+)/g,
      (_, days: string) => ` every ${weekdaySet(days)} `,
    )
    .replaceAll(
      /(周|星期)([一二三四五六日])(?:到|至|-)(?:周|星期)?([一二三四五六日])/g,
      (_, __, from: string, to: string) => ` every ${WEEKDAYS[from]}-${WEEKDAYS[to]} `,
    )
    .replaceAll(/下个?(?:星期|礼拜|周)([一二三四五六日天])/g, (_, day: string) => ` ${fullName(day)} next week `)
    .replaceAll(/(?:这|本)?(?:星期|礼拜|周)([一二三四五六日天])/g, (_, day: string) => ` ${fullName(day)} `)
    .replaceAll(/每天|每日|天天/g, ' every day ')
    .replaceAll('每小时', ' every hour ')
    .replaceAll('每分钟', ' every minute ')
    .replaceAll(/每周|每星期/g, ' every week ')
    .replaceAll(/[的在，,]/g, ' ');
}

/** `一到五` -> `mon-fri`, `一、三、五` and `一三五` -> `mon and wed and fri`. */
function weekdaySet(text: string): string {
  const range = /^([一二三四五六日天])(?:到|至|-)(?:周|星期)?([一二三四五六日天])$/.exec(text);
  if (range) return `${WEEKDAYS[range[1] ?? '']}-${WEEKDAYS[range[2] ?? '']}`;
  return [...text].flatMap((char) => WEEKDAYS[char] ?? []).join(' and ');
}

function fullName(day: string): string {
  return FULL_NAMES[WEEKDAYS[day] ?? ''] ?? day;
}
