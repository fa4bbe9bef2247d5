import type { Chrono, Component, ParsedResult } from 'chrono-node';
import { casual as casualEnglish } from 'chrono-node/en';
import { casual as casualChinese } from 'chrono-node/zh/hans';
import { lazily } from '../../kernel/lazily.ts';

/** A date or time as chrono-node parses it, with its certain and its implied components. */
export interface ReadDate {
  readonly start: number;
  readonly text: string;
  readonly components: Components;
  /** Relative to today. */
  readonly relative: boolean;
  /** Relative to another date in the same words. */
  readonly counted: boolean;
}

/** The components of a date: certain if the text gives them, otherwise implied by today. */
export interface Components {
  isCertain(part: Component): boolean;
  get(part: Component): number | null;
}

/** The dates and times of a text; without `now` relative ones are left out. */
export const readDates = (text: string, now: Date | undefined): readonly ReadDate[] => {
  const part = text.slice(0, READ_LIMIT);
  if (!SIGNS.test(part)) return [];
  const reference = { instant: now ?? new Date(0), timezone: 0 };
  const parsers = HAN.test(part) ? [chinese(), english()] : [english()];
  const written = writtenDates(part, ISO);
  const read = parsers
    .flatMap((parser) => parser.parse(part, reference))
    // In `2024-01-15 until 2024-03-01` chrono takes `15 until 2024` for two times of day.
    .filter(({ index }) => !written.some(({ start, text: said }) => start < index && index < start + said.length))
    .filter((result) => isMeant(result, part) && (now !== undefined || !isRelative(result)))
    .flatMap(endpoints);
  const isRead = (date: ReadDate): boolean =>
    read.some(
      ({ start, text: said, counted }) =>
        !counted && start < date.start + date.text.length && date.start < start + said.length,
    );
  return [...writtenDates(part, COMPACT), ...read, ...written.filter((date) => !isRead(date))];
};

/** Dates in digits in the order year, month, day. */
const writtenDates = (text: string, pattern: RegExp): readonly ReadDate[] =>
  Array.from(text.matchAll(pattern), (match) => {
    const [said, year, month, day] = match;
    const parts: Partial<Record<Component, number>> = { year: Number(year), month: Number(month), day: Number(day) };
    const components = { isCertain: (part: Component) => part in parts, get: (part: Component) => parts[part] ?? null };
    return { start: match.index, text: said, components, relative: false, counted: false };
  });
/** `20230929` and `2023-0929`, which chrono takes for numbers. */
const COMPACT = /(?<![\d.-])(20\d\d|19\d\d)-?(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?![\d.-])/gu;
const ISO = /(?<![\d./-])(20\d\d|19\d\d)[-/](0?[1-9]|1[0-2])[-/](0?[1-9]|[12]\d|3[01])(?![\d/-])/gu;
/** A date relative to another one: `45 days after 2024-06-01`. */
const COUNTED_FROM = /^\S+\s(?:day|week|month|year)s?\s(?:after|before|from|past|since|prior to)\s.*\d/iu;

/** Splits a range such as `from 9:00 to 10:30` or `March 9th to March 10th` into two values. */
const endpoints = (result: ParsedResult): readonly ReadDate[] => {
  const { index, text, start, end } = result;
  const counted = COUNTED_FROM.test(text);
  const relative = isRelative(result) && !counted;
  const separator = end && (WORD_BETWEEN.exec(text) ?? MARK_BETWEEN.exec(text));
  if (!end || !separator) return [{ start: index, text, components: start, relative, counted }];
  const after = separator.index + separator[0].length;
  return [
    { start: index, text: text.slice(0, separator.index), components: start, relative, counted },
    { start: index + after, text: text.slice(after), components: end, relative, counted },
  ];
};

/** Rejects what chrono takes for a date although it is none: `sun`, a range of numbers, `at 5`, a fraction. */
const isMeant = ({ index, text, start }: ParsedResult, task: string): boolean => {
  const isDated = start.isCertain('day') || start.isCertain('month') || start.isCertain('year');
  const before = task.slice(Math.max(0, index - 12), index);
  if (UNSAID.test(text) || (/^in\s/iu.test(text) && CONTAINED.test(before))) return false;
  if (start.isCertain('weekday') && !isDated) return !SHORT_WEEKDAY.test(text) || POINTING.test(`${before}${text}`);
  if (!isDated) return start.isCertain('hour') && (start.isCertain('meridiem') || CLOCK.test(text));
  // A month alone is often a name or a verb, and `1/2` a fraction.
  if (!start.isCertain('year') && !start.isCertain('day') && !start.isCertain('weekday')) return false;
  return start.isCertain('year') || !FRACTION.test(text) || /\b(?:on|by|until|before|after|from|due)\s$/iu.test(before);
};

