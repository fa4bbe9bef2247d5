import type { Span } from './span.ts';

/** A date, a time of day or both, as far as they were said. */
export interface Moment {
  /** Days since 1970-01-01. */
  readonly day?: number;
  /** Minutes since midnight, with seconds as a fraction. */
  readonly minutes?: number;
  /** Only a month or a year was said. */
  readonly precision: 'day' | 'month' | 'year' | 'time';
  /** Counted from the present day. */
  readonly relative: boolean;
}

/** Dates and times of a text; `today` is a day number, without which relative dates stay unknown. */
export const findMoments = (text: string, today: number | undefined): readonly Span[] => {
  const stated = statedToday(text);
  const present = stated?.moment?.day ?? today;
  // `from March 9th to March 10th 2023` says the year once for both.
  const [said] = absoluteDates(text, undefined);
  const year =
    said?.moment?.day !== undefined ? yearOf(said.moment.day) : present === undefined ? undefined : yearOf(present);
  const dates = [...absoluteDates(text, year), ...relativeDates(text, present, stated?.weekday)].filter(
    // Where the task says what day it is, that is no value of its own.
    (span) => stated === undefined || span.end <= stated.start || span.start >= stated.end,
  );
  return withTimes(text, withoutOverlaps(dates), times(text));
};

