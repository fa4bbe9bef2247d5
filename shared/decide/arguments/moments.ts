import { type ReadDate, readDates } from './read-dates.ts';
import { overlaps, type Span } from './span.ts';

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
  /** Counted from another day that was said with it, which is a value of its own. */
  readonly counted?: boolean;
}

/** Dates and times of a text; `today` is a day number, without which relative dates stay unknown. */
export const findMoments = (text: string, today: number | undefined): readonly Span[] => {
  const stated = statedToday(text);
  const present = stated?.day ?? today;
  const shift = stated?.shift ?? 0;
  // Where the task says what day it is, that is no value of its own.
  const rest = stated === undefined ? text : withoutPart(text, stated);
  const dates = readDates(rest, present === undefined ? undefined : dateOf(present - shift));
  // `from March 9th to March 10th 2023` says the year once for both.
  const said = dates.find(({ components }) => components.isCertain('year') && components.isCertain('month'));
  const year = said?.relative === false ? (said.components.get('year') ?? undefined) : undefined;
  return withoutOverlaps(dates.flatMap((date) => momentSpan(date, { saidYear: year, present, shift })));
};

const withoutPart = (text: string, { start, end }: { readonly start: number; readonly end: number }): string =>
  `${text.slice(0, start)}${'.'.repeat(end - start)}${text.slice(end)}`;

/** `today is Friday 2023-09-29` in the task itself overrules the clock, and its weekday the calendar. */
const statedToday = (text: string) => {
  const match = TODAY_IS.exec(text);
  const date = match?.groups?.date;
  if (!match || date === undefined) return undefined;
  const [first] = readDates(date, undefined).filter(({ components }) => components.isCertain('year'));
  if (first === undefined) return undefined;
  const start = match.index;
  const end = start + match[0].length - date.length + first.start + first.text.length;
  const day = dayNumber(first.components, first.components.get('year') ?? 0);
  const weekday = WEEKDAYS.indexOf((match.groups?.weekday ?? '').slice(0, 3).toLowerCase());
  const shift = weekday < 0 ? 0 : (dateOf(day).getUTCDay() - weekday + 7) % 7;
  return { start, end, day, shift };
};
const TODAY_IS =
  /(?:today(?:'s date)? is|current date(?: is|:)|今天是)\s*(?:(?<weekday>\p{L}+day),?\s)?(?<date>.{4,40})/iu;
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ');

interface Calendar {
  /** The year that another date of the task names. */
  readonly saidYear: number | undefined;
  readonly present: number | undefined;
  /** By how many days the task's calendar runs ahead of the real one. */
  readonly shift: number;
}

const momentSpan = (
  { start, text, components, relative, counted }: ReadDate,
  { saidYear, present, shift }: Calendar,
): readonly Span[] => {
  const minutes = components.isCertain('hour')
    ? (components.get('hour') ?? 0) * 60 + (components.get('minute') ?? 0) + (components.get('second') ?? 0) / 60
    : undefined;
  const span = { kind: 'moment' as const, start, end: start + text.length, text };
  const isDated = ['day', 'month', 'year', 'weekday'].some((part) => components.isCertain(part as 'day'));
  if (!isDated) return minutes === undefined ? [] : [{ ...span, moment: { minutes, precision: 'time', relative } }];
  const year =
    components.isCertain('year') || relative ? components.get('year') : (saidYear ?? yearNear(components, present));
  // A day of a year that nobody said is no date yet, but its number is nothing else either.
  if (year === null || year === undefined) return [{ ...span, moment: { precision: 'day', relative } }];
  const moment = {
    day: ahead(dayNumber(components, year) + (relative ? shift : 0), components, text, present),
    precision: precisionOf(components, text),
    relative,
    counted,
  };
  return [{ ...span, moment: minutes === undefined ? moment : { ...moment, minutes } }];
};

/** A day without a year is of this one, or of the next when it lies long past. */
const yearNear = (components: ReadDate['components'], present: number | undefined): number | undefined => {
  if (present === undefined) return undefined;
  const year = dateOf(present).getUTCFullYear();
  return dayNumber(components, year) < present - HALF_YEAR ? year + 1 : year;
};
const HALF_YEAR = 183;

/** `Monday` is the next one, unless the last was asked for. */
const ahead = (day: number, components: ReadDate['components'], text: string, present: number | undefined): number =>
  present !== undefined &&
  day < present &&
  components.isCertain('weekday') &&
  !components.isCertain('day') &&
  !/last|past|previous|上/iu.test(text)
    ? day + 7
    : day;

/** `in 2 months` names a day, `next month` does not. */
const precisionOf = (components: ReadDate['components'], text: string): Moment['precision'] => {
  if (components.isCertain('day') || components.isCertain('weekday') || COUNTED.test(text)) return 'day';
  return components.isCertain('month') ? 'month' : 'year';
};
const COUNTED = /\b(?:in|after|within)\s|\b(?:ago|later|before|after|from)\b|[后前]$/iu;

const withoutOverlaps = (spans: readonly Span[]): readonly Span[] => {
  const kept: Span[] = [];
  for (const span of spans)
    if (!kept.some((other) => overlaps(span, other) && other.moment?.counted !== true)) kept.push(span);
  return kept.sort((one, other) => one.start - other.start);
};

const dayNumber = (components: ReadDate['components'], year: number): number =>
  Math.floor(Date.UTC(year, (components.get('month') ?? 1) - 1, components.get('day') ?? 1) / DAY);

const dateOf = (day: number): Date => new Date(day * DAY + DAY / 2);

const DAY = 86_400_000;