const isRelative = (result: ParsedResult): boolean => {
  const { start, text } = result;
  if (start.isCertain('weekday') && !start.isCertain('day')) return true;
  if (HAN.test(text)) return !/[年月]|\d[-/.]\d/u.test(text) && (start.isCertain('day') || start.isCertain('year'));
  return [...result.tags()].some((tag) =>
    /relative|casualReference\/(?!noon|midnight|morning|afternoon|evening|night)|dayOfMonth/u.test(tag),
  );
};

const english = lazily(() => {
  const parser = casualEnglish.clone();
  parser.parsers.push(dayOfMonth, ...ORDERS);
  return parser;
});
const chinese = lazily(() => casualChinese.clone());

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH =
  '(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?';
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '((?:19|20)\\d\\d)';

const YEAR_FIRST = new RegExp(`(?<!\\d)${YEAR},? ${MONTH} ${DAY}(?![\\p{L}\\d])`, 'iu');
const DAY_OF_MONTH = new RegExp(`(?<!\\d)${YEAR},? ${DAY} of ${MONTH}(?![\\p{L}\\d])`, 'iu');
const YEAR_LAST = new RegExp(`(?<!\\p{L})${MONTH} ${DAY},? of ${YEAR}(?!\\d)`, 'iu');

/** Formats that chrono does not know: `2023 April 4th`, `2023 4th of April` and `April 9th of 2023`. */
const ORDERS: readonly Chrono['parsers'][number][] = [
  {
    pattern: () => YEAR_FIRST,
    extract: (_, [, year, month = '', day]) => dateParts(year, month, day),
  },
  {
    pattern: () => DAY_OF_MONTH,
    extract: (_, [, year, day, month = '']) => dateParts(year, month, day),
  },
  {
    pattern: () => YEAR_LAST,
    extract: (_, [, month = '', day, year]) => dateParts(year, month, day),
  },
];

const dateParts = (year: string | undefined, month: string, day: string | undefined) => ({
  year: Number(year),
  month: MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1,
  day: Number(day),
});

/** A day such as that of `until the 12th`, in this month or the next one. */
const dayOfMonth: Chrono['parsers'][number] = {
  pattern: () =>
    /(?<=\b(?:on|until|till|by|from|to|before|after)\s)the (\d{1,2})(?:st|nd|rd|th)(?=[.,;!?]|$|\s(?:at|to|until|and)\b)/iu,
  extract: (context, [, said]) => {
    const day = Number(said);
    const now = context.refDate;
    if (day < 1 || day > 31) return null;
    const ahead = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + (day < now.getUTCDate() ? 1 : 0), day));
    const found = context.createParsingComponents({
      year: ahead.getUTCFullYear(),
      month: ahead.getUTCMonth() + 1,
      day: ahead.getUTCDate(),
    });
    found.addTag('dayOfMonth');
    return found;
  },
};

const READ_LIMIT = 4096;
const HAN = /\p{Script=Han}/u;
/** Only texts with one of these can have a date. */
const SIGNS =
  /\d|\b(?:today|tonight|tomorrow|yesterday|week|weekend|month|year|day|noon|midnight|ago)\b|(?:sun|mon|tues|wednes|thurs|fri|satur)day|\b(?:next|this|last|on) (?:sun|mon|tue|wed|thu|fri|sat)\b|[今明昨前后]|[周期拜]|[点月日号年]/iu;
const WORD_BETWEEN = /\s+(?:to|until|till|through|thru|and|-|–|—|~)\s+|\s*[到至]\s*/iu;
const MARK_BETWEEN = /\s*[-–—~]\s*/u;
/** Durations and the present moment are not dates: `the last 24 hours`, `the next 7 days`, `now`. */
const UNSAID =
  /^(?:(?:for|within|during)\s.*|now|right now|(?:the )?(?:last|past|next|previous|coming) (?:\d+|few|couple|several|two|three|four|five|six|seven|ten)\b.*|(?:this |in the )?(?:morning|afternoon|evening|night)|this (?:second|minute|hour|day|week|month|year))$|\b\d+\s?(?:second|minute|hour|min|sec|hr)s?\b|现在|(?:小时|分钟|秒)[后前]/iu;
/** `in 3 days` is not a date in `how many seconds are there in 3 days`. */
const CONTAINED = /\b(?:are|is|there)\s$/iu;
const SHORT_WEEKDAY = /^(?:sun|mon|tue|wed|thu|fri|sat)$/iu;
const POINTING = /\b(?:on|next|this|last|by|until|every|coming)\s\p{L}+$/iu;
const CLOCK = /\d\s?[:：点时]|[一二三四五六七八九十两]点|noon|midnight/iu;
const FRACTION = /^\d{1,2}\/\d{1,2}$/u;