/** `today is Friday 2023-09-29` in the task itself overrules the clock and the calendar. */
const statedToday = (text: string): (Span & { readonly weekday: number | undefined }) | undefined => {
  const match =
    /(?:today(?:'s date)? is|current date(?: is|:)|今天是)\s*(?:(?<weekday>\p{L}+day),?\s)?(?<date>.{4,40})/diu.exec(
      text,
    );
  const [date] = match === null ? [] : absoluteDates(match.groups?.date ?? '', undefined);
  if (match === null || date === undefined) return undefined;
  const weekday = WEEKDAYS.indexOf((match.groups?.weekday ?? '').slice(0, 3).toLowerCase());
  return {
    ...date,
    start: match.index,
    end: (match.indices?.groups?.date?.[0] ?? 0) + date.end,
    weekday: weekday < 0 ? undefined : weekday,
  };
};

/** A time that stands beside a date makes one moment with it; a second one after a dash ends the same day. */
const withTimes = (text: string, dates: readonly Span[], clock: readonly Span[]): readonly Span[] => {
  const alone = new Set(clock);
  const joined = dates.flatMap((date) => {
    const near = clock.filter((time) => isBeside(text, date, time));
    for (const time of near) alone.delete(time);
    if (near.length === 0) return [date];
    return near.map((time) => ({
      ...date,
      start: Math.min(date.start, time.start),
      end: Math.max(date.end, time.end),
      text: text.slice(Math.min(date.start, time.start), Math.max(date.end, time.end)),
      moment: { ...date.moment, ...time.moment, precision: 'day' as const, relative: date.moment?.relative ?? false },
    }));
  });
  return [...joined, ...alone];
};

const isBeside = (text: string, date: Span, time: Span): boolean => {
  if (time.start >= date.end)
    return /^,?\s?(?:at|from|by|t)?\s?(?:\d{1,2}(?::\d\d)?\s?(?:[ap]\.?m\.?)?\s?(?:-|to|until)\s?)?$/iu.test(
      text.slice(date.end, time.start),
    );
  return time.end <= date.start && /^,?\s?(?:on|of)?\s?(?:the\s)?$/iu.test(text.slice(time.end, date.start));
};

const absoluteDates = (text: string, year: number | undefined): readonly Span[] =>
  withoutOverlaps(
    PATTERNS.flatMap(({ pattern, read }) =>
      Array.from(text.matchAll(pattern), (match) => {
        const date = read(match.groups ?? {}, year);
        return date === undefined ? undefined : momentSpan(match, date);
      }).filter((span) => span !== undefined),
    ),
  );

type Groups = Readonly<Record<string, string | undefined>>;
type Dated = Pick<Moment, 'day' | 'precision'> | undefined;

const numericDate = ({ year, month, day }: Groups): Dated => dated(Number(year), Number(month), Number(day));

/** 03/04/2023 is March the 4th unless the first number cannot be a month. */
const slashDate = ({ one, two, year }: Groups): Dated => {
  const full = Number(year) < 100 ? 2000 + Number(year) : Number(year);
  return Number(one) > 12 ? dated(full, Number(two), Number(one)) : dated(full, Number(one), Number(two));
};

const namedDate = ({ month = '', day, year }: Groups, present: number | undefined): Dated => {
  const wanted = year === undefined ? present : Number(year);
  if (wanted === undefined) return undefined;
  const number = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  if (number === 0) return undefined;
  return day === undefined
    ? { day: dayNumber(wanted, number, 1), precision: 'month' }
    : dated(wanted, number, Number(day));
};

const dated = (year: number, month: number, day: number): Dated =>
  month >= 1 && month <= 12 && day >= 1 && day <= 31
    ? { day: dayNumber(year, month, day), precision: 'day' }
    : undefined;

const relativeDates = (text: string, today: number | undefined, weekday: number | undefined): readonly Span[] => {
  if (today === undefined) return [];
  return RELATIVE.flatMap(({ pattern, days }) =>
    Array.from(text.matchAll(pattern), (match) => {
      const offset = days(match.groups ?? {}, weekday ?? weekdayOf(today));
      return offset === undefined ? undefined : momentSpan(match, { day: today + offset, precision: 'day' }, true);
    }).filter((span) => span !== undefined),
  );
};

const times = (text: string): readonly Span[] =>
  TIMES.flatMap((pattern) => Array.from(text.matchAll(pattern), readTime)).filter((span) => span !== undefined);

const readTime = (match: RegExpExecArray): Span | undefined => {
  const { before = '', hour = '', minute = '0', second = '0', after = '' } = match.groups ?? {};
  const half = `${before}${after}`;
  if (Number(hour) > 24 || Number(minute) > 59) return undefined;
  const late = /^p|afternoon|evening|night|下午|晚上/iu.test(half);
  const hours = half === '' ? Number(hour) % 24 : (Number(hour) % 12) + (late ? 12 : 0);
  return momentSpan(match, { minutes: hours * 60 + Number(minute) + Number(second) / 60, precision: 'time' });
};

const momentSpan = (match: RegExpExecArray, moment: Omit<Moment, 'relative'>, relative = false): Span => ({
  kind: 'moment',
  start: match.index,
  end: match.index + match[0].length,
  text: match[0],
  moment: { ...moment, relative },
});

const withoutOverlaps = (spans: readonly Span[]): readonly Span[] => {
  const kept: Span[] = [];
  for (const span of spans) {
    if (!kept.some((other) => span.start < other.end && other.start < span.end)) kept.push(span);
  }
  return kept.sort((one, other) => one.start - other.start);
};

const dayNumber = (year: number, month: number, day: number): number =>
  Math.floor(Date.UTC(year, month - 1, day) / 86_400_000);

const yearOf = (day: number): number => new Date(day * 86_400_000).getUTCFullYear();

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ');
const MONTH =
  '(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const DAY = '(?<day>\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '(?<year>(?:1[5-9]|20|21)\\d\\d)';

const PATTERNS: readonly {
  readonly pattern: RegExp;
  readonly read: (groups: Groups, year: number | undefined) => Dated;
}[] = [
  {
    pattern: /(?<!\d)(?<year>\d{4})\s?[-/.年]\s?(?<month>\d{1,2})\s?[-/.月]\s?(?<day>\d{1,2})[日号]?(?!\d)/gu,
    read: numericDate,
  },
  {
    pattern: /(?<![\d.])(?<year>20\d\d|19\d\d)(?<month>0[1-9]|1[0-2])(?<day>0[1-9]|[12]\d|3[01])(?![\d.])/gu,
    read: numericDate,
  },
  { pattern: /(?<![\d/.-])(?<one>\d{1,2})[-/.](?<two>\d{1,2})[-/.](?<year>\d{4}|\d\d)(?![\d/-])/gu, read: slashDate },
  { pattern: new RegExp(`(?<!\\p{L})${MONTH}\\s?${DAY}\\s?(?:,|of)?\\s?,?\\s?${YEAR}(?!\\d)`, 'giu'), read: namedDate },
  {
    pattern: new RegExp(`(?<!\\d)${DAY}\\s?(?:of\\s)?${MONTH}(?:,\\s?|\\s)(?:of\\s)?${YEAR}(?!\\d)`, 'giu'),
    read: namedDate,
  },
  { pattern: new RegExp(`(?<!\\d)${YEAR},?\\s${MONTH}\\s${DAY}(?!\\p{L}|\\d)`, 'giu'), read: namedDate },
  { pattern: new RegExp(`(?<!\\p{L})${MONTH}\\s${DAY}(?!\\p{L}|\\d|,?\\s\\d{4})`, 'giu'), read: namedDate },
  { pattern: new RegExp(`(?<!\\d)(?:the\\s)?${DAY}\\s(?:of\\s)?${MONTH}(?!\\p{L})`, 'giu'), read: namedDate },
  { pattern: new RegExp(`(?<!\\p{L})${MONTH},?\\s(?:of\\s)?${YEAR}(?!\\d)`, 'giu'), read: namedDate },
  {
    pattern: /(?<!\d)(?<month>\d{1,2})月(?<day>\d{1,2})[日号]/gu,
    read: ({ month, day }, year) => (year === undefined ? undefined : dated(year, Number(month), Number(day))),
  },
];

const weekdayOf = (today: number): number => (((today + 4) % 7) + 7) % 7;

const untilWeekday = ({ which = '', weekday = '' }: Groups, present: number): number | undefined => {
  const wanted = WEEKDAYS.indexOf(weekday.slice(0, 3).toLowerCase());
  if (wanted < 0) return undefined;
  const ahead = (wanted - present + 7) % 7;
  if (/last/iu.test(which)) return ahead === 0 ? -7 : ahead - 7;
  return ahead === 0 && !/this/iu.test(which) ? 7 : ahead;
};

const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365, 天: 1, 周: 7 };
const counted = (groups: Groups): number => Number(groups.count) * (UNIT_DAYS[(groups.unit ?? '').toLowerCase()] ?? 1);

const RELATIVE: readonly {
  readonly pattern: RegExp;
  /** Days from today, whose weekday is given. */
  readonly days: (groups: Groups, weekday: number) => number | undefined;
}[] = [
  { pattern: /(?<!\p{L})day after tomorrow(?!\p{L})|后天/giu, days: () => 2 },
  { pattern: /(?<!\p{L})day before yesterday(?!\p{L})|前天/giu, days: () => -2 },
  { pattern: /(?<!\p{L})(?<!after )tomorrow(?!\p{L})|明天/giu, days: () => 1 },
  { pattern: /(?<!\p{L})(?<!before )yesterday(?!\p{L})|昨天/giu, days: () => -1 },
  { pattern: /(?<!\p{L})(?:today|tonight)(?!\p{L})|今天|今晚/giu, days: () => 0 },
  {
    pattern:
      /(?<!\p{L})(?<which>next|this|last|coming|upcoming|this coming|on)\s(?<weekday>(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?)(?!\p{L})/giu,
    days: untilWeekday,
  },
  {
    pattern: /(?<!\p{L})in\s(?<count>\d+)\s(?<unit>day|week|month|year)s?(?!\p{L})|(?<!\d)(?<count2>\d+)\s?天后/giu,
    days: (groups) => (groups.count2 === undefined ? counted(groups) : Number(groups.count2)),
  },
  {
    pattern: /(?<!\p{L})(?<count>\d+)\s(?<unit>day|week|month|year)s?\sago(?!\p{L})/giu,
    days: (groups) => -counted(groups),
  },
  { pattern: /(?<!\p{L})next week(?!\p{L})|下周/giu, days: () => 7 },
  { pattern: /(?<!\p{L})last week(?!\p{L})|上周/giu, days: () => -7 },
];

const TIMES: readonly RegExp[] = [
  /(?<![\d.:])(?<before>上午|下午|晚上|早上)?(?<hour>\d{1,2})[:：](?<minute>\d{2})(?:[:：](?<second>\d{2}))?(?:\s?(?<after>[ap]\.?m\b\.?))?(?!\d)/giu,
  /(?<![\d.:])(?<hour>\d{1,2})\s?(?<after>[ap]\.?m\b\.?)/giu,
  /(?<![\d.:])(?<hour>\d{1,2})(?:[:.](?<minute>\d{2}))?\s?(?:o['’]?clock\s?)?(?<after>in the (?:morning|afternoon|evening)|at night)(?!\p{L})/giu,
  /(?<before>上午|下午|晚上|早上)?(?<hour>\d{1,2})\s?点(?:(?<minute>\d{1,2})分)?/gu,
];
